package indextest

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// evaluation is one search over all documents.
type evaluation struct {
	*Twin
	docs     []document
	schema   index.Schema // with the weights of the search
	scorer   rank.Scorer
	expander query.Expander
	effort   index.Effort
	typos    query.Typos
	silent   int          // more than 0: scores do not matter
	over     *combination // nil: fields are scored by themselves
	blended  int          // documents with the most frequent of the terms that stand for a word; 0: each by its own
	warnings map[query.WarningKind]bool
}

// answer says of each document whether it matches, and its score.
type answer struct {
	match []bool
	score []float64
}

func (e *evaluation) nothing() *answer {
	return &answer{make([]bool, len(e.docs)), make([]float64, len(e.docs))}
}

// query answers q; nil means that q asks for nothing, as "--" does.
func (e *evaluation) query(q query.Query) *answer {
	if a, ok := e.numeric(q); ok {
		return a
	}
	switch q := q.(type) {
	case query.Range:
		return e.ranged(q)
	case query.Exists:
		return e.exists(q.Field)
	case query.All:
		return e.not(e.nothing())
	case query.None:
		return e.nothing()
	case query.Term:
		return e.leaf(q.Field, func(index.FieldType) []place { return []place{{terms: []string{q.Text}}} }, 0)
	case query.Match:
		return e.match(q)
	case query.Phrase:
		return e.leaf(q.Field, func(f index.FieldType) []place { return e.places(f, q.Text) }, q.Slop)
	case query.Prefix:
		return e.leaf(q.Field, func(f index.FieldType) []place { return e.beginnings(f, e.places(f, q.Text)) }, 0)
	case query.Wildcard, query.Regexp, query.Fuzzy:
		return e.pattern(q)
	case query.Like:
		return e.like(q)
	case query.AtLeast:
		return e.atLeast(q)
	case query.Constant:
		a := e.scored(false, q.Query)
		if a == nil {
			return nil
		}
		for i, m := range a.match {
			if m {
				a.score[i] = q.Score
			}
		}
		return a
	case query.And:
		if len(q) == 0 {
			return e.query(query.All{})
		}
		return e.and(q)
	case query.Or:
		if len(q) == 0 {
			return e.query(query.None{})
		}
		cut := e.warnings[query.WarnTermsCut]
		a := e.combine(q, func(matching, _ int) bool { return matching > 0 })
		if e.silent > 0 && slices.Contains(q, query.Query(query.All{})) && !cut {
			delete(e.warnings, query.WarnTermsCut) // nothing is missing: all documents match
		}
		return a
	case query.Not:
		if a := e.scored(false, q.Query); a != nil {
			return e.not(a)
		}
		return nil
	case query.Boost:
		return e.combine([]query.Query{q}, func(matching, _ int) bool { return matching > 0 })
	}
	panic("unknown query")
}

// scored answers a query whose scores matter, or not.
func (e *evaluation) scored(matter bool, q query.Query) *answer {
	if !matter {
		e.silent++
		defer func() { e.silent-- }()
	}
	return e.query(q)
}

// and wants all members. Of members that search for something at least one has to ask
// for something; else what is preferred is searched for, and without that nothing is.
func (e *evaluation) and(members []query.Query) *answer {
	var rest []query.Query
	dropped, prefers := false, false
	for _, q := range members {
		of := unboosted(q)
		or, _ := of.query.(query.Or)
		star := slices.Index(or, query.Query(query.All{}))
		switch {
		case star >= 0:
			prefers = true
			var without query.Or
			for _, alternative := range or {
				if alternative != query.Query(query.All{}) {
					without = append(without, alternative)
				}
			}
			rest = append(rest, query.Boost{Query: without, By: of.by})
		case !leavesIn(of.query):
			if e.query(of.query) != nil {
				return e.combine(members, func(matching, asking int) bool { return matching == asking })
			}
			dropped = true
		case of.query != query.Query(query.All{}):
			rest = append(rest, q)
		}
	}
	if !dropped {
		return e.combine(members, func(matching, asking int) bool { return matching == asking })
	}
	for _, q := range members {
		e.query(q) // for what it warns of
	}
	if !prefers {
		return nil
	}
	return e.and(rest)
}

// leavesIn reports whether q says only what a document must not hold.
func leavesIn(q query.Query) bool {
	switch q := q.(type) {
	case query.Boost:
		return leavesIn(q.Query)
	case query.Constant:
		return leavesIn(q.Query)
	case query.All, query.Not:
		return true
	case query.Or:
		return slices.Contains(q, query.Query(query.All{}))
	case query.And:
		for _, m := range q {
			if !leavesIn(m) {
				return false
			}
		}
		return true
	}
	return false
}

