package index

import "github.com/webquarry/quarry/internal/durable"

// WithHooks makes the disk of an index fail as the hooks say.
func (o Options) WithHooks(hooks ...durable.Hook) Options {
	o.hooks = hooks
	return o
}

// WithSpan makes the windows of a pruned search so many documents long.
func (o SearchOptions) WithSpan(n uint32) SearchOptions {
	o.test.Span = n
	return o
}

// Exhaustive makes a search that counts all matches look at each of them.
func (o SearchOptions) Exhaustive() SearchOptions {
	o.test.Exhaustive = true
	return o
}

// Lying returns the keys of the documents of each segment, as these lie there.
func (s *Snapshot) Lying() (out [][]string) {
	for _, v := range s.commit.Views {
		var keys []string
		for doc := range v.Seg.Docs {
			key, _ := v.Seg.Key(doc)
			keys = append(keys, key)
		}
		out = append(out, keys)
	}
	return out
}
