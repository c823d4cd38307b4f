package index

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/internal/postings"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// planner turns a query into a plan: which lists of which segments it needs,
// and what its words score. A nil plan asks for nothing: it is left out of the
// And or Or it is in.
type planner struct {
	ix        *Index
	run       *run
	commit    *commit
	schema    Schema
	languages []string // in which analyzers work that go by them
	analyzers map[string]analysis.Analyzer
	scorer    rank.Scorer
	needs     rank.Needs // of the scorer
	expander  query.Expander
	typos     query.Typos
	fields    map[string]*fieldPlan // that were asked for
	told      *TermStats            // where the statistics are told; nil: nowhere
	global    *TermStats            // the statistics of all shards; nil: this is all
	effort    Effort
	columns   map[string]*columnPlan
	warnings  []query.Warning
	warned    int         // how often there was a warning, the same ones too
	silent    int         // more than 0: scores do not matter here
	counting  bool        // scores do not matter at all: only matches are counted
	across    bool        // the leaf that is planned scores once over all its fields,
	form      int         // of the phrases that its text may stand for by this one,
	moreForms bool        // which is not the last
	unopened  int         // more than 0: whatever is planned here is not searched
	numbers   map[any]int // see identity
	lists     map[listKey]int
}

// plan is a query in terms of a commit. It opens a walk over a segment.
type plan interface {
	open(r *run, view int) walk
}

func (p *planner) plan(q query.Query) (plan, error) {
	if p.run.spend(lookUp) {
		return nil, p.run.err
	}
	switch q := q.(type) {
	case query.All:
		return allPlan{p.commit}, nil
	case query.None:
		return nonePlan{}, nil
	case query.Term:
		return p.textLeaf(q.Field, q.Text, func(f *fieldPlan) (plan, error) { return p.term(f, q.Text) })
	case query.Match:
		return p.match(q)
	case query.Phrase:
		return p.textLeaf(q.Field, q.Text, func(f *fieldPlan) (plan, error) { return p.phrase(f, q.Text, q.Slop, false) })
	case query.Prefix:
		return p.patternLeaf(q.Field, func(f *fieldPlan) (plan, error) { return p.phrase(f, q.Text, 0, true) })
	case query.And:
		return p.and(q)
	case query.Or:
		return p.or(q)
	case query.Wildcard:
		return p.patternLeaf(q.Field, func(f *fieldPlan) (plan, error) { return p.wildcard(f, q.Pattern) })
	case query.Regexp:
		return p.patternLeaf(q.Field, func(f *fieldPlan) (plan, error) { return p.regexp(f, q.Pattern) })
	case query.Fuzzy:
		return p.fuzzy(q)
	case query.Range:
		return p.ranged(q)
	case query.Exists:
		return p.exists(q.Field)
	case query.Like:
		return p.like(q)
	case query.AtLeast:
		return p.atLeast(q)
	case together:
		return p.together(q)
	case separate:
		return p.all(q.And)
	case query.Constant:
		of, err := p.unscored(q.Query)
		if of == nil || err != nil {
			return nil, err
		}
		return constantPlan{of, q.Score}, nil
	case query.Not:
		of, err := p.unscored(q.Query)
		if of == nil || err != nil {
			return nil, err
		}
		return notPlan{p.commit, of}, nil
	case query.Boost:
		inner, by := unboosted(q)
		plan := p.plan
		if by == 0 {
			plan = p.unscored
		}
		of, err := plan(inner)
		if of == nil || err != nil {
			return nil, err
		}
		return boosted(of, by), nil
	}
	return nil, &query.Error{Pos: -1, Msg: fmt.Sprintf("%T is no query", q)}
}

// unscored plans a query whose scores do not matter.
func (p *planner) unscored(q query.Query) (plan, error) {
	p.silent++
	defer func() { p.silent-- }()
	if p.silent == 1 && p.filtering(q) {
		return p.filter(q)
	}
	return p.plan(q)
}

func (p *planner) and(members []query.Query) (plan, error) {
	if len(members) == 0 {
		return allPlan{p.commit}, nil
	}
	return p.all(p.joined(members))
}

// all plans an And as it is. When nothing is left of what its members search for, it
// does not match whatever else they leave in: what is preferred is then searched for,
// and without that it asks for nothing.
func (p *planner) all(members []query.Query) (plan, error) {
	left, plans, err := p.members(members)
	if err == nil && slices.ContainsFunc(members, searches) && !slices.ContainsFunc(left, searches) {
		if left = preferred(left); left == nil {
			return nil, nil
		}
		return p.all(left)
	}
	switch {
	case err != nil || len(plans) == 0:
		return nil, err
	case len(plans) == 1:
		return plans[0], nil
	}
	return andPlan(plans), nil
}

