package middleware

import (
	"slices"

	"github.com/webquarry/quarry/crawler"
)

// Chain lays middleware around a Fetcher, the first outermost: it is asked
// first, and sees what all others made of the answer.
func Chain(f crawler.Fetcher, around ...crawler.Middleware) crawler.Fetcher {
	for _, m := range slices.Backward(around) {
		f = m(f)
	}
	return f
}
