package static

import (
	"cmp"
	"context"
	"slices"

	"github.com/webquarry/quarry/rank"
)

// Tiers divides pages by their scores: those of the greatest, as the first of the shares says, are in tier 0, the next in tier
// 1, and what is left in the last. Shares are parts of all pages, from 0 to 1; equal scores are in the order of
// the pages; scores that are no number are the least.
//
//	Tiers(scores, 0.1, 0.3) // the best tenth, the next three tenths, the rest: 0, 1, 2
func Tiers(scores []float64, shares ...float64) []int {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	tiers := make([]int, len(scores))
	end, tier := 0.0, 0
	for place, page := range order {
		for tier < len(shares) && float64(place) >= end+max(0, shares[tier])*float64(len(scores)) {
			end += max(0, shares[tier]) * float64(len(scores))
			tier++
		}
		tiers[page] = tier
	}
	return tiers
}

// GoodFirst asks tier after tier, the best pages first, until there are enough hits, and returns them in the order in which they
// came: a page of a better tier stands before all of those behind. A tier that is not needed is not asked. Keys that were there
// already are left out. The error of a tier is returned with the hits before it.
func GoodFirst(ctx context.Context, enough int, tiers ...func(context.Context) ([]rank.Hit, error)) ([]rank.Hit, error) {
	var hits []rank.Hit
	known := map[string]bool{}
	for _, ask := range tiers {
		if len(hits) >= enough {
			break
		}
		found, err := ask(ctx)
		if err != nil {
			return hits, err
		}
		for _, h := range found {
			if !known[h.Key] {
				known[h.Key] = true
				hits = append(hits, h)
			}
		}
	}
	return hits[:min(len(hits), max(enough, 0))], nil
}