// scoreless reports whether what is planned needs no scores.
func (p *planner) scoreless() bool { return p.silent > 0 || p.counting }

func (p *planner) or(members []query.Query) (plan, error) {
	if len(members) == 0 {
		return nonePlan{}, nil
	}
	if p.scoreless() && slices.Contains(members, query.Query(query.All{})) {
		// The others only add to scores. They are planned for their errors and warnings.
		p.unopened++
		defer func() { p.unopened-- }()
		if _, _, err := p.members(members); err != nil {
			return nil, err
		}
		return allPlan{p.commit}, nil
	}
	_, plans, err := p.members(p.alsoJoined(members))
	return anyOf(p.quiet(plans)), err
}

// members plans the members of an And or Or. Equal ones are planned once, with
// the sum of their boosts; those that ask for nothing are left out.
func (p *planner) members(members []query.Query) (left []query.Query, plans []plan, err error) {
	once := make([]query.Boost, 0, len(members))
	known := make(map[int]int, len(members))
	for _, q := range members {
		if p.run.spend(lookUp) {
			return nil, nil, p.run.err
		}
		of, by := unboosted(q)
		same := p.identity(of)
		if i, ok := known[same]; ok {
			once[i].By += by
			continue
		}
		known[same] = len(once)
		once = append(once, query.Boost{Query: of, By: by})
	}
	left, plans = make([]query.Query, 0, len(once)), make([]plan, 0, len(once))
	for _, q := range once {
		pl, err := p.plan(q)
		if err != nil {
			return nil, nil, err
		}
		if pl != nil {
			left, plans = append(left, q), append(plans, pl)
		}
	}
	return left, plans, nil
}

// searches reports whether a member of an And says what a document has to hold, and
// not only what it must not, or what is preferred.
func searches(q query.Query) bool {
	switch q := q.(type) {
	case query.Boost:
		return searches(q.Query)
	case query.Constant:
		return searches(q.Query)
	case query.All, query.Not:
		return false
	case query.And:
		return slices.ContainsFunc(q, searches)
	case query.Or:
		return !slices.Contains(q, query.Query(query.All{}))
	}
	return true
}

// preferred returns the members of an And with each (* OR a b) as (a OR b); nil when
// there is none.
func preferred(members []query.Query) (out []query.Query) {
	found := false
	for _, q := range members {
		of, by := unboosted(q)
		if or, ok := of.(query.Or); ok {
			q, found = query.Boost{Query: query.Or(slices.DeleteFunc(slices.Clone(or), func(q query.Query) bool { return q == query.Query(query.All{}) })), By: by}, true
		}
		if of != query.Query(query.All{}) {
			out = append(out, q)
		}
	}
	if !found {
		return nil
	}
	return out
}

// identity numbers queries: equal ones have the same number, and so has an And or an Or
// of one member and that member. Lists that were numbered are not looked at again, so that
// a nested query costs no more than it is long.
func (p *planner) identity(q query.Query) int {
	head, members := query.Split(q)
	switch q := q.(type) {
	case query.And:
		switch len(q) {
		case 0:
			return p.number(query.All{})
		case 1:
			return p.identity(q[0])
		}
	case query.Or:
		switch len(q) {
		case 0:
			return p.number(query.None{})
		case 1:
			return p.identity(q[0])
		}
	case query.AtLeast:
		if len(q.Of) == 0 {
			return p.number(query.None{})
		}
	case separate:
		head = "separate"
	case together:
		head = q
	}
	if len(members) == 0 {
		return p.number(head)
	}
	return p.listIdentity(head, members)
}

func (p *planner) number(of any) int {
	n, ok := p.numbers[of]
	if !ok {
		n = len(p.numbers)
		p.numbers[of] = n
	}
	return n
}

// listKey is a list of members by where it is in memory.
type listKey struct {
	head  any
	first *query.Query
	n     int
}

// listOf is a list of members by their numbers, behind that of its head.
type listOf string

func (p *planner) listIdentity(head any, members []query.Query) int {
	key := listKey{head, &members[0], len(members)}
	if n, ok := p.lists[key]; ok {
		return n
	}
	b := binary.AppendUvarint(nil, uint64(p.number(head)))
	for _, m := range members {
		b = binary.AppendUvarint(b, uint64(p.identity(m)))
	}
	n := p.number(listOf(b))
	p.lists[key] = n
	return n
}

