package indextest

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/query"
)

// vocabulary is sorted by how often its words are drawn: the first ones most.
var vocabulary = strings.Fields(`the of index to page and search rank query list vacuum full 北京 table runs running connection
connections pg_dump 北京大学 e-mail cat-dog C++ don't café cafe l'été 京 大 Straße STRASSE ไทย カード 42 3.14 -- Zürich don’t naïve x_y_z ¼`)

var tags = []string{"db", "web", "Go", "go", "two words", "café", "北京"}

func word(r *rand.Rand) string {
	i := min(r.IntN(len(vocabulary)), r.IntN(len(vocabulary)), r.IntN(len(vocabulary)))
	return vocabulary[i]
}

// randomKey returns one of n keys: URLs of some hosts of a few domains.
func randomKey(r *rand.Rand, n int) string {
	i := r.IntN(n)
	return fmt.Sprintf("https://%d.host%d.example/%03d", i%3, i%7, i)
}

func sentence(r *rand.Rand, most int) string {
	var b strings.Builder
	for range r.IntN(most + 1) {
		b.WriteString(word(r))
		b.WriteString([]string{" ", " ", " ", ", ", ".\n", "-", ""}[r.IntN(7)])
	}
	return b.String()
}

// Options returns the options of an index for random documents: fields with
// several analyzers and weights.
func Options() index.Options {
	return index.Options{
		Schema: index.Schema{
			{Name: "title", Weight: 2.5, Stored: true},
			{Name: "body", Stored: true},
			{Name: "text", Analyzer: "english", Weight: 0.3},
			{Name: "short", Analyzer: "stops", Weight: 1},
			{Name: "same", Analyzer: "synonyms"},
			{Name: "aside", Analyzer: "accents", NamedOnly: true, Stored: true},
			{Name: "tag", Kind: index.Keyword, Stored: true},
			{Name: "note", Kind: index.StoredOnly},
			{Name: "price", Kind: index.Float},
			{Name: "year", Kind: index.Integer},
			{Name: "seen", Kind: index.Time},
			{Name: "host", Kind: index.Keyword, Column: true},
			{Name: "label", Kind: index.Keyword, Column: true},
		},
		Analyzers: map[string]analysis.Analyzer{
			"accents":  analysis.Accents{},
			"stops":    analysis.NewStopWords(nil, "the", "of", "to", "and"),
			"synonyms": stacked{"page": "leaf", "search": "query", "query": "search", "vacuum": "full"},
		},
	}
}

// stacked is an analyzer that puts a synonym at the place of a word.
type stacked map[string]string

func (s stacked) Tokens(text string) iter.Seq[analysis.Token] {
	return func(yield func(analysis.Token) bool) {
		for t := range (analysis.Standard{}).Tokens(text) {
			if !yield(t) {
				return
			}
			if t.Text = s[t.Text]; t.Text != "" && !yield(t) {
				return
			}
		}
	}
}

// RandomDocument returns a document for [Options], with one of n keys.
func RandomDocument(r *rand.Rand, n int) index.Document {
	d := index.Document{Key: randomKey(r, n)}
	add := func(name string, v any) { d.Fields = append(d.Fields, index.Field{Name: name, Value: v}) }
	if r.IntN(8) > 0 {
		add("title", sentence(r, 4))
	}
	switch r.IntN(8) {
	case 0:
	case 1:
		add("body", []string{sentence(r, 6), sentence(r, 6), sentence(r, 6)})
	default:
		add("body", sentence(r, 40))
	}
	if r.IntN(3) == 0 {
		add("text", sentence(r, 20))
	}
	if r.IntN(3) == 0 {
		add("short", sentence(r, 20))
	}
	if r.IntN(3) == 0 {
		add("same", sentence(r, 20))
	}
	if r.IntN(3) == 0 {
		add("aside", sentence(r, 10))
	}
	if r.IntN(3) > 0 {
		add("tag", []string{tags[r.IntN(len(tags))], tags[r.IntN(len(tags))]})
	}
	add("note", sentence(r, 3))
	addColumns(r, add)
	return d
}

// RandomQuery returns a query that nests at most depth deep, over the fields of
// [Options] and now and then over one that is not there.
func RandomQuery(r *rand.Rand, depth int) query.Query {
	if depth > 0 && r.IntN(3) > 0 {
		switch r.IntN(8) {
		case 0, 1, 2:
			return query.And(members(r, depth-1))
		case 3, 4, 5:
			return query.Or(members(r, depth-1))
		case 6:
			switch r.IntN(4) {
			case 0:
				return query.AtLeast{N: r.IntN(5), Of: members(r, depth-1)}
			case 1:
				return query.AtLeast{N: 2, Of: append(members(r, depth-1), leaf(r), leaf(r), leaf(r))}
			case 2:
				return query.Constant{Query: RandomQuery(r, depth-1), Score: []float64{0, 0.5, 3}[r.IntN(3)]}
			}
			return query.Not{Query: RandomQuery(r, depth-1)}
		default:
			return query.Boost{Query: RandomQuery(r, depth-1), By: []float64{0, 0.1, 0.5, 2, 3}[r.IntN(5)]}
		}
	}
	return leaf(r)
}

