package eval

import "math/rand/v2"

// Interleaved is a ranking made of two, to be shown to people, who do not know which hit is whose.
type Interleaved struct {
	Keys  []string
	FromB []bool // for each: it is B's, and else A's
}

// TeamDraft interleaves two rankings as captains pick teams (Radlinski, Kurup and Joachims, How Does Clickthrough Data Reflect
// Retrieval Quality?, CIKM 2008): in each round both pick the best of their hits that is not taken yet, and a coin says who
// picks first. It makes at most n hits. Each ranking has a key once.
func TeamDraft(a, b []string, n int, rnd *rand.Rand) (out Interleaved) {
	taken := map[string]bool{}
	next := func(from *[]string) (key string, ok bool) {
		for len(*from) > 0 {
			key, *from = (*from)[0], (*from)[1:]
			if !taken[key] {
				return key, true
			}
		}
		return "", false
	}
	for len(out.Keys) < n {
		picked := false
		bFirst := rnd.IntN(2) == 1
		for turn := range 2 {
			from, isB := &a, bFirst == (turn == 0)
			if isB {
				from = &b
			}
			if len(out.Keys) == n {
				break
			}
			if key, ok := next(from); ok {
				taken[key], picked = true, true
				out.Keys, out.FromB = append(out.Keys, key), append(out.FromB, isB)
			}
		}
		if !picked {
			break
		}
	}
	return out
}

// Credit counts the clicks on the hits of each: who has more wins the query. [SignTest] says of the wins of many queries whether
// one ranking is better.
func (i Interleaved) Credit(clicked []bool) (a, b int) {
	for n, click := range clicked[:min(len(clicked), len(i.FromB))] {
		switch {
		case !click:
		case i.FromB[n]:
			b++
		default:
			a++
		}
	}
	return a, b
}