// unboosted takes the boosts off a query.
func unboosted(q query.Query) (of query.Query, by float64) {
	by = 1
	for {
		b, ok := q.(query.Boost)
		if !ok {
			return q, by
		}
		q, by = b.Query, min(by*b.By, math.MaxFloat64)
	}
}

// leaf plans a leaf for its field, or for all that are searched when none is named.
func (p *planner) leaf(name string, of func(*fieldPlan) (plan, error)) (plan, error) {
	fields, ok := p.searched(name)
	if !ok {
		return nonePlan{}, nil
	}
	if by, ok := p.combiner(fields); ok {
		return p.overForms(func() (plan, error) { return p.combine(by, fields, of) })
	}
	var plans []plan
	for _, t := range fields {
		f, err := p.field(t)
		if err != nil {
			return nil, err
		}
		pl, err := of(f)
		if err != nil {
			return nil, err
		}
		if pl != nil {
			plans = append(plans, boosted(pl, t.Weight))
		}
	}
	return anyOf(plans), nil
}

// searched lists the fields of a leaf, with the weights that they have there;
// false: the field that it names is not searched.
func (p *planner) searched(name string) (fields []FieldType, ok bool) {
	if name == "" {
		for _, t := range p.schema {
			if t.unnamed() {
				fields = append(fields, t)
			}
		}
		return fields, true
	}
	t, ok := p.schema.Field(name)
	if !ok || t.Kind == StoredOnly {
		p.warnField(name, ok)
		return nil, false
	}
	t.Weight = 1
	return []FieldType{t}, true
}

// combiner returns the scorer of a leaf if that scores once over its fields. In one
// field of weight 1 a word scores by [rank.Scorer.Term].
func (p *planner) combiner(fields []FieldType) (rank.Combiner, bool) {
	by, ok := p.scorer.(rank.Combiner)
	return by, ok && (len(fields) != 1 || fields[0].Weight != 1)
}

// anyOf is the Or of plans; nil of none.
func anyOf(plans []plan) plan {
	switch len(plans) {
	case 0:
		return nil
	case 1:
		return plans[0]
	}
	return orPlan(plans)
}

func (p *planner) warn(kind query.WarningKind, field, format string, args ...any) {
	p.warned++
	if w := (query.Warning{Kind: kind, Field: field, Text: fmt.Sprintf(format, args...)}); !slices.Contains(p.warnings, w) {
		p.warnings = append(p.warnings, w)
	}
}

// warnField warns of a field that is not in the schema, or is only stored.
func (p *planner) warnField(name string, known bool) {
	if known {
		p.warn(query.WarnUnfitField, name, "field %s is not searched: it is only stored", name)
		return
	}
	p.warn(query.WarnUnknownField, name, "field %s is not searched: there is none", name)
}

func (p *planner) wordPlan(w *word) *wordPlan { return &wordPlan{w, p.commit} }

// term plans a term as it is.
func (p *planner) term(f *fieldPlan, text string) (plan, error) {
	w, err := p.exact(f, []string{text})
	if err != nil {
		return nil, err
	}
	return p.wordPlan(w), nil
}

// match plans a Match: all its words.
func (p *planner) match(q query.Match) (plan, error) {
	if t, _ := p.schema.Field(q.Field); t.Kind == Keyword || t.Kind >= Integer {
		return p.textLeaf(q.Field, q.Text, func(f *fieldPlan) (plan, error) { return p.term(f, q.Text) })
	}
	words := strings.Fields(q.Text)
	if len(words) == 1 {
		if pieces := p.pieces(q.Field, words[0]); pieces != nil {
			return p.or([]query.Query{pieces, query.Phrase{Field: q.Field, Text: words[0]}})
		}
	}
	if len(words) == 1 {
		return p.matchVariants(q.Field, words[0])
	}
	var all query.And
	for _, w := range words {
		all = append(all, query.Match{Field: q.Field, Text: w})
	}
	if all == nil {
		return nil, nil
	}
	return p.and(all)
}