func members(r *rand.Rand, depth int) (qs []query.Query) {
	for range r.IntN(4) + r.IntN(2) {
		qs = append(qs, RandomQuery(r, depth))
	}
	if len(qs) > 0 && r.IntN(4) == 0 {
		qs = append(qs, qs[r.IntN(len(qs))])
	}
	return qs
}

func leaf(r *rand.Rand) query.Query {
	if r.IntN(6) == 0 {
		return columnLeaf(r)
	}
	field := []string{"", "", "", "", "title", "body", "body", "text", "short", "same", "aside", "tag", "note", "nowhere"}[r.IntN(14)]
	if field == "tag" {
		return []query.Query{
			query.Match{Field: field, Text: tags[r.IntN(len(tags))]},
			query.Term{Field: field, Text: tags[r.IntN(len(tags))]},
			query.Phrase{Field: field, Text: tags[r.IntN(len(tags))]},
			query.Prefix{Field: field, Text: beginning(r, tags[r.IntN(len(tags))])},
			query.Fuzzy{Field: field, Text: misspelt(r, tags[r.IntN(len(tags))]), Distance: r.IntN(3), Prefix: max(0, r.IntN(5)-2)},
			query.Wildcard{Field: field, Pattern: holed(r, tags[r.IntN(len(tags))])},
			query.Regexp{Field: field, Pattern: expressions[r.IntN(len(expressions))]},
		}[r.IntN(7)]
	}
	switch r.IntN(22) {
	case 0:
		return query.All{}
	case 1:
		return query.None{}
	case 2, 3:
		return query.Term{Field: field, Text: strings.ToLower(word(r))}
	case 4, 5, 6:
		return query.Phrase{Field: field, Text: word(r) + " " + word(r), Slop: max(0, r.IntN(8)-4)}
	case 7:
		return query.Phrase{Field: field, Text: word(r) + " " + word(r) + " " + word(r), Slop: r.IntN(6)}
	case 8, 9:
		return query.Prefix{Field: field, Text: beginning(r, word(r))}
	case 10:
		return query.Prefix{Field: field, Text: word(r) + " " + beginning(r, word(r))}
	case 11:
		return query.Match{Field: field, Text: word(r) + " " + word(r)}
	}
	if q := pattern(r, field); q != nil {
		return q
	}
	return query.Match{Field: field, Text: word(r)}
}

var expressions = []string{"", "[a-f].*", "(the|of|vac.*)", ".", "[一-龥]+", "GO?", ".*[^n]", "C\\+\\+|d.*t", "(?:two )?words"}

// pattern returns a query that stands for several terms, now and then.
func pattern(r *rand.Rand, field string) query.Query {
	switch r.IntN(16) {
	case 0, 1:
		return query.Wildcard{Field: field, Pattern: holed(r, word(r))}
	case 2:
		return query.Regexp{Field: field, Pattern: expressions[r.IntN(len(expressions))]}
	case 3, 4, 5:
		return query.Fuzzy{Field: field, Text: misspelt(r, word(r)), Distance: r.IntN(4), Prefix: max(0, r.IntN(5)-2)}
	case 6:
		return query.Like{Field: field, Key: randomKey(r, 60), Words: r.IntN(6)}
	}
	return nil
}

// holed puts a wildcard into s, in place of a rune or two.
func holed(r *rand.Rand, s string) string {
	runes := []rune(s)
	i := r.IntN(len(runes))
	return string(runes[:i]) + []string{"*", "?", "*?"}[r.IntN(3)] + string(runes[min(len(runes), i+r.IntN(3)):])
}

// misspelt changes a rune of s, or two.
func misspelt(r *rand.Rand, s string) string {
	runes := []rune(s)
	switch i := r.IntN(len(runes)); r.IntN(4) {
	case 0:
		return string(runes[:i]) + "x" + string(runes[i:])
	case 1:
		return string(runes[:i]) + string(runes[i+1:])
	case 2:
		j := min(i+1, len(runes)-1)
		runes[i], runes[j] = runes[j], runes[i]
	}
	return string(runes)
}

// beginning returns one rune of s or more.
func beginning(r *rand.Rand, s string) string {
	runes := []rune(s)
	return string(runes[:1+r.IntN(len(runes))])
}
