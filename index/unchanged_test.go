package index_test

import (
	"fmt"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
)

// Documents that come again as they were are not indexed again; their columns
// are set.
func TestKeepUnchanged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	opt := priced
	opt.KeepUnchanged = true
	ix := opens(t, dir, opt)
	w := writer(t, ix)
	ctx := t.Context()
	round := func(p func(i int) any) {
		t.Helper()
		for i, d := range numberedDocs(0, 6) {
			if v := p(i); v != nil {
				d.Fields = append(d.Fields, price(v))
			}
			must(t, w.Add(ctx, d))
		}
		must(t, w.Commit(ctx))
	}
	counts := func(added, unchanged, flushes int) {
		t.Helper()
		if s := w.Stats(); s.Added != added || s.Unchanged != unchanged || s.Flushes != flushes {
			t.Errorf("%+v, want %d added, %d unchanged, %d flushes", s, added, unchanged, flushes)
		}
	}
	round(func(i int) any { return i })
	flushes := w.Stats().Flushes
	counts(6, 0, flushes)

	// As it was: not even a commit.
	before := generation(t, ix)
	round(func(i int) any { return i })
	counts(6, 6, flushes)
	if after := generation(t, ix); after != before {
		t.Errorf("%d commits of nothing", after-before)
	}

	// Other prices, and none: only columns.
	round(func(i int) any {
		if i == 4 {
			return nil
		}
		return i + i%2
	})
	counts(6, 12, flushes)
	if got, want := prices(t, ix), "n0=0 n1=2 n2=2 n3=4 n4= n5=6"; got != want {
		t.Errorf("%s, want %s", got, want)
	}

	// Set and set back before a commit.
	again := numberedDocs(1, 2)[0]
	again.Fields = append(again.Fields, price(9))
	must(t, w.Add(ctx, again))
	again.Fields[2] = price(2)
	must(t, w.Add(ctx, again), w.Commit(ctx))
	counts(6, 14, flushes)

	// Another text, and one of a document that is not in a segment yet.
	changed := numberedDocs(0, 2)
	changed[0].Fields[1].Value = "other words"
	must(t, w.Add(ctx, changed[0]), w.Add(ctx, numberedDocs(0, 1)...), w.Commit(ctx))
	if s := w.Stats(); s.Added != 8 || s.Unchanged != 14 {
		t.Errorf("%+v", s)
	}
	if got := keys(t, ix, query.Match{Text: "other"}); len(got) != 0 {
		t.Errorf("found %v", got)
	}

	// Merged, opened again, deleted.
	must(t, w.Merge(ctx), w.Close())
	w = writer(t, ix)
	must(t, w.Add(ctx, numberedDocs(2, 3)...))
	counts(0, 1, 0)
	must(t, w.Delete(ctx, "n2"), w.Add(ctx, numberedDocs(2, 3)...), w.Commit(ctx))
	if s := w.Stats(); s.Added != 1 {
		t.Errorf("deleted and added again: %+v", s)
	}
	if got := keys(t, ix, query.All{}); len(got) != 6 {
		t.Errorf("documents %v", got)
	}
	s, err := ix.Snapshot()
	must(t, err)
	defer s.Close()
	must(t, s.Verify(ctx))
}

// What the fields of a document are is told apart.
func TestKeepUnchangedTellsApart(t *testing.T) {
	t.Parallel()
	field := func(name string, value any) index.Field { return index.Field{Name: name, Value: value} }
	all := [][]index.Field{
		nil,
		{field("title", "a b")},
		{field("body", "a b")},
		{field("title", "a"), field("body", "b")},
		{field("title", []string{"a", "b"})},
		{field("title", []string{"a b"})},
		{field("title", []string{"ab", ""})},
		{field("title", "a"), field("title", "b")},
	}
	ix := memory(t, index.Options{KeepUnchanged: true})
	w := writer(t, ix)
	for i, fields := range all {
		must(t, w.Add(t.Context(), index.Document{Key: "k", Fields: fields}), w.Commit(t.Context()))
		if s := w.Stats(); s.Added != i+1 {
			t.Errorf("%s was taken for %s", fmt.Sprint(fields), fmt.Sprint(all[i-1]))
		}
	}
}