// matchVariants plans a word of a Match in each way in which it may be written, and with
// its accents where these count. It scores as the best of them.
func (p *planner) matchVariants(field, word string) (plan, error) {
	pl, err := p.oneWord(field, word)
	if err != nil || pl == nil {
		return nil, err
	}
	plans := []plan{pl}
	for _, f := range p.schema {
		a := p.analyzers[f.Analyzer]
		if f.Kind != Text || field != "" && field != f.Name || a == nil {
			continue
		}
		also := 0
		add := func(pl plan, err error) error {
			if pl != nil && (p.unopened > 0 || !never(pl)) {
				plans = append(plans, pl)
			}
			also++
			return err
		}
		if exact := analysis.Exact(a, word); exact != "" {
			pl, err := p.leaf(field, func(f *fieldPlan) (plan, error) { return p.term(f, exact) })
			if pl != nil {
				pl = boosted(pl, analysis.ExactWeight)
			}
			if err := add(pl, err); err != nil {
				return nil, err
			}
		}
		for _, v := range analysis.Variants(a, word) {
			if err := add(p.leaf(field, func(f *fieldPlan) (plan, error) { return p.phrase(f, v, 0, false) })); err != nil {
				return nil, err
			}
		}
		if also > 0 {
			return p.bestOf(plans), nil
		}
	}
	return pl, nil
}

// never reports whether a leaf surely matches nothing: a word that it needs is nowhere.
func never(pl plan) bool {
	absent := func(w *word) bool {
		return !slices.ContainsFunc(w.entries, func(of []postings.Entry) bool { return len(of) > 0 })
	}
	switch pl := pl.(type) {
	case *wordPlan:
		return absent(pl.word)
	case *phrasePlan:
		return slices.ContainsFunc(pl.words, absent)
	case boostPlan:
		return never(pl.of)
	case *combinedPlan:
		return never(pl.of)
	case orPlan:
		return !slices.ContainsFunc(pl, func(of plan) bool { return !never(of) })
	}
	return false
}

// oneWord plans a word of a Match as it is written.
func (p *planner) oneWord(field, text string) (plan, error) {
	near, forgiven := p.typos.Fuzzy(query.Match{Field: field, Text: text})
	if forgiven && p.expander == nil {
		return p.fuzzy(near)
	}
	of, err := p.expandedWord(field, text)
	if err != nil || of == nil || !forgiven {
		return of, err
	}
	other, err := p.fuzzy(near)
	if err != nil || other == nil {
		return of, err
	}
	return p.bestOf([]plan{of, other}), nil
}

// expandedWord plans a word with what the Expander makes of it.
func (p *planner) expandedWord(field, text string) (plan, error) {
	if p.expander != nil {
		fields, ok := p.searched(field)
		if by, across := p.combiner(fields); ok && across {
			return p.matchAcross(by, field, text)
		}
	}
	return p.leaf(field, func(f *fieldPlan) (plan, error) { return p.matchWord(f, text) })
}

// pieces returns the query for some of the pieces of a word, by the first of the fields
// that takes it apart; nil: none does. Where they stand in a row they score as a phrase
// besides.
func (p *planner) pieces(field, word string) query.Query {
	for _, f := range p.schema {
		a := p.analyzers[f.Analyzer]
		if !f.searchedBy(field) || a == nil {
			continue
		}
		pieces := analysis.Pieces(a, word)
		if pieces == nil {
			continue
		}
		some := query.AtLeast{N: analysis.LeastPieces(len(pieces))}
		for _, piece := range pieces {
			some.Of = append(some.Of, query.Match{Field: field, Text: piece})
		}
		return some
	}
	return nil
}

// matchWord plans one word of a Match. A word that is a single term matches as
// what the expander makes of it.
func (p *planner) matchWord(f *fieldPlan, text string) (plan, error) {
	forms, err := p.forms(f, text)
	if err != nil {
		return nil, err
	}
	if len(forms) == 0 {
		return nil, nil
	}
	slots := forms[0]
	if p.expander == nil || len(forms) > 1 || len(slots) != 1 || len(slots[0].Terms) != 1 {
		return p.anyForm(f, forms, 0, false)
	}
	or, err := p.alternatives(slots[0].Terms[0])
	if err != nil {
		return nil, err
	}
	words := make([]*word, len(or))
	for i, a := range or {
		if words[i], err = p.exact(f, []string{a.term}); err != nil {
			return nil, err
		}
	}
	p.blend(words)
	plans := make([]plan, len(or))
	for i, w := range words {
		plans[i] = boosted(p.wordPlan(w), or[i].weight)
	}
	return p.bestOf(plans), nil
}

