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

// fuzzy answers a Fuzzy in a field.
func (e *evaluation) fuzzy(f index.FieldType, q query.Fuzzy) *answer {
	places := e.places(f, q.Text)
	var away map[string]int
	for i := range places {
		asked := places[i].terms
		places[i].terms, away = e.terms(f, func(term string) int {
			nearest := -1
			for _, a := range asked {
				if n := distance([]rune(a), []rune(term)); n <= allowed(q, a) && (nearest < 0 || n < nearest) {
					nearest = n
				}
			}
			return nearest
		})
	}
	found := e.together(f, places, 0)
	if len(places) != 1 {
		return found
	}
	for i, d := range e.docs {
		nearest := 100
		for _, t := range d.tokens[f.Name] {
			if slices.Contains(places[0].terms, t.Text) {
				nearest = min(nearest, away[t.Text])
			}
		}
		found.score[i] /= float64(1 + nearest)
	}
	return found
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
