package exec

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/internal/automaton"
	"github.com/webquarry/quarry/index/internal/fault"
	"github.com/webquarry/quarry/index/internal/postings"
	"github.com/webquarry/quarry/index/internal/schema"
	"github.com/webquarry/quarry/index/internal/segment"
	"github.com/webquarry/quarry/index/internal/sieve"
	"github.com/webquarry/quarry/index/query"
)

// variant is a term of a segment that a pattern stands for.
type variant struct {
	term  string
	entry postings.Entry
	far   int // from what was asked
}

// finder finds terms.
type finder struct {
	*automaton.Automaton
	sift func(*sieve.Sieve) []uint32 // the places of terms that may match; nil: not known
}

// wildcard plans a Wildcard in a field.
func (p *Planner) wildcard(f *fieldPlan, pattern string) (Plan, error) {
	literal := func(s string) string { return s }
	if f.Kind == schema.Text {
		by, err := f.AnalyzerIn(p.Analyzers)
		if err != nil {
			return nil, err
		}
		literal = func(s string) string { return analysis.Fold(by, s) }
	}
	a, err := automaton.Wildcard(pattern, literal)
	return p.pattern(f, "wildcard", pattern, a, err)
}

// regexp plans a Regexp in a field.
func (p *Planner) regexp(f *fieldPlan, pattern string) (Plan, error) {
	a, err := automaton.Regexp(pattern, f.Kind == schema.Text)
	return p.pattern(f, "regexp", "/"+pattern+"/", a, err)
}

// pattern plans the terms that an automaton accepts, as one word.
func (p *Planner) pattern(f *fieldPlan, kind, text string, a *automaton.Automaton, err error) (Plan, error) {
	if err != nil {
		return nil, &query.Error{Pos: -1, Msg: text + ": " + err.Error()}
	}
	p.watch(a)
	of := finder{Automaton: a}
	if a.Open() {
		of.sift = func(s *sieve.Sieve) []uint32 { return s.With(a.Needs().Runes, a.Needs().Least) }
	}
	found, err := p.variants(f, text, of)
	if err != nil {
		return nil, err
	}
	w := p.word(f, text)
	w.take(found)
	return p.wordPlan(w), p.unite(w, kind)
}

// watch makes an automaton end with the search.
func (p *Planner) watch(a *automaton.Automaton) {
	spent := 0
	a.Spend = func(steps int) bool {
		if spent += steps; spent >= checkEvery {
			spent = 0
			if p.Run.Err == nil && p.Run.Ctx.Err() != nil {
				p.Run.Err = context.Cause(p.Run.Ctx)
			}
		}
		return p.Run.Err != nil
	}
}

// variants finds the terms that one of the patterns accepts, by view.
func (p *Planner) variants(f *fieldPlan, text string, any ...finder) ([][]variant, error) {
	found := make([][]variant, len(f.readers))
	if p.unopened > 0 {
		return found, nil
	}
	total := 0
	if p.Run.Ctx.Err() != nil { // automata may have taken long
		return nil, context.Cause(p.Run.Ctx)
	}
	for i, r := range f.readers {
		if r == nil {
			continue
		}
		for _, of := range any {
			terms := watched{r.Dict.Iter(), p.Run}
			var err error
			found[i], err = p.find(found[i], of, r, terms)
			switch {
			case errors.Is(err, automaton.ErrLarge):
				return nil, &query.Error{Pos: -1, Msg: text + ": " + err.Error()}
			case terms.Err() != nil:
				return nil, fault.Damage(p.Commit.Views[i].Name(), terms.Err())
			case p.Run.Err != nil:
				return nil, p.Run.Err
			}
		}
		if len(any) > 1 {
			slices.SortFunc(found[i], func(a, b variant) int { return cmp.Or(cmp.Compare(a.term, b.term), a.far-b.far) })
			found[i] = slices.CompactFunc(found[i], func(a, b variant) bool { return a.term == b.term })
		}
		total += len(found[i])
	}
	if total > p.Terms {
		return p.foremost(f, text, found)
	}
	return found, nil
}

