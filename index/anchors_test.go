package index_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
)

// linked is the schema of pages that others link to.
var linked = index.Options{Schema: index.Schema{{Name: "title", Weight: 2, Stored: true}, {Name: "body", Stored: true}, {Name: "anchor", Weight: 1.5, Anchors: 2}}}

// linkAll adds anchors, each "target source text".
func linkAll(ctx context.Context, w *index.Writer, links ...string) error {
	var all []index.Anchor
	for _, l := range links {
		f := strings.SplitN(l, " ", 3)
		all = append(all, index.Anchor{Target: f[0], Source: f[1], Text: f[2]})
	}
	return w.AddAnchors(ctx, all...)
}

// anchored lists the documents that are found by each word of their anchors.
func anchored(t *testing.T, ix *index.Index) string {
	t.Helper()
	s, err := ix.Snapshot()
	must(t, err)
	defer s.Close()
	var out []string
	for term, docs := range s.Terms(t.Context(), "anchor", index.TermOptions{}).All() {
		found := keysOf(t, s, query.Term{Field: "anchor", Text: term})
		slices.Sort(found)
		if len(found) != docs {
			t.Errorf("%s is in %d documents, and found in %v", term, docs, found)
		}
		out = append(out, term+"="+strings.Join(found, ","))
	}
	return strings.Join(out, " ")
}

// anchorsOf lists what is kept for a key.
func anchorsOf(t *testing.T, ix *index.Index, key string) string {
	t.Helper()
	s, err := ix.Snapshot()
	must(t, err)
	defer s.Close()
	of, err := s.Anchors(key)
	must(t, err)
	var out []string
	for _, a := range of {
		if a.Target != key {
			t.Errorf("of %s: %+v", key, a)
		}
		out = append(out, a.Source+" "+a.Text)
	}
	return strings.Join(out, "; ")
}

func TestAnchorsComeLate(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for _, dir := range []string{"", t.TempDir()} {
		ix := memory(t, linked)
		if dir != "" {
			ix = opens(t, dir, linked)
		}
		w := writer(t, ix)
		expect := func(what, want string) {
			t.Helper()
			if got := anchored(t, ix); got != want {
				t.Errorf("%s: %s, want %s", what, got, want)
			}
			if dir != "" {
				other := opens(t, dir, index.Options{})
				if got := anchored(t, other); got != want {
					t.Errorf("%s, to another reader: %s, want %s", what, got, want)
				}
				must(t, other.Close())
			}
		}
		must(t, w.Add(ctx, numberedDocs(0, 4)...), w.Commit(ctx))
		must(t, linkAll(ctx, w, "n1 http://a/1 red", "n9 http://a/1 waits"))
		expect("before Commit", "")
		must(t, w.Commit(ctx))
		expect("after its document", "red=n1")
		must(t, w.Add(ctx, numberedDocs(9, 10)...), linkAll(ctx, w, "n1 http://b/ blue"), w.Commit(ctx))
		expect("before its document", "blue=n1 red=n1 waits=n9")
		must(t, w.Add(ctx, numberedDocs(1, 2)...), w.Commit(ctx))
		expect("added again", "blue=n1 red=n1 waits=n9")
		must(t, w.Delete(ctx, "n1"), w.Commit(ctx))
		expect("deleted", "waits=n9")
		must(t, w.Add(ctx, numberedDocs(1, 2)...), linkAll(ctx, w, "n2 http://a/1 red"), w.Commit(ctx))
		expect("back", "blue=n1 red=n1,n2 waits=n9")
		must(t, w.Merge(ctx))
		expect("merged", "blue=n1 red=n1,n2 waits=n9")
		must(t, linkAll(ctx, w, "n1 http://a/1 green"), w.Commit(ctx))
		expect("replaced", "blue=n1 green=n1 red=n2 waits=n9")
		must(t, linkAll(ctx, w, "n1 http://a/1 ", "n9 http://c/ here"), w.Commit(ctx))
		expect("taken away", "blue=n1 here=n9 red=n2 waits=n9")
		must(t, w.DeleteAnchors(ctx, "n9", "n0"), w.Commit(ctx), w.Merge(ctx))
		expect("all taken away", "blue=n1 red=n2")
		must(t, w.DeleteAnchors(ctx, "n1", "n2"), w.Commit(ctx), w.Close())
		expect("nothing left", "")
		s, err := ix.Snapshot()
		must(t, err, s.Verify(ctx), s.Close(), ix.Close())
	}
}