// bestOf plans what any of the terms that stand for a word matches.
func (p *planner) bestOf(plans []plan) plan {
	if plans = p.quiet(plans); len(plans) > 1 && p.silent == 0 {
		return bestPlan{plans}
	}
	return anyOf(plans)
}

// blend gives terms that stand for one word the statistics of the most frequent of
// them. By its own a rare one would score the more the less it is what was meant.
func (p *planner) blend(words []*word) {
	most := 0
	for _, w := range words {
		most = max(most, w.stats.DocFreq)
	}
	for _, w := range words {
		w.stats.DocFreq, w.stats.CollFreq = most, 0
		p.scored(w)
	}
}

// alternatives lists the terms that may stand for a term, itself first.
func (p *planner) alternatives(term string) ([]alternative, error) {
	any := []alternative{{term: term, weight: 1}}
	for other, weight := range p.expander.Expand(term) {
		i := slices.IndexFunc(any, func(a alternative) bool { return a.term == other })
		switch {
		case i < 0:
			any = append(any, alternative{term: other, weight: weight})
		case i > 0:
			any[i].weight += weight
		}
		if err := query.Check(query.Boost{Query: query.All{}, By: weight}); err != nil {
			return nil, fmt.Errorf("expander, for %q: %w", term, err)
		}
	}
	return any, nil
}

// phrase plans a Phrase or Prefix.
func (p *planner) phrase(f *fieldPlan, text string, slop int, prefix bool) (plan, error) {
	if f.Kind == Keyword {
		return p.slots(f, []analysis.Slot{{Terms: []string{text}}}, 0, prefix)
	}
	forms, err := p.forms(f, text)
	if err != nil {
		return nil, err
	}
	return p.anyForm(f, forms, slop, prefix)
}

// anyForm plans phrases of which any will do.
func (p *planner) anyForm(f *fieldPlan, forms [][]analysis.Slot, slop int, prefix bool) (plan, error) {
	var plans []plan
	for _, slots := range forms {
		pl, err := p.slots(f, slots, slop, prefix)
		if err != nil {
			return nil, err
		}
		if pl != nil {
			plans = append(plans, pl)
		}
	}
	return anyOf(plans), nil
}

// forms are the phrases that a text may stand for. Where the leaf scores once over its fields
// they are planned one after the other, see [planner.overForms].
func (p *planner) forms(f *fieldPlan, text string) ([][]analysis.Slot, error) {
	if err := (Schema{f.FieldType}).checkAnalyzers(p.analyzers); err != nil {
		return nil, err
	}
	all := analysis.Phrases(p.analyzers[f.Analyzer], text)
	if !p.across {
		return all, nil
	}
	p.moreForms = p.moreForms || p.form+1 < len(all)
	return all[min(p.form, len(all)):min(p.form+1, len(all))], nil
}

// analyse analyses the text of a query. The analyzer may be unknown when a
// writer of another process has added the field.
func (p *planner) analyse(f *fieldPlan, text string) ([]analysis.Slot, error) {
	if err := (Schema{f.FieldType}).checkAnalyzers(p.analyzers); err != nil {
		return nil, err
	}
	return analysis.Slots(p.analyzers[f.Analyzer], text), nil
}

// slots plans words that stand in a row. If prefix, any term that begins with
// one of the last slot will do there.
func (p *planner) slots(f *fieldPlan, slots []analysis.Slot, slop int, prefix bool) (plan, error) {
	if len(slots) == 0 {
		return nil, nil
	}
	ph := &phrasePlan{field: f, slop: min(slop, math.MaxInt32)} // positions are less
	for i, s := range slots {
		make := p.exact
		if prefix && i == len(slots)-1 {
			make = p.prefixed
		}
		w, err := make(f, s.Terms)
		if err != nil {
			return nil, err
		}
		ph.words = append(ph.words, w)
		ph.offsets = append(ph.offsets, s.Pos)
	}
	if len(slots) == 1 {
		return p.wordPlan(ph.words[0]), nil
	}
	return ph, nil
}

// outermost returns the prefixes that none of the others is a prefix of,
// ascending.
func outermost(prefixes []string) []string {
	sorted := slices.Sorted(slices.Values(prefixes))
	var out []string
	for _, s := range sorted {
		if n := len(out); n == 0 || !strings.HasPrefix(s, out[n-1]) {
			out = append(out, s)
		}
	}
	return out
}

func hasPrefix(b []byte, prefix string) bool { return bytes.HasPrefix(b, []byte(prefix)) }