// find appends the terms of a field that the pattern accepts.
func (p *Planner) find(found []variant, of finder, r *segment.FieldReader, terms watched) ([]variant, error) {
	take := func(term []byte, far int) bool {
		e, err := terms.Entry()
		found = append(found, variant{string(term), e, far})
		return err == nil && !terms.run.Stop()
	}
	made := r.Sieve.Made()
	if made != nil && of.sift != nil {
		if places := of.sift(made); len(places) < r.Terms/manyTerms {
			err := of.among(places, terms, take)
			return found, err
		}
	}
	steps := terms.run.Steps
	err := of.Walk(terms, take)
	if made == nil && of.sift != nil && r.Sieve.Looked(terms.run.Steps-steps, r.Terms) {
		p.sieves.want(p.Commit, r)
	}
	return found, err
}

// manyTerms says when a walk over a dictionary is quicker than a look at each
// place: from one term in so many on.
const manyTerms = 4

// among yields the terms at some places that the pattern accepts, as Walk does.
func (of finder) among(places []uint32, terms watched, yield func(term []byte, far int) bool) error {
	for _, place := range places {
		if terms.run.Stop() || !terms.Go(int(place)) {
			return of.Err()
		}
		if far := of.Match(terms.Term()); far >= 0 && !yield(terms.Term(), far) {
			return of.Err()
		}
	}
	return of.Err()
}

// watched is a dictionary that ends with the search.
type watched struct {
	*postings.Terms
	run *Run
}

func (w watched) Next() bool         { return !w.run.Stop() && w.Terms.Next() }
func (w watched) Seek(s []byte) bool { return !w.run.Stop() && w.Terms.Seek(s) }

// foremost keeps as many terms as are allowed.
func (p *Planner) foremost(f *fieldPlan, text string, found [][]variant) ([][]variant, error) {
	type total struct {
		docs, far int
		order     int // of the terms
	}
	var all []total
	places := make([][]int32, len(found)) // of each variant, in all; -1: no document is live
	for i, variants := range found {
		places[i] = make([]int32, len(variants))
	}
	for at := range p.eachTerm(found) {
		t := total{order: len(all)}
		for i, n := range at {
			if n < 0 {
				continue
			}
			v := found[i][n]
			docs, err := p.Commit.Views[i].LiveDocs(p.Run.Check, f.readers[i], v.term, v.entry)
			if err != nil {
				return nil, err
			}
			t.docs, t.far = t.docs+docs, v.far
			places[i][n] = int32(len(all))
		}
		if t.docs == 0 {
			for i, n := range at {
				if n >= 0 {
					places[i][n] = -1
				}
			}
			continue
		}
		all = append(all, t)
	}
	if p.Run.Err != nil {
		return nil, p.Run.Err
	}
	kept := make([]bool, len(all))
	most := min(p.Terms, len(all))
	if most < len(all) {
		p.Warn(query.WarnTermsCut, f.Name, "%s stands for %d terms of %s: only %d are searched", text, len(all), f.Name, most)
		err := SortWith(p.Run, all, func(a, b total) int {
			return cmp.Or(a.far-b.far, b.docs-a.docs, a.order-b.order)
		})
		if err != nil {
			return nil, err
		}
	}
	for _, t := range all[:most] {
		kept[t.order] = true
	}
	for i, variants := range found {
		n := 0
		for at, v := range variants {
			if place := places[i][at]; place >= 0 && kept[place] {
				variants[n] = v
				n++
			}
		}
		found[i] = variants[:n]
	}
	return found, nil
}

// eachTerm yields the places where each term is in the variants of each view, -1 where
// it is not, in the order of terms, which those of a view are in. It ends with the
// search.
func (p *Planner) eachTerm(found [][]variant) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		next, at := make([]int, len(found)), make([]int, len(found))
		for !p.Run.Spend(1 + len(found)/4) {
			least, any := "", false
			for i, variants := range found {
				if next[i] < len(variants) && (!any || variants[next[i]].term < least) {
					least, any = variants[next[i]].term, true
				}
			}
			if !any {
				return
			}
			for i, variants := range found {
				if at[i] = -1; next[i] < len(variants) && variants[next[i]].term == least {
					at[i] = next[i]
					next[i]++
				}
			}
			if !yield(at) {
				return
			}
		}
	}
}

// take makes variants the terms of a word.
func (w *word) take(found [][]variant) {
	for i, variants := range found {
		for _, v := range variants {
			w.entries[i] = append(w.entries[i], v.entry)
		}
	}
}

// takeFar makes the distances of variants, which the word has taken, count.
func (w *word) takeFar(found [][]variant) {
	w.far = make([][]uint8, len(found))
	for i, variants := range found {
		for _, v := range variants {
			w.far[i] = append(w.far[i], uint8(v.far))
		}
	}
}