func TestAnchorsOfOneHost(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	ix := memory(t, linked, numberedDocs(0, 2)...)
	w := writer(t, ix)
	steps := []struct{ links, want string }{
		{"http://a/1 one|http://a/2 one|http://a/2 two|http://A.example/ one", "http://a/1 one; http://a/2 one; http://a/2 two; http://A.example/ one"},
		{"http://a/3 three|http://a/4 four", "http://a/1 one; http://a/2 one; http://a/2 two; http://A.example/ one"},
		{"http://a/2 two", "http://a/1 one; http://A.example/ one; http://a/2 two"},
		{"http://a/1 ", "http://A.example/ one; http://a/2 two"},
		{"http://a/3 three|http://a/4 four", "http://A.example/ one; http://a/2 two; http://a/3 three"},
		{"http://(org,b,)/x  six |http://(org,b,)/x six|http://(org,b,)/y seven|http://(org,b,)/z eight", "http://A.example/ one; http://a/2 two; http://a/3 three; http://(org,b,)/x six; http://(org,b,)/y seven"},
		{"http://me@a/2 two|other two|another two", "http://A.example/ one; http://a/2 two; http://a/3 three; http://(org,b,)/x six; http://(org,b,)/y seven; http://me@a/2 two; other two; another two"},
	}
	for round := range 2 { // it makes no difference when commits are made
		for _, s := range steps {
			var all []string
			for l := range strings.SplitSeq(s.links, "|") {
				all = append(all, fmt.Sprintf("n%d %s", round, l))
			}
			must(t, linkAll(ctx, w, all...))
			if round == 0 {
				must(t, w.Commit(ctx))
				if got := anchorsOf(t, ix, "n0"); got != s.want {
					t.Fatalf("%s: %s, want %s", s.links, got, s.want)
				}
			}
		}
	}
	must(t, w.Commit(ctx))
	if got, want := anchorsOf(t, ix, "n1"), steps[len(steps)-1].want; got != want {
		t.Errorf("in one commit: %s, want %s", got, want)
	}
	// Another host may be given.
	must(t, w.AddAnchors(ctx, index.Anchor{Target: "n5", Source: "x", Text: "1", Host: "h"}, index.Anchor{Target: "n5", Source: "y", Text: "2", Host: "h"}, index.Anchor{Target: "n5", Source: "z", Text: "3", Host: "h"}), w.Commit(ctx))
	if got, want := anchorsOf(t, ix, "n5"), "x 1; y 2"; got != want {
		t.Errorf("of one host: %s, want %s", got, want)
	}
	// Very many, and long.
	var many []index.Anchor
	for i := range 1100 {
		many = append(many, index.Anchor{Target: "n6", Source: fmt.Sprint("s", i), Text: strings.Repeat("é", i)})
	}
	must(t, w.AddAnchors(ctx, many...), w.Commit(ctx))
	s, err := ix.Snapshot()
	must(t, err)
	defer s.Close()
	of, err := s.Anchors("n6")
	must(t, err, s.Verify(ctx))
	if len(of) != 1000 || of[998].Text != strings.Repeat("é", 500) {
		t.Errorf("%d anchors, the last %s", len(of), of[998].Text)
	}
}

