package index_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/webquarry/quarry/index"
)

// setLinks sets the anchors of a source, each "target text".
func setLinks(ctx context.Context, w *index.Writer, source string, links ...string) error {
	var all []index.Anchor
	for _, l := range links {
		target, text, _ := strings.Cut(l, " ")
		all = append(all, index.Anchor{Target: target, Text: text})
	}
	return w.SetAnchors(ctx, source, all...)
}

func TestSetAnchors(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for _, commits := range []bool{false, true} {
		ix := memory(t, linked, numberedDocs(0, 4)...)
		w := writer(t, ix)
		expect := func(want string) {
			t.Helper()
			if !commits {
				return
			}
			must(t, w.Commit(ctx))
			if got := anchored(t, ix); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
		must(t, setLinks(ctx, w, "http://a/1", "n0 red", "n1 blue", "n9 waits"), setLinks(ctx, w, "http://a/2", "n0 red", "n0 green"))
		expect("blue=n1 green=n0 red=n0")
		must(t, linkAll(ctx, w, "n2 http://a/1 added"), setLinks(ctx, w, "http://a/1", "n2 ", "n3 yellow"))
		expect("green=n0 red=n0 yellow=n3")
		must(t, linkAll(ctx, w, "n2 http://a/1 added"))
		expect("added=n2 green=n0 red=n0 yellow=n3")
		must(t, setLinks(ctx, w, "http://a/2", "n3 green"))
		expect("added=n2 green=n3 yellow=n3")
		must(t, setLinks(ctx, w, "http://a/1"))
		expect("added=n2 green=n3")
		must(t, setLinks(ctx, w, "http://a/1", "n0 red"), setLinks(ctx, w, "http://a/1", "n1 red"), setLinks(ctx, w, "http://a/2"), w.Commit(ctx), w.Merge(ctx))
		if got := anchored(t, ix); got != "added=n2 red=n1" {
			t.Error(got)
		}
		if err := w.SetAnchors(ctx, "http://a/1", index.Anchor{Target: "n0", Source: "http://a/2", Text: "no"}); err == nil {
			t.Error("an anchor of another source is taken")
		}
		if err := w.SetAnchors(ctx, "", index.Anchor{Target: "n0", Text: "no"}); err == nil {
			t.Error("a source without a name is taken")
		}
		must(t, w.Commit(ctx), w.Close())
		if got := anchored(t, ix); got != "added=n2 red=n1" {
			t.Error(got)
		}
	}
}

// TestSetAnchorsLikeNew: over random pages that come, change and go, with commits, merges,
// reopenings and commits that are given up between, what is found by anchors is what it is in an index that
// has the pages of now from the beginning.
func TestSetAnchorsLikeNew(t *testing.T) {
	t.Parallel()
	rounds := 40
	if testing.Short() {
		rounds = 4
	}
	for seed := range uint64(rounds) {
		r := rand.New(rand.NewPCG(seed, 3))
		if err := likeNew(t, r); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

func likeNew(t *testing.T, r *rand.Rand) error {
	ctx := t.Context()
	opt := linked
	opt.Schema = slices.Clone(linked.Schema)
	opt.Schema[2].Anchors = 8
	dir := t.TempDir()
	ix := opens(t, dir, opt)
	w := writer(t, ix)
	pages := map[string][]string{} // links by page
	for range 30 {
		n := r.IntN(12)
		key := fmt.Sprintf("n%d", n)
		switch op := r.IntN(8); {
		case op == 0:
			delete(pages, key)
			if err := errors.Join(w.Delete(ctx, key), setLinks(ctx, w, key)); err != nil {
				return err
			}
		case op == 1:
			if err := w.Commit(ctx); err != nil {
				return err
			}
		case op == 2:
			some, cancel := context.WithTimeout(ctx, time.Duration(r.IntN(2000))*time.Microsecond)
			err := w.Commit(some)
			cancel()
			if err != nil && !errors.Is(err, context.DeadlineExceeded) {
				return err
			}
		case op == 3 && r.IntN(3) == 0:
			if err := w.Merge(ctx); err != nil {
				return err
			}
		case op == 3 && r.IntN(3) == 0:
			if err := errors.Join(w.Commit(ctx), w.Close(), ix.Close()); err != nil {
				return err
			}
			ix = opens(t, dir, opt)
			w = writer(t, ix)
		default:
			var links []string
			for range r.IntN(6) {
				links = append(links, fmt.Sprintf("n%d %s", r.IntN(14), []string{"red", "green", "blue", "grey", ""}[r.IntN(5)]))
			}
			pages[key] = links
			if err := errors.Join(w.Add(ctx, numberedDocs(n, n+1)...), setLinks(ctx, w, key, links...)); err != nil {
				return err
			}
		}
	}
	if err := w.Commit(ctx); err != nil {
		return err
	}
	fresh := memory(t, opt)
	fw := writer(t, fresh)
	for _, key := range slices.Sorted(maps.Keys(pages)) {
		var n int
		fmt.Sscanf(key, "n%d", &n)
		if err := errors.Join(fw.Add(ctx, numberedDocs(n, n+1)...), setLinks(ctx, fw, key, pages[key]...)); err != nil {
			return err
		}
	}
	if err := errors.Join(fw.Commit(ctx), fw.Close()); err != nil {
		return err
	}
	for _, merged := range []bool{false, true} {
		if merged {
			if err := w.Merge(ctx); err != nil {
				return err
			}
		}
		if got, want := anchored(t, ix), anchored(t, fresh); got != want {
			return fmt.Errorf("merged %v: %s, want %s", merged, got, want)
		}
	}
	return errors.Join(w.Close(), ix.Close())
}
