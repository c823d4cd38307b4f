package sink_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/sink"
)

func page(url string, links ...string) *crawler.Page {
	p := &crawler.Page{URL: url, Title: "Title of " + url, Response: &crawler.Response{URL: url, Status: 200}}
	for _, l := range links {
		p.Links = append(p.Links, crawler.Link{URL: l})
	}
	return p
}

// store counts what is added and what is committed.
type store struct {
	mu                      sync.Mutex
	added, durable, commits int
	err                     error
	slow                    time.Duration
}

func (s *store) add(context.Context, *crawler.Result) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.added++
	return nil
}

func (s *store) commit(context.Context) error {
	s.mu.Lock()
	n := s.added
	s.mu.Unlock()
	time.Sleep(s.slow)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.durable, s.commits = max(s.durable, n), s.commits+1
	return s.err
}

// TestBatch: a hundred pages by ten workers are durable when their Puts return,
// in about ten commits.
func TestBatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &store{slow: time.Millisecond}
		b := &sink.Batch{Add: s.add, Commit: s.commit, Size: 10}
		var workers sync.WaitGroup
		start := time.Now()
		for range 10 {
			workers.Go(func() {
				for range 10 {
					if err := b.Put(t.Context(), fresh(page("http://a.test/"))); err != nil {
						t.Error(err)
					}
				}
			})
		}
		workers.Wait()
		b.Close()
		if s.added != 100 || s.durable != 100 || s.commits < 10 || s.commits > 12 {
			t.Errorf("%d added, %d durable in %d commits", s.added, s.durable, s.commits)
		}
		if took := time.Since(start); took > 30*time.Millisecond {
			t.Errorf("took %v although the groups were full", took)
		}
		if err := b.Put(t.Context(), fresh(page("http://a.test/"))); err != nil || s.durable != 101 {
			t.Errorf("alone: %v, %d durable", err, s.durable)
		}
		if took := time.Since(start); took < 25*time.Millisecond {
			t.Errorf("did not wait for others: %v", took)
		}
	})
}

func TestBatchErrors(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		bad := errors.New("bad")
		s := &store{err: bad}
		b := &sink.Batch{Add: s.add, Commit: s.commit, Size: 3}
		var workers sync.WaitGroup
		for range 3 {
			workers.Go(func() {
				if err := b.Put(t.Context(), fresh(page("http://a.test/"))); !errors.Is(err, bad) {
					t.Errorf("error %v of the commit", err)
				}
			})
		}
		workers.Wait()
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(bad)
		if err := b.Put(ctx, fresh(page("http://a.test/"))); !errors.Is(err, bad) {
			t.Errorf("error %v of the context", err)
		}
		b.Close()
		if s.commits != 2 {
			t.Errorf("%d commits, want the second in spite of the context", s.commits)
		}
	})
}

func TestTee(t *testing.T) {
	t.Parallel()
	var got []string
	note := func(name string, err error) crawler.Sink {
		return crawler.Pages(func(context.Context, *crawler.Page) error {
			got = append(got, name)
			return err
		})
	}
	bad := errors.New("bad")
	if err := sink.Tee(note("a", nil), note("b", bad), note("c", nil)).Put(t.Context(), fresh(page("http://a.test/"))); err != bad {
		t.Errorf("error %v", err)
	}
	if fmt.Sprint(got) != "[a b]" {
		t.Errorf("put to %v", got)
	}
}

// Documents of a store of any kind, committed in groups.
func ExampleInto() {
	type document struct{ Key, Title string }
	var titles []document
	add := func(_ context.Context, docs ...document) error { titles = append(titles, docs...); return nil }
	remove := func(_ context.Context, keys ...string) error {
		titles = slices.DeleteFunc(titles, func(d document) bool { return slices.Contains(keys, d.Key) })
		return nil
	}
	commit := func(context.Context) error { fmt.Println("commit of", titles); return nil }

	s := sink.Into(add, remove, commit, func(p *crawler.Page) (document, bool) { return document{p.URL, p.Title}, p.Title != "" })
	defer s.Close()
	if err := s.Put(context.Background(), fresh(page("http://a.test/"))); err != nil {
		fmt.Println(err)
	}
	if err := s.Put(context.Background(), &crawler.Result{Kind: crawler.Gone, URL: "http://a.test/"}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// commit of [{http://a.test/ Title of http://a.test/}]
	// commit of []
}

// fresh is what a Sink gets of a page that it does not have.
func fresh(page *crawler.Page) *crawler.Result {
	return &crawler.Result{Kind: crawler.New, URL: page.URL, Page: page}
}