func (e *evaluation) not(a *answer) *answer {
	out := e.nothing()
	for i, m := range a.match {
		out.match[i] = !m
	}
	return out
}

// member is a query without its boosts.
type member struct {
	query query.Query
	by    float64
}

func unboosted(q query.Query) member {
	m := member{q, 1}
	for {
		b, ok := m.query.(query.Boost)
		if !ok {
			return m
		}
		m = member{b.Query, m.by * b.By}
	}
}

// merged takes the boosts off qs, and adds up those of equal members.
func merged(qs []query.Query) (out []member) {
	at := map[string]int{}
	for _, q := range qs {
		m := unboosted(q)
		if i, ok := at[m.query.String()]; ok {
			out[i].by += m.by
			continue
		}
		at[m.query.String()] = len(out)
		out = append(out, m)
	}
	return out
}

// combine sums the scores of the members that match, from left to right.
func (e *evaluation) combine(qs []query.Query, wanted func(matching, asking int) bool) *answer {
	sum, asking, matching := e.nothing(), 0, make([]int, len(e.docs))
	for _, m := range merged(qs) {
		a := e.scored(m.by != 0, m.query)
		if a == nil {
			continue
		}
		asking++
		for i := range e.docs {
			if a.match[i] {
				matching[i]++
				sum.score[i] += m.by * a.score[i]
			}
		}
	}
	if asking == 0 {
		return nil
	}
	for i := range e.docs {
		if sum.match[i] = wanted(matching[i], asking); !sum.match[i] {
			sum.score[i] = 0
		}
	}
	return sum
}

// match wants all words of q.
func (e *evaluation) match(q query.Match) *answer {
	f, _ := e.schema.Field(q.Field)
	words := strings.Fields(q.Text)
	if f.Kind == index.Keyword {
		words = []string{q.Text}
	}
	if len(words) > 1 {
		var and query.And
		for _, w := range words {
			and = append(and, query.Match{Field: q.Field, Text: w})
		}
		return e.query(and)
	}
	text := strings.Join(words, "")
	for _, f := range e.searched(q.Field) {
		if f.Kind != index.Text {
			continue
		}
		if pieces := analysis.Pieces(e.analyzer(f), text); pieces != nil {
			some := query.AtLeast{N: analysis.LeastPieces(len(pieces))}
			for _, piece := range pieces {
				some.Of = append(some.Of, query.Match{Field: q.Field, Text: piece})
			}
			return e.query(query.Or{some, query.Phrase{Field: q.Field, Text: text}})
		}
	}
	if f.Kind != index.Text {
		return e.leaf(q.Field, func(f index.FieldType) []place { return e.places(f, text) }, 0)
	}
	best := e.asWritten(q, text)
	if best == nil {
		return best
	}
	for _, f := range e.searched(q.Field) {
		if f.Kind != index.Text {
			continue
		}
		variants := analysis.Variants(e.analyzer(f), text)
		exact := analysis.Exact(e.analyzer(f), text)
		if exact != "" {
			if other := e.leaf(q.Field, func(index.FieldType) []place { return []place{{terms: []string{exact}}} }, 0); other != nil {
				best.improve(other, analysis.ExactWeight)
			}
		}
		for _, v := range variants {
			if other := e.leaf(q.Field, func(f index.FieldType) []place { return e.places(f, v) }, 0); other != nil {
				best.improve(other, 1)
			}
		}
		if variants != nil || exact != "" {
			break
		}
	}
	return best
}

// asWritten answers a word in the one way in which it is written.
func (e *evaluation) asWritten(q query.Match, text string) *answer {
	near, forgiven := e.forgiven(q.Field, text)
	if !forgiven || e.expander != nil {
		a := e.word(q, text)
		if a == nil || !forgiven {
			return a
		}
		if also := e.query(near); also != nil {
			a.improve(also, 1)
		}
		return a
	}
	return e.query(near)
}

// forgiven is what a word becomes whose typing errors are forgiven.
func (e *evaluation) forgiven(field, word string) (query.Fuzzy, bool) {
	letters, one, two := 0, cmp.Or(e.typos.One, 4), cmp.Or(e.typos.Two, 8)
	for _, r := range word {
		if letters++; !unicode.In(r, unicode.L, unicode.M) {
			return query.Fuzzy{}, false
		}
	}
	q := query.Fuzzy{Field: field, Text: word}
	if one > 0 && letters >= one {
		q.Distance = 1
	}
	if two > 0 && letters >= two {
		q.Distance = 2
	}
	if !e.typos.FirstLetter {
		q.Prefix = 1
	}
	return q, e.typos.Forgive && letters > 0 && q.Distance > 0
}

