package frontier

import "math/rand/v2"

// Three orders of a crawl, as the Priority of a [Request]. The fourth, best
// first, is a Priority that says how good the page promises to be. A priority
// counts among the requests that may be visited now: a host that must rest holds
// up nothing, whatever the priority of its pages.

// BreadthFirst is the priority of a page so many links from a seed when nearer
// pages go first.
func BreadthFirst(depth int) float64 { return -float64(depth) }

// DepthFirst is the priority of a page so many links from a seed when farther
// pages go first.
func DepthFirst(depth int) float64 { return float64(depth) }

// Shuffled is a priority with up to a share of itself more or less at random:
// 0.1 is ten per cent. It keeps a crawl from sticking to one part of a site, and
// from an order that is easily foreseen.
func Shuffled(priority, share float64) float64 {
	return priority * (1 + share*(2*rand.Float64()-1))
}
