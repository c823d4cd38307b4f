package index

import "github.com/webquarry/quarry/internal/durable"

// WithHooks makes the disk of an index fail as the hooks say.
func (o Options) WithHooks(hooks ...durable.Hook) Options {
	o.hooks = hooks
	return o
}
