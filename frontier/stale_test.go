package frontier

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/webquarry/quarry/frontier/internal/store"
)

// TestStaleReadAhead reads ahead while one of the requests gets another priority and is
// shelved once more, so that its lane seems to be as it was: each is visited once.
func TestStaleReadAhead(t *testing.T) {
	t.Parallel()
	tune := usualSizes()
	tune.store.Memory, tune.store.Keep, tune.store.Ahead = 0, 0, 8
	d, err := open(t.TempDir(), Options{Limits: Limits{Delay: -1}, SyncEvery: -1}, tune)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	const pages = 20
	page := func(i int) Request { return Request{URL: fmt.Sprintf("http://a.test/%d", i), Priority: float64(-i)} }
	reqs := make([]Request, pages)
	for i := range reqs {
		reqs[i] = page(i)
	}
	if _, err := d.Add(t.Context(), reqs...); err != nil {
		t.Fatal(err)
	}
	shelve := func() {
		d.compaction.Lock()
		defer d.compaction.Unlock()
		if err := d.compact(true); err != nil || d.sched.Live.N > 0 {
			t.Fatal(err, d.sched.Live.N)
		}
	}
	shelve()
	d.mu.Lock()
	h := uint32(1)
	d.store.Ahead.Hosts = append(d.store.Ahead.Hosts, store.Numbered{Key: d.sched.Hosts.At(h).Key, At: h})
	d.mu.Unlock()
	picks, want := d.pickAhead()
	if len(picks) != 1 {
		t.Fatalf("%d hosts", len(picks))
	}
	if n, err := d.Rescore(t.Context(), Request{URL: page(1).URL, Priority: -100}); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	shelve()
	var readers []store.Reader
	if err := d.read(picks, want, &readers); err != nil {
		t.Fatal(err)
	}
	if err := d.bringAhead(picks); err != nil {
		t.Fatal(err)
	}
	visits := map[string]int{}
	for {
		req, err := d.Next(t.Context())
		if errors.Is(err, ErrDrained) {
			break
		}
		if err == nil {
			visits[req.URL]++
			err = d.Done(t.Context(), req, Outcome{})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range pages {
		if n := visits[page(i).URL]; n != 1 {
			t.Errorf("%s: %d visits", page(i).URL, n)
		}
	}
}

// TestExplainUnreadable asks for a URL that waits in a run that cannot be read: it is
// not said to be done.
func TestExplainUnreadable(t *testing.T) {
	t.Parallel()
	tune := usualSizes()
	tune.store.Memory, tune.store.Keep = 0, 0
	d, err := open(t.TempDir(), Options{SyncEvery: -1}, tune)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	const url = "http://a.test/"
	if _, err := d.Add(t.Context(), Request{URL: url}); err != nil {
		t.Fatal(err)
	}
	d.compaction.Lock()
	err = d.compact(true)
	d.compaction.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	if e, err := d.Explain(t.Context(), url); err != nil || e.State != Queued {
		t.Fatal(e, err)
	}
	d.mu.Lock()
	for _, r := range d.store.Runs {
		r.File.Close()
	}
	d.mu.Unlock()
	if e, err := d.Explain(t.Context(), url); e.State != Unknown || err == nil {
		t.Errorf("%+v, %v", e, err)
	}
}

// TestMergeAfterClose ends a merge when the frontier was stopped meanwhile: its run is
// closed, and the others are left as they are.
func TestMergeAfterClose(t *testing.T) {
	t.Parallel()
	tune := usualSizes()
	tune.store.Memory, tune.store.Keep, tune.store.Lower = 0, 0, -1 // there is always something to merge
	d, err := open(t.TempDir(), Options{SyncEvery: -1}, tune)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	d.merging.Lock()
	defer d.merging.Unlock()
	if _, err := d.Add(t.Context(), Request{URL: "http://a.test/"}); err != nil {
		t.Fatal(err)
	}
	d.compaction.Lock()
	err = d.compact(true)
	d.compaction.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	m := d.newMerge()
	r, err := m.run()
	if err != nil {
		t.Fatal(err)
	}
	d.stop(ErrClosed)
	if err := d.adopt(m, r); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	if err := r.File.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("the new run was left open: %v", err)
	}
	for _, r := range m.from {
		if _, err := r.File.Stat(); err != nil {
			t.Error(err)
		}
	}
}
