package index

import (
	"errors"
	"slices"
	"testing"
)

// A merge that ends after rejoin leaves it to the commit to join anchors.
func TestRejoinWhileMerging(t *testing.T) {
	t.Parallel()
	ix, err := New(Options{Schema: Schema{{Name: "anchor", Anchors: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	for _, key := range []string{"a", "b"} {
		if err := errors.Join(w.Add(ctx, Document{Key: key}), w.Commit(ctx)); err != nil {
			t.Fatal(err)
		}
	}
	w.mu.Lock()
	j := w.merging.begin(slices.Clone(w.parts))
	w.mu.Unlock()
	if err := errors.Join(w.rejoin(ctx), w.merging.run(ctx, j)); err != nil {
		t.Fatal(err)
	}
	anchored := func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.parts) == 1 && w.parts[0].anchored
	}
	if anchored() {
		t.Error("joined by the merge")
	}
	if err := errors.Join(w.AddAnchors(ctx, Anchor{Target: "a", Source: "s", Text: "text"}), w.Commit(ctx)); err != nil {
		t.Fatal(err)
	}
	if !anchored() {
		t.Error("not joined by the commit")
	}
}
