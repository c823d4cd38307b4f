package main

import (
	"context"
	"sync"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/index"
)

// indexSink is the sink of the crawl: it puts pages into an index.
//
// Nothing may be lost, so Put returns only when its page is committed: the
// crawler then tells the frontier that the page is done, and the frontier may
// forget it. Were the page only in the memory of the writer at that moment, a
// crash would lose it for good, for the frontier would never offer it again.
// The other way round, a crash between commit and Done means that the page is
// fetched again and replaces itself, since its address is its key.
//
// A commit costs some milliseconds whatever it holds. So it is made for a group
// of pages: the first Put to arrive leads, waits a moment for others, and
// commits for all. Those who come while a commit is under way gather for the
// next one. With all workers waiting nobody else can come, and the leader does
// not wait any longer. Pages can thus be found some tens of milliseconds after
// they were fetched, and the commits hold up the crawl only where a commit takes
// longer than its group took to fetch.
type indexSink struct {
	writer  *index.Writer
	workers int

	commit  sync.Mutex     // held by the leader that commits
	leaders sync.WaitGroup // on their way

	mu   sync.Mutex
	open *group // takes more pages; nil: the next Put leads
}

// group is a number of pages that are committed together.
type group struct {
	pages int
	full  chan struct{}
	done  chan struct{} // closed after the commit
	err   error         // of the commit, once done is closed
}

// gather is how long the leader of a group waits for others.
const gather = 25 * time.Millisecond

// Put indexes a page.
func (s *indexSink) Put(ctx context.Context, page *crawler.Page) error {
	if err := s.writer.Add(ctx, document(page)); err != nil {
		return err
	}
	g, leads := s.join()
	if leads {
		// The group is not the leader's alone, so its end is not either.
		s.leaders.Go(func() { s.lead(context.WithoutCancel(ctx), g) })
	}
	select {
	case <-g.done:
		return g.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Close waits for the commits under way. No Put may come after it.
func (s *indexSink) Close() { s.leaders.Wait() }

// join takes part in the open group and reports whether it has just been opened.
func (s *indexSink) join() (g *group, leads bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = &group{full: make(chan struct{}), done: make(chan struct{})}
		leads = true
	}
	g = s.open
	g.pages++
	if g.pages == s.workers {
		close(g.full)
	}
	return g, leads
}

// lead waits for the group to gather and for its turn, and commits it.
func (s *indexSink) lead(ctx context.Context, g *group) {
	defer close(g.done)
	select {
	case <-g.full:
	case <-time.After(gather):
	}
	s.commit.Lock()
	defer s.commit.Unlock()
	s.mu.Lock()
	s.open = nil // whoever joins from now on has added its page too late for this commit
	s.mu.Unlock()
	g.err = s.writer.Commit(ctx)
}
