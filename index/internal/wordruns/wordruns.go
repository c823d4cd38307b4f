// Package wordruns finds words that stand side by side in a query, which may stand for
// something together, such as a synonym of several words.
package wordruns

import (
	"iter"
	"strings"

	"github.com/webquarry/quarry/index/query"
)

// Of yields where single words of one field stand side by side among members: from
// the first up to the one behind the last.
func Of(members []query.Query) iter.Seq2[int, int] {
	word := func(i int) (m query.Match, ok bool) {
		if i < len(members) {
			m, ok = members[i].(query.Match)
		}
		return m, ok && len(strings.Fields(m.Text)) == 1
	}
	return func(yield func(from, to int) bool) {
		for from := 0; from < len(members); {
			first, is := word(from)
			to := from + 1
			for next, ok := word(to); is && ok && next.Field == first.Field; next, ok = word(to) {
				to++
			}
			if to > from+1 && !yield(from, to) {
				return
			}
			from = to
		}
	}
}

// Join returns the words of a run as one Match.
func Join(run []query.Query) query.Match {
	words := make([]string, 0, len(run))
	for _, q := range run {
		words = append(words, strings.TrimSpace(q.(query.Match).Text))
	}
	return query.Match{Field: run[0].(query.Match).Field, Text: strings.Join(words, " ")}
}