func TestAnchorsRefused(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	plain := writer(t, memory(t, index.Options{}))
	w := writer(t, memory(t, linked))
	for what, err := range map[string]error{
		"no field":    linkAll(ctx, plain, "t s text"),
		"no field, 2": plain.DeleteAnchors(ctx, "t"),
		"no target":   w.AddAnchors(ctx, index.Anchor{Source: "s", Text: "text"}),
		"no source":   w.AddAnchors(ctx, index.Anchor{Target: "t", Text: "text"}),
		"long target": w.AddAnchors(ctx, index.Anchor{Target: strings.Repeat("x", 1<<17), Source: "s"}),
		"as a field":  w.Add(ctx, index.Document{Key: "t", Fields: []index.Field{{Name: "anchor", Value: "text"}}}),
	} {
		if _, ok := errors.AsType[*index.SchemaError](err); !ok {
			t.Errorf("%s: %v", what, err)
		}
	}
	must(t, w.AddAnchors(ctx), w.DeleteAnchors(ctx), w.Close())
	if err := linkAll(ctx, w, "t s text"); !errors.Is(err, index.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	for _, s := range []index.Schema{
		{{Name: "f", Anchors: -1}}, {{Name: "f", Anchors: 2, Kind: index.Keyword}}, {{Name: "f", Anchors: 2, Stored: true}},
		{{Name: "f", Anchors: 2}, {Name: "g", Anchors: 2}}, {{Name: "f", Anchors: 1 << 20}},
	} {
		if _, err := index.New(index.Options{Schema: s}); !errors.As(err, new(*index.SchemaError)) {
			t.Errorf("%+v: %v", s, err)
		}
	}
	dir := t.TempDir()
	opens(t, dir, linked)
	other := slices.Clone(linked.Schema)
	other[2].Anchors = 3
	if _, err := index.Open(dir, index.Options{Schema: other}); !errors.As(err, new(*index.SchemaError)) {
		t.Errorf("another number: %v", err)
	}
}

// anchorWorld is an index whose documents get anchors late, and its twin, whose
// documents come with a field of the same texts.
type anchorWorld struct {
	*pruneWorld
	twin  *index.Index
	docs  map[string]index.Document
	texts map[string][]string // by source and target
	order map[string][]string // sources of a target
}

func newAnchorWorld(t *testing.T, r *rand.Rand) *anchorWorld {
	fields := append(index.Schema{{Name: "title", Weight: 2.5}, {Name: "body"}, {Name: "tag", Kind: index.Keyword}}, pruneColumns...)
	within := []time.Duration{0, 0, 1, time.Hour}[r.IntN(4)]
	late, err := index.New(index.Options{AnchorsWithin: within, Order: index.Order(r.IntN(4)), OrderColumn: "rank", Schema: append(fields, index.FieldType{Name: "anchor", Weight: 1.5, Anchors: 100}), MemoryBudget: 1 << 20})
	must(t, err)
	twin, err := index.New(index.Options{Schema: append(fields, index.FieldType{Name: "anchor", Weight: 1.5})})
	must(t, err)
	w := &anchorWorld{&pruneWorld{r: r, ix: late, words: 2 + r.IntN(40), steep: 1 + r.IntN(4)}, twin, map[string]index.Document{}, map[string][]string{}, map[string][]string{}}
	docs := []int{10, 130, 600, 1500}[r.IntN(4)]
	into := writer(t, late)
	for range 1 + r.IntN(6) {
		var steps []func() error
		for range docs / 3 {
			d := w.document(docs)
			w.docs[d.Key] = d
			steps = append(steps, func() error { return into.Add(t.Context(), d) })
		}
		for range r.IntN(docs) {
			a := w.link(docs)
			steps = append(steps, func() error { return into.AddAnchors(t.Context(), a...) })
		}
		for _, f := range steps {
			must(t, f())
		}
		for range r.IntN(1 + docs/20) {
			key := w.key(docs)
			delete(w.docs, key)
			must(t, into.Delete(t.Context(), key))
		}
		if must(t, into.Commit(t.Context())); r.IntN(3) == 0 {
			must(t, into.Merge(t.Context()))
		}
		if r.IntN(4) == 0 {
			must(t, into.Close())
			into = writer(t, late)
		}
	}
	if within > 0 {
		must(t, into.Close())
	}
	w.fillTwin(t)
	return w
}

// link makes the anchors of a call, of one source and target.
func (w *anchorWorld) link(docs int) (out []index.Anchor) {
	target, source := w.key(docs), fmt.Sprint("s", w.r.IntN(20))
	was := w.texts[source+target]
	delete(w.texts, source+target)
	for range w.r.IntN(4) {
		a := index.Anchor{Target: target, Source: source, Text: strings.TrimSpace(w.text(5))}
		if out = append(out, a); a.Text != "" && !slices.Contains(w.texts[source+target], a.Text) {
			w.texts[source+target] = append(w.texts[source+target], a.Text)
		}
	}
	if len(out) == 0 {
		w.texts[source+target] = was
	} else if !slices.Contains(w.order[target], source) {
		w.order[target] = append(w.order[target], source)
	}
	return out
}

func (w *anchorWorld) fillTwin(t *testing.T) {
	into := writer(t, w.twin)
	for key, d := range w.docs {
		var texts []string
		for _, source := range w.order[key] {
			texts = append(texts, w.texts[source+key]...)
		}
		d.Fields = append(d.Fields, index.Field{Name: "anchor", Value: texts})
		must(t, into.Add(t.Context(), d))
	}
	must(t, into.Commit(t.Context()))
}

// What anchors add to scores, pruned and not, is what a field adds that comes with
// its document, whenever they come and however segments are merged.
func TestLateAnchorsAreAField(t *testing.T) {
	t.Parallel()
	for left, seed := prunedQueries(t)/4, uint64(1); left > 0; left, seed = left-100, seed+1 {
		r := rand.New(rand.NewPCG(seed, 98))
		w := newAnchorWorld(t, r)
		for range 100 {
			q, opt := w.anchorQuery(), w.options()
			comparePruned(t, w.ix, q, opt)
			opt.CountUpTo = 0
			got, err := w.ix.Search(t.Context(), q, opt)
			must(t, err)
			want, err := w.twin.Search(t.Context(), q, opt)
			must(t, err)
			if got.Total != want.Total || !reflect.DeepEqual(got.Hits, want.Hits) {
				t.Errorf("%s\noptions %+v\n got %v %.300v\nwant %v %.300v", q, opt, got.Total, fmt.Sprint(got.Hits), want.Total, fmt.Sprint(want.Hits))
			}
			w.explained(t, q, opt, got.Hits)
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
		s, err := w.ix.Snapshot()
		must(t, err, s.Verify(t.Context()), s.Close(), w.ix.Close(), w.twin.Close())
	}
}

func (w *anchorWorld) anchorQuery() query.Query {
	if w.r.IntN(2) == 0 {
		return w.query(3)
	}
	var q query.Query = query.Match{Field: "anchor", Text: w.word()}
	switch w.r.IntN(4) {
	case 0:
		q = query.Phrase{Field: "anchor", Text: w.word() + " " + w.word(), Slop: w.r.IntN(3)}
	case 1:
		q = query.Prefix{Field: "anchor", Text: w.word()}
	}
	switch w.r.IntN(3) {
	case 0:
		return query.Or{q, w.query(1)}
	case 1:
		return query.And{q, w.query(1)}
	}
	return q
}

// explained holds explanations to scores.
func (w *anchorWorld) explained(t *testing.T, q query.Query, opt index.SearchOptions, hits []index.Hit) {
	if opt.Sort != nil || len(hits) == 0 {
		return
	}
	s, err := w.ix.Snapshot()
	must(t, err)
	defer s.Close()
	h := hits[w.r.IntN(len(hits))]
	if ex, ok, err := s.Explain(t.Context(), q, h.Key, opt); err != nil || !ok || ex.Value != h.Score {
		t.Errorf("%s: %s scores %v, explained as %v, %v, %v", q, h.Key, h.Score, ex.Value, ok, err)
	}
}

// With AnchorsWithin, anchors of documents that are there already are found a
// little later, by themselves.
func TestAnchorsWithin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		opt := linked
		opt.AnchorsWithin = time.Minute
		ix, err := index.New(opt)
		must(t, err)
		w, err := ix.Writer()
		must(t, err, w.Add(ctx, numberedDocs(0, 3)...), linkAll(ctx, w, "n0 s new", "n5 s waits"), w.Commit(ctx))
		expect := func(what, want string) {
			t.Helper()
			if got := anchored(t, ix); got != want {
				t.Errorf("%s: %s, want %s", what, got, want)
			}
		}
		expect("of new documents", "new=n0")
		must(t, linkAll(ctx, w, "n1 s red"), w.Add(ctx, numberedDocs(5, 6)...), w.Commit(ctx))
		expect("of one that is there", "new=n0 waits=n5")
		if got := anchorsOf(t, ix, "n1"); got != "s red" {
			t.Errorf("known: %s", got)
		}
		must(t, linkAll(ctx, w, "n2 s uncommitted"), w.Delete(ctx, "n0"))
		time.Sleep(time.Minute)
		synctest.Wait()
		expect("a minute later", "new=n0 red=n1 waits=n5")
		must(t, linkAll(ctx, w, "n1 s blue"), w.Commit(ctx))
		expect("committed", "red=n1 waits=n5")
		must(t, w.Close())
		expect("closed", "blue=n1 uncommitted=n2 waits=n5")
		if w, err = ix.Writer(); err != nil {
			t.Fatal(err)
		}
		must(t, w.DeleteAnchors(ctx, "n1"), w.Commit(ctx), linkAll(ctx, w, "n5 s at"), w.Merge(ctx))
		expect("merged", "at=n5 uncommitted=n2")
		must(t, w.Close(), ix.Close())
	})
}

