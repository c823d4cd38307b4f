package exec

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/internal/fault"
	"github.com/webquarry/quarry/index/internal/schema"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// Planner turns a query into a plan: which lists of which segments it needs,
// and what its words score. A nil plan asks for nothing: it is left out of the
// And or Or it is in.
type Planner struct {
	sieves    *Sieves
	filters   int // that each segment remembers; 0 or less: none
	Run       *Run
	Commit    *Collection
	Schema    schema.Fields
	languages []string // in which analyzers work that go by them
	Analyzers map[string]analysis.Analyzer
	known     map[string]analysis.Analyzer
	Scorer    rank.Scorer
	Needs     rank.Needs // of the scorer
	Expander  query.Expander
	Typos     query.Typos
	fields    map[string]*fieldPlan // that were asked for
	told      *Stats                // where the statistics are told; nil: nowhere
	Global    *Stats                // the statistics of all shards; nil: this is all
	Terms     int                   // that a pattern may stand for in a field
	columns   map[string]*ColumnPlan
	Warnings  []query.Warning
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

// Options say how a query is planned and searched.
type Options struct {
	Ctx       context.Context
	Fields    schema.Fields // with the weights of the search
	Languages []string      // in which analyzers work that go by them
	Analyzers map[string]analysis.Analyzer
	Known     map[string]analysis.Analyzer // the same before the languages of the index were told them
	Expander  query.Expander               // nil: none
	Typos     query.Typos
	Global    *Stats  // the statistics of all shards; nil: this is all
	Counting  bool    // scores do not matter at all: only matches are counted
	Terms     int     // that a pattern may stand for in a field
	Threads   int     // segments that are searched at the same time
	Partial   bool    // what was found will do when the context ends
	Filters   int     // that each segment remembers; 0 or less: none
	Sieves    *Sieves // of the index
	Tests     TestOptions
}

// TestOptions are those of tests.
type TestOptions struct {
	Span       uint32 // documents in a window of MaxScore
	Exhaustive bool   // with CountUpTo 0, look at every match
	Work       *Work  // where it is told what was done
}

// NewPlanner begins a search.
func NewPlanner(c *Collection, o Options) *Planner {
	return &Planner{
		Run:       &Run{Ctx: o.Ctx, Span: cmp.Or(o.Tests.Span, presetSpan), Exhaustive: o.Tests.Exhaustive, Work: o.Tests.Work, shared: &c.Shared, limits: limits{Partial: o.Partial, Threads: o.Threads}},
		Commit:    c,
		Schema:    o.Fields,
		languages: o.Languages,
		Analyzers: o.Analyzers,
		known:     o.Known,
		Expander:  o.Expander,
		Typos:     o.Typos,
		Global:    o.Global,
		counting:  o.Counting,
		Terms:     o.Terms,
		filters:   o.Filters,
		sieves:    o.Sieves,
		numbers:   map[any]int{},
		lists:     map[listKey]int{},
	}
}

// ScoreBy sets the scorer of the words of the query, before it is planned.
func (p *Planner) ScoreBy(s rank.Scorer) { p.Scorer, p.Needs = s, rank.NeedsOf(s) }

// Plan is a query in terms of a commit. It opens an iterator over a segment.
type Plan interface {
	Open(r *Run, view int) Iterator
}

// Root plans a whole query, and what is added to its scores.
func (p *Planner) Root(q query.Query, add []Added) (Plan, error) {
	if err := query.Check(q); err != nil {
		return nil, err
	}
	var root Plan
	err := fault.Guard("planning a query", func() (err error) {
		root, err = p.plan(q)
		return err
	})
	if err != nil {
		return nil, err
	}
	if root == nil {
		p.Warn(query.WarnNoWords, "", "all words of the query were dropped")
		root = nonePlan{}
	}
	return p.static(root, add)
}

func (p *Planner) plan(q query.Query) (Plan, error) {
	if p.Run.Spend(LookUp) {
		return nil, p.Run.Err
	}
	switch q := q.(type) {
	case query.All:
		return allPlan{p.Commit}, nil
	case query.None:
		return nonePlan{}, nil
	case query.Term:
		return p.textLeaf(q.Field, q.Text, func(f *fieldPlan) (Plan, error) { return p.term(f, q.Text) })
	case query.Match:
		return p.match(q)
	case query.Phrase:
		return p.textLeaf(q.Field, q.Text, func(f *fieldPlan) (Plan, error) { return p.phrase(f, q.Text, q.Slop, false) })
	case query.Prefix:
		return p.patternLeaf(q.Field, func(f *fieldPlan) (Plan, error) { return p.phrase(f, q.Text, 0, true) })
	case query.And:
		return p.and(q)
	case query.Or:
		return p.or(q)
	case query.Wildcard:
		return p.patternLeaf(q.Field, func(f *fieldPlan) (Plan, error) { return p.wildcard(f, q.Pattern) })
	case query.Regexp:
		return p.patternLeaf(q.Field, func(f *fieldPlan) (Plan, error) { return p.regexp(f, q.Pattern) })
	case query.Fuzzy:
		return p.fuzzy(q)
	case query.Range:
		return p.ranged(q)
	case query.Exists:
		return p.exists(q.Field)
	case query.Like:
		return p.like(q)
	case query.KNN:
		return p.nearest(q)
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
		return notPlan{p.Commit, of}, nil
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
func (p *Planner) unscored(q query.Query) (Plan, error) {
	p.silent++
	defer func() { p.silent-- }()
	if p.silent == 1 && p.filtering(q) {
		return p.filter(q)
	}
	return p.plan(q)
}

func (p *Planner) and(members []query.Query) (Plan, error) {
	if len(members) == 0 {
		return allPlan{p.Commit}, nil
	}
	return p.all(p.joined(members))
}

// all plans an And as it is. When nothing is left of what its members search for, it
// does not match whatever else they leave in: what is preferred is then searched for,
// and without that it asks for nothing.
func (p *Planner) all(members []query.Query) (Plan, error) {
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
func (p *Planner) scoreless() bool { return p.silent > 0 || p.counting }

func (p *Planner) or(members []query.Query) (Plan, error) {
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
		return allPlan{p.Commit}, nil
	}
	_, plans, err := p.members(p.alsoJoined(members))
	return anyOf(p.quiet(plans)), err
}

// members plans the members of an And or Or. Equal ones are planned once, with
// the sum of their boosts; those that ask for nothing are left out.
func (p *Planner) members(members []query.Query) (left []query.Query, plans []Plan, err error) {
	once := make([]query.Boost, 0, len(members))
	known := make(map[int]int, len(members))
	for _, q := range members {
		if p.Run.Spend(LookUp) {
			return nil, nil, p.Run.Err
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
	left, plans = make([]query.Query, 0, len(once)), make([]Plan, 0, len(once))
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
func (p *Planner) leaf(name string, of func(*fieldPlan) (Plan, error)) (Plan, error) {
	fields, ok := p.searched(name)
	if !ok {
		return nonePlan{}, nil
	}
	if by, ok := p.combiner(fields); ok {
		return p.overForms(func() (Plan, error) { return p.combine(by, fields, of) })
	}
	var plans []Plan
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
func (p *Planner) searched(name string) (fields []schema.Field, ok bool) {
	if name == "" {
		for _, t := range p.Schema {
			if t.Unnamed() {
				fields = append(fields, t)
			}
		}
		return fields, true
	}
	t, ok := p.Schema.Find(name)
	if !ok || t.Kind == schema.StoredOnly {
		p.warnField(name, ok)
		return nil, false
	}
	if t.Kind == schema.Vector {
		p.Warn(query.WarnUnfitField, name, "field %s is a vector: it has no words", name)
		return nil, false
	}
	t.Weight = 1
	return []schema.Field{t}, true
}

// combiner returns the scorer of a leaf if that scores once over its fields. In one
// field of weight 1 a word scores by [rank.Scorer.Term].
func (p *Planner) combiner(fields []schema.Field) (rank.Combiner, bool) {
	by, ok := p.Scorer.(rank.Combiner)
	return by, ok && (len(fields) != 1 || fields[0].Weight != 1)
}

// anyOf is the Or of plans; nil of none.
func anyOf(plans []Plan) Plan {
	switch len(plans) {
	case 0:
		return nil
	case 1:
		return plans[0]
	}
	return orPlan(plans)
}

// Warn adds a warning, once.
func (p *Planner) Warn(kind query.WarningKind, field, format string, args ...any) {
	p.warned++
	if w := (query.Warning{Kind: kind, Field: field, Text: fmt.Sprintf(format, args...)}); !slices.Contains(p.Warnings, w) {
		p.Warnings = append(p.Warnings, w)
	}
}

// warnField warns of a field that is not in the schema, or is only stored.
func (p *Planner) warnField(name string, known bool) {
	if known {
		p.Warn(query.WarnUnfitField, name, "field %s is not searched: it is only stored", name)
		return
	}
	p.Warn(query.WarnUnknownField, name, "field %s is not searched: there is none", name)
}

func (p *Planner) wordPlan(w *word) *wordPlan { return &wordPlan{w, p.Commit} }
