package eval

import (
	"math/rand/v2"
	"slices"
)

// ClickModel is somebody who is shown the hits of a query, of which the grades are given, and clicks on some. It stands for people where
// there are none, as when interleaving is tried out.
type ClickModel interface {
	Clicks(grades []int, rnd *rand.Rand) []bool
}

// Cascade looks at the hits from the first on, clicks by chance, and by chance is content after a click and stops (the dependent
// click model of Guo, Liu and Wang, WSDM 2009). The chances go by the grade; those beyond the last have that of the last; a grade below 0, which is
// no judgement, has that of 0.
type Cascade struct {
	Click []float64 // that a hit that is looked at is clicked
	Stop  []float64 // that no further hit is looked at after a click
}

// Users that are often simulated, for grades 0 and 1 and more (Hofmann, Whiteson and de Rijke, A Probabilistic Method for Inferring
// Preferences from Clicks, CIKM 2011).
func PerfectUser() Cascade { return Cascade{Click: []float64{0, 1}, Stop: []float64{0, 0}} }

// NavigationalUser looks for one page.
func NavigationalUser() Cascade {
	return Cascade{Click: []float64{0.05, 0.95}, Stop: []float64{0.2, 0.9}}
}

// InformationalUser looks for many, and clicks a lot in vain.
func InformationalUser() Cascade {
	return Cascade{Click: []float64{0.4, 0.9}, Stop: []float64{0.1, 0.5}}
}

// chance is that of a grade.
func chance(by []float64, grade int) float64 {
	if len(by) == 0 {
		return 0
	}
	return by[min(max(grade, 0), len(by)-1)]
}

// Clicks implements [ClickModel].
func (c Cascade) Clicks(grades []int, rnd *rand.Rand) []bool {
	out := make([]bool, len(grades))
	for i, grade := range grades {
		if out[i] = rnd.Float64() < chance(c.Click, grade); out[i] && rnd.Float64() < chance(c.Stop, grade) {
			break
		}
	}
	return out
}

// PositionBased clicks on a hit that is looked at, which goes by its place, and attractive, which goes by its grade (Richardson,
// Dominowska and Ragno, WWW 2007).
type PositionBased struct {
	Examine []float64 // by place, the first is 0; those beyond the last are not looked at
	Attract []float64 // by grade, as in Cascade
}

// Clicks implements [ClickModel].
func (p PositionBased) Clicks(grades []int, rnd *rand.Rand) []bool {
	out := make([]bool, len(grades))
	for i, grade := range grades[:min(len(grades), len(p.Examine))] {
		out[i] = rnd.Float64() < p.Examine[i] && rnd.Float64() < chance(p.Attract, grade)
	}
	return out
}

// Session is what somebody was shown for a query, and clicked on.
type Session struct {
	Query   string
	Keys    []string
	Clicked []bool // missing ones: no
}

// Clicked is what a log of sessions tells of places and of documents.
type Clicked struct {
	Examine []float64                     // by place: how likely it is looked at; the greatest is 1
	Attract map[string]map[string]float64 // by query and document: how likely it is clicked if it is looked at
}

// FitClicks estimates the chances of a [PositionBased] model from a log, by expectation maximisation: how attractive documents are, were they
// all shown first. Only documents that were shown at several places tell places from documents. 0 rounds: 50. Each costs a
// look at all hits of the log.
func FitClicks(log []Session, rounds int) *Clicked {
	if rounds <= 0 {
		rounds = 50
	}
	type key struct{ query, doc string }
	places := 0
	attract := map[key]float64{}
	for _, s := range log {
		places = max(places, len(s.Keys))
		for _, doc := range s.Keys {
			attract[key{s.Query, doc}] = 0.5
		}
	}
	examine := slices.Repeat([]float64{0.5}, places)
	type count struct{ sum, n float64 }
	for range rounds {
		// A count begins with one look and one pass, so that what was seen once is not certain.
		byPlace := slices.Repeat([]count{{1, 2}}, places)
		byDoc := make(map[key]count, len(attract))
		for _, s := range log {
			for i, doc := range s.Keys {
				k := key{s.Query, doc}
				looked, liked := 1.0, 1.0
				if i >= len(s.Clicked) || !s.Clicked[i] {
					e, a := examine[i], attract[k]
					none := 1 - e*a
					looked, liked = e*(1-a)/none, a*(1-e)/none
				}
				byPlace[i].sum += looked
				byPlace[i].n++
				c := byDoc[k]
				byDoc[k] = count{c.sum + liked, c.n + 1}
			}
		}
		for i, c := range byPlace {
			examine[i] = c.sum / c.n
		}
		for k, c := range byDoc {
			attract[k] = (c.sum + 1) / (c.n + 2)
		}
	}
	out := &Clicked{Examine: examine, Attract: map[string]map[string]float64{}}
	if places == 0 {
		return out
	}
	most := slices.Max(examine)
	for i := range examine {
		examine[i] /= most
	}
	for k := range attract {
		if out.Attract[k.query] == nil {
			out.Attract[k.query] = map[string]float64{}
		}
		out.Attract[k.query][k.doc] = min(1, attract[k]*most)
	}
	return out
}