// What comes while segments are merged is not lost.
func TestAnchorsWhileMerging(t *testing.T) {
	t.Parallel()
	ix := opens(t, t.TempDir(), linked)
	w := writer(t, ix)
	const docs = 300
	must(t, w.Add(t.Context(), numberedDocs(0, docs)...), w.Commit(t.Context()))
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	group.Go(func() {
		for i := docs; ctx.Err() == nil; i++ {
			if err := errors.Join(w.Add(ctx, numberedDocs(i, i+3)...), w.Merge(ctx)); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
		}
	})
	r := rand.New(rand.NewPCG(3, 4))
	want := map[string]string{}
	for range 25 {
		for range 1 + r.IntN(20) {
			key := fmt.Sprintf("n%d", r.IntN(docs))
			want[key] = fmt.Sprintf("v%03d", r.IntN(1000))
			must(t, linkAll(t.Context(), w, key+" s "+want[key]))
		}
		must(t, w.Commit(t.Context()))
	}
	cancel()
	group.Wait()
	var terms []string
	byTerm := map[string][]string{}
	for key, text := range want {
		byTerm[text] = append(byTerm[text], key)
	}
	for text, keys := range byTerm {
		slices.Sort(keys)
		terms = append(terms, text+"="+strings.Join(keys, ","))
	}
	slices.Sort(terms)
	if got := anchored(t, ix); got != strings.Join(terms, " ") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(terms, " "))
	}
	s, err := ix.Snapshot()
	must(t, err, s.Verify(t.Context()), s.Close())
}

// What is too much for the memory between two commits makes few files.
func TestAnchorSpills(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	dir := t.TempDir()
	opt := linked
	opt.MemoryBudget = 1 // the least there is
	ix := opens(t, dir, opt)
	w := writer(t, ix)
	long := strings.Repeat("long ", 200)
	for i := range 20 {
		var all []index.Anchor
		for j := range 150 {
			all = append(all, index.Anchor{Target: fmt.Sprintf("waits%d", 150*i+j), Source: "s", Text: long})
		}
		must(t, linkAll(ctx, w, fmt.Sprintf("n0 s text%d", i)), w.AddAnchors(ctx, all...))
	}
	if n := strings.Count(strings.Join(files(t, dir), " "), "anchors-"); n == 0 || n > 8 {
		t.Errorf("%d files", n)
	}
	must(t, w.Commit(ctx))
	if got := anchorsOf(t, ix, "n0"); got != "s text19" {
		t.Errorf("of n0: %s", got)
	}
	if got := anchorsOf(t, ix, "waits0"); got != "s "+strings.TrimSpace(long) {
		t.Errorf("of the first: %s", got)
	}
}