// word answers a word of a Match with what the Expander makes of it.
func (e *evaluation) word(q query.Match, text string) *answer {
	if c, ok := e.combiner(q.Field); ok && e.expander != nil {
		return e.across(c, q.Field, text)
	}
	if e.expander != nil {
		return e.fields(q.Field, func(f index.FieldType) *answer { return e.expanded(f, text) })
	}
	return e.leaf(q.Field, func(f index.FieldType) []place { return e.places(f, text) }, 0)
}

// expanded answers a word of one term by all that may stand for it.
func (e *evaluation) expanded(f index.FieldType, word string) *answer {
	places := e.places(f, word)
	if len(places) != 1 || len(places[0].terms) != 1 || f.Kind != index.Text {
		return e.together(f, places, 0)
	}
	term := places[0].terms[0]
	weights, terms := map[string]float64{term: 1}, []string{term}
	for other, weight := range e.expander.Expand(term) {
		if other == term {
			continue
		}
		if weights[other] == 0 {
			terms = append(terms, other)
		}
		weights[other] += weight
	}
	for _, t := range terms {
		e.blended = max(e.blended, e.stats(f, place{terms: []string{t}}).DocFreq)
	}
	defer func() { e.blended = 0 }()
	best := e.nothing()
	for _, t := range terms {
		best.improve(e.together(f, []place{{terms: []string{t}}}, 0), weights[t])
	}
	return best
}

// improve takes over what matches in another answer, with the greater of the scores.
func (a *answer) improve(other *answer, by float64) {
	for i, m := range other.match {
		if m {
			a.match[i] = true
			a.score[i] = max(a.score[i], by*other.score[i])
		}
	}
}

// leaf wants the places that a text has in a field, together.
func (e *evaluation) leaf(field string, places func(index.FieldType) []place, slop int) *answer {
	return e.fields(field, func(f index.FieldType) *answer { return e.together(f, places(f), slop) })
}

// combiner returns the scorer of a leaf if that scores once over its fields.
func (e *evaluation) combiner(field string) (rank.Combiner, bool) {
	c, ok := e.scorer.(rank.Combiner)
	fields := e.searched(field)
	return c, ok && len(fields) > 0 && (len(fields) != 1 || fields[0].Weight != 1)
}

// fields sums what the named field answers, or all Text fields by weight.
func (e *evaluation) fields(name string, in func(index.FieldType) *answer) *answer {
	if c, ok := e.combiner(name); ok {
		return e.combined(c, e.searched(name), in)
	}
	if name != "" {
		f, ok := e.schema.Field(name)
		if !ok || f.Kind == index.StoredOnly {
			e.warnField(ok)
			return e.nothing()
		}
		return in(f)
	}
	sum, asks := e.nothing(), false
	for _, f := range e.schema {
		if f.Kind != index.Text || f.NamedOnly {
			continue
		}
		a := in(f)
		if a == nil {
			continue
		}
		asks = true
		for i := range e.docs {
			if a.match[i] {
				sum.match[i] = true
				sum.score[i] += cmp.Or(f.Weight, 1) * a.score[i]
			}
		}
	}
	if !asks {
		return nil
	}
	return sum
}

// places analyses query text as a field does.
func (e *evaluation) places(f index.FieldType, text string) (places []place) {
	if f.Kind == index.Keyword {
		return []place{{terms: []string{text}}}
	}
	for _, s := range analysis.Slots(e.analyzer(f), text) {
		places = append(places, place{s.Terms, s.Pos})
	}
	return places
}

// beginnings makes the last place hold all terms of f that begin with one of
// its terms.
func (e *evaluation) beginnings(f index.FieldType, places []place) []place {
	if len(places) == 0 {
		return nil
	}
	last := &places[len(places)-1]
	known := map[string]bool{}
	var terms []string
	for _, d := range e.docs {
		for _, t := range d.tokens[f.Name] {
			for _, p := range last.terms {
				if strings.HasPrefix(t.Text, p) && !known[t.Text] {
					known[t.Text] = true
					terms = append(terms, t.Text)
				}
			}
		}
	}
	last.terms = terms
	return places
}

func (e *evaluation) warn(kind query.WarningKind) { e.warnings[kind] = true }

// warnField warns of a field that is not in the schema, or cannot do what is asked.
func (e *evaluation) warnField(known bool) {
	if known {
		e.warn(query.WarnUnfitField)
	} else {
		e.warn(query.WarnUnknownField)
	}
}
