package indextest

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// pattern answers a leaf that stands for terms of a field.
func (e *evaluation) pattern(q query.Query) *answer {
	switch q := q.(type) {
	case query.Wildcard:
		return e.fields(q.Field, func(f index.FieldType) *answer {
			terms, _ := e.terms(f, func(term string) int { return far(glob(e.folded(f, q.Pattern), []rune(term))) })
			return e.together(f, []place{{terms: terms}}, 0)
		})
	case query.Regexp:
		return e.fields(q.Field, func(f index.FieldType) *answer {
			flags := map[bool]string{true: "(?si)", false: "(?s)"}[f.Kind == index.Text]
			re := regexp.MustCompile(flags + `\A(?:` + q.Pattern + `)\z`)
			terms, _ := e.terms(f, func(term string) int { return far(re.MatchString(term)) })
			return e.together(f, []place{{terms: terms}}, 0)
		})
	case query.Fuzzy:
		if by, ok := e.combiner(q.Field); ok {
			return e.fuzzyAcross(by, q)
		}
		return e.fields(q.Field, func(f index.FieldType) *answer { return e.fuzzy(f, q) })
	}
	panic("no pattern")
}

// far is 0 for a match, -1 for none.
func far(matches bool) int {
	if matches {
		return 0
	}
	return -1
}

// sign is a rune of a wildcard pattern.
type sign struct {
	r    rune
	wild bool
}

// folded takes a pattern apart; its text is folded as that of the field.
func (e *evaluation) folded(f index.FieldType, pattern string) (signs []sign) {
	text := ""
	flush := func() {
		if f.Kind == index.Text {
			text = analysis.Fold(e.analyzer(f), text)
		}
		for _, r := range text {
			signs = append(signs, sign{r, false})
		}
		text = ""
	}
	runes := []rune(pattern)
	for i := 0; i < len(runes); i++ {
		switch {
		case runes[i] == '\\' && i+1 < len(runes):
			i++
			text += string(runes[i])
		case runes[i] == '*' || runes[i] == '?':
			flush()
			signs = append(signs, sign{runes[i], true})
		default:
			text += string(runes[i])
		}
	}
	flush()
	return signs
}

func glob(pattern []sign, s []rune) bool {
	if len(pattern) == 0 {
		return len(s) == 0
	}
	switch first := pattern[0]; {
	case first.wild && first.r == '*':
		return glob(pattern[1:], s) || len(s) > 0 && glob(pattern, s[1:])
	case len(s) == 0 || !first.wild && first.r != s[0]:
		return false
	}
	return glob(pattern[1:], s[1:])
}

// terms lists the terms of a field that are not less than 0 far, with how far
// they are: of more than are allowed the nearest, the most frequent, the first.
func (e *evaluation) terms(f index.FieldType, far func(string) int) (terms []string, away map[string]int) {
	docs := map[string]int{}
	away = map[string]int{}
	for _, d := range e.docs {
		once := map[string]bool{}
		for _, t := range d.tokens[f.Name] {
			if !once[t.Text] {
				once[t.Text] = true
				docs[t.Text]++
			}
		}
	}
	for term := range docs {
		if n := far(term); n >= 0 {
			away[term] = n
		}
	}
	terms = slices.SortedFunc(maps.Keys(away), func(a, b string) int {
		return cmp.Or(away[a]-away[b], docs[b]-docs[a], strings.Compare(a, b))
	})
	if most := cmp.Or(e.effort.Terms, 1<<16); len(terms) > most {
		e.warn(query.WarnTermsCut)
		terms = terms[:most]
	}
	return terms, away
}

