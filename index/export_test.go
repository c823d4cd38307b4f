package index

import "github.com/webquarry/quarry/internal/durable"

// WithHooks makes the disk of an index fail as the hooks say.
func (o Options) WithHooks(hooks ...durable.Hook) Options {
	o.hooks = hooks
	return o
}

// WithSpan makes the windows of a pruned search so many documents long.
func (o SearchOptions) WithSpan(n uint32) SearchOptions {
	o.span = n
	return o
}
