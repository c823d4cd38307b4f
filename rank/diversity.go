package rank

import (
	"context"
	"math"
	"net/url"
)

// MMR is the Ranker that puts hits first that are relevant and unlike those before them, by maximal marginal
// relevance (Carbonell and Goldstein, SIGIR 1998). The next hit is that of the greatest
//
//	Lambda · score - (1-Lambda) · the greatest likeness to a hit before it
//
// where the scores are scaled to 0 for the least and 1 for the greatest. Scores stay as they were, so that
// hits no longer come in their order: it belongs behind all other stages. It asks for the likeness of each
// pair of hits once.
type MMR struct {
	Lambda float64 // how much relevance counts, up to 1; 0: 0.5, negative: a true 0
	// Alike is how alike two hits are, from 0 to 1, the same either way. Nil, or no number: not at all.
	Alike func(a, b Hit) float64
}

// Crowding is the Ranker that lets no more than Most hits of a group stand on a page; the others come on
// the pages behind, in their order. Where all that is left is of few groups, pages are filled with it, so that
// no hit is lost. The order does not depend on which page is asked for. Scores
// stay as they were: it belongs behind all other stages.
type Crowding struct {
	Most  int              // hits of a group on a page; 0 or less: 2
	Page  int              // hits of a page; 0 or less: all hits are one, at whose end are those that are too many
	Group func(Hit) string // nil: [HostOf] its Key; hits of the group "" are no group
}

var (
	_ Ranker = MMR{}
	_ Ranker = Crowding{}
)

// Rank implements [Ranker].
func (m MMR) Rank(ctx context.Context, _ string, hits []Hit) error {
	lambda := parameter(m.Lambda, 0.5, 1)
	unit := unitScores(hits)
	type candidate struct {
		Hit
		score, alike float64
	}
	left := make([]candidate, len(hits))
	for i, h := range hits {
		left[i] = candidate{h, unit(i), 0}
	}
	ordered := make([]Hit, 0, len(hits))
	for len(left) > 0 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		best, value := 0, math.Inf(-1)
		for i, c := range left {
			if v := lambda*c.score - (1-lambda)*c.alike; v > value {
				best, value = i, v
			}
		}
		next := left[best].Hit
		ordered = append(ordered, next)
		left = append(left[:best], left[best+1:]...)
		for i := range left {
			if m.Alike == nil {
				break
			}
			if s := m.Alike(next, left[i].Hit); s > left[i].alike {
				left[i].alike = min(s, 1)
			}
		}
	}
	copy(hits, ordered)
	return nil
}

// Rank implements [Ranker].
func (c Crowding) Rank(ctx context.Context, _ string, hits []Hit) error {
	most, page, group := preset(c.Most, 2), preset(c.Page, len(hits)), c.Group
	if group == nil {
		group = func(h Hit) string { return HostOf(h.Key) }
	}
	groups := make([]string, len(hits))
	for i, h := range hits {
		groups[i] = group(h)
	}
	left := make([]int, len(hits)) // places in hits
	for i := range left {
		left[i] = i
	}
	ordered := make([]Hit, 0, len(hits))
	for len(left) > 0 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		count := map[string]int{}
		end := min(len(ordered)+page, len(hits))
		var later []int
		for _, i := range left {
			if g := groups[i]; len(ordered) == end || g != "" && count[g] >= most {
				later = append(later, i)
			} else {
				count[g]++
				ordered = append(ordered, hits[i])
			}
		}
		for len(ordered) < end { // all that is left is too many
			ordered = append(ordered, hits[later[0]])
			later = later[1:]
		}
		left = later
	}
	copy(hits, ordered)
	return nil
}

// HostOf returns the host of a URL, without its port; "" of what is no URL with a host.
func HostOf(key string) string {
	u, err := url.Parse(key)
	if err != nil {
		return ""
	}
	return u.Hostname()
}