// near lists the places of a Fuzzy in a field with the terms that are near each, and how
// far those of the last place are.
func (e *evaluation) near(f index.FieldType, q query.Fuzzy) (places []place, away map[string]int) {
	places = e.places(f, q.Text)
	for i := range places {
		asked := places[i].terms
		places[i].terms, away = e.terms(f, func(term string) int {
			nearest := -1
			for _, a := range asked {
				if n := distance([]rune(a), []rune(term)); n <= allowed(q, a) && begins(term, a, q.Prefix) && (nearest < 0 || n < nearest) {
					nearest = n
				}
			}
			return nearest
		})
	}
	return places, away
}

// fuzzy answers a Fuzzy in a field: a single place by the best of its terms.
func (e *evaluation) fuzzy(f index.FieldType, q query.Fuzzy) *answer {
	places, away := e.near(f, q)
	if len(places) != 1 {
		return e.together(f, places, 0)
	}
	e.blend(f, places[0])
	defer func() { e.blended = 0 }()
	best := e.nothing()
	for _, term := range places[0].terms {
		one := e.together(f, []place{{terms: []string{term}}}, 0)
		for i := range one.score {
			one.score[i] /= float64(1 + away[term])
		}
		best.improve(one, 1)
	}
	return best
}

// blend notes the most frequent of the terms of a place.
func (e *evaluation) blend(f index.FieldType, p place) {
	for _, term := range p.terms {
		e.blended = max(e.blended, e.stats(f, place{terms: []string{term}}).DocFreq)
	}
}

// fuzzyAcross answers a Fuzzy over fields: for each distance by the best terms of the
// fields together, of these by the best.
func (e *evaluation) fuzzyAcross(by rank.Combiner, q query.Fuzzy) *answer {
	fields := e.searched(q.Field)
	places, away := map[string][]place{}, map[string]map[string]int{}
	asks, single, blended := false, true, 0
	for _, f := range fields {
		places[f.Name], away[f.Name] = e.near(f, q)
		asks, single = asks || len(places[f.Name]) > 0, single && len(places[f.Name]) <= 1
		if len(places[f.Name]) == 1 {
			e.blend(f, places[f.Name][0])
			blended, e.blended = max(blended, e.blended), 0
		}
	}
	if !asks || !single {
		return e.combined(by, fields, func(f index.FieldType) *answer { return e.together(f, places[f.Name], 0) })
	}
	best := e.nothing()
	for far := range 5 {
		e.blended = blended
		one := e.combined(by, fields, func(f index.FieldType) *answer {
			if len(places[f.Name]) == 0 {
				return nil
			}
			found := e.together(f, []place{{}}, 0)
			for _, term := range places[f.Name][0].terms {
				if away[f.Name][term] == far {
					found.improve(e.together(f, []place{{terms: []string{term}}}, 0), 1)
				}
			}
			return found
		})
		e.blended = 0
		best.improve(one, 1/float64(1+far))
	}
	return best
}

// begins reports whether a term begins with as many runes of another.
func begins(term, as string, runes int) bool {
	of := []rune(as)
	return strings.HasPrefix(term, string(of[:min(runes, len(of))]))
}

func allowed(q query.Fuzzy, term string) int {
	n := len([]rune(term))
	switch {
	case q.Distance > 0:
		return q.Distance
	case n < 3:
		return 0
	case n < 6:
		return 1
	}
	return 2
}

// distance counts edits by their definition: optimal string alignment.
func distance(a, b []rune) int {
	switch {
	case len(a) == 0:
		return len(b)
	case len(b) == 0:
		return len(a)
	}
	row := func(n int) []int { return make([]int, n+1) }
	before, last := row(len(b)), row(len(b))
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		now := row(len(b))
		now[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			now[j] = min(last[j]+1, now[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				now[j] = min(now[j], before[j-2]+1)
			}
		}
		before, last = last, now
	}
	return last[len(b)]
}

// atLeast wants some of the members.
func (e *evaluation) atLeast(q query.AtLeast) *answer {
	if len(q.Of) == 0 {
		return e.nothing()
	}
	return e.combine(q.Of, func(matching, asking int) bool { return matching >= min(max(q.N, 1), asking) })
}
