package sink

import (
	"context"
	"sync"
	"time"

	"github.com/webquarry/quarry/crawler"
)

// Batch is a [crawler.Sink] whose results are committed in groups, for a store
// where a commit costs the same whatever it holds.
//
// Put returns only when the commit that holds its result is done: the crawler then
// tells the Frontier that the page is done, and the Frontier may forget it. Were
// the page only in memory at that moment, a crash would lose it for good; and that a page is gone likewise.
//
// The first Put to arrive opens a group. It is committed when it has Size pages,
// or Wait after it was opened; those who come while a commit is under way gather
// for the next one. So pages are found some tens of milliseconds after they were
// fetched, and commits hold up the crawl only where one takes longer than its
// group took to fetch. A Batch must not be changed after its first Put.
type Batch struct {
	// Add takes a result, and need not make it durable. It is called from many
	// goroutines. An error is that of this Put alone.
	Add func(ctx context.Context, r *crawler.Result) error
	// Commit makes all durable that was added before it was called. One is under
	// way at a time. An error is that of all Puts of the group. The context does
	// not end with that of a Put.
	Commit func(ctx context.Context) error

	Size int           // 16, as many as a Crawler has workers: when all wait nobody else can come
	Wait time.Duration // 25 ms

	commit  sync.Mutex     // held by the leader that commits
	leaders sync.WaitGroup // on their way

	mu   sync.Mutex
	open *group // takes more pages; nil: the next Put leads
}

var _ crawler.Sink = (*Batch)(nil)

// group is a number of pages that are committed together.
type group struct {
	pages int
	full  chan struct{}
	done  chan struct{} // closed after the commit
	err   error         // of the commit, once done is closed
}

const (
	defaultSize = 16
	defaultWait = 25 * time.Millisecond
)

// Into is a Batch that keeps a store in step with a crawl: documents are made of pages, where
// document says whether a page becomes one, and removed by their keys, which are the URLs of
// the pages, when a page is gone or has moved, or becomes none any more. The methods of an
// index.Writer fit:
//
//	sink.Into(writer.Add, writer.Delete, writer.Commit, document)
func Into[D any](add func(ctx context.Context, docs ...D) error, remove func(ctx context.Context, keys ...string) error,
	commit func(ctx context.Context) error, document func(*crawler.Page) (D, bool)) *Batch {
	return &Batch{
		Add: func(ctx context.Context, r *crawler.Result) error {
			if r.Page != nil {
				if d, ok := document(r.Page); ok {
					return add(ctx, d)
				}
			}
			if r.Kind == crawler.New {
				return nil
			}
			return remove(ctx, r.URL)
		},
		Commit: commit,
	}
}

// Put adds a result and waits for the commit of its group. A page that has not changed, as a
// server says by status 304, is not added.
func (b *Batch) Put(ctx context.Context, r *crawler.Result) error {
	if r.Kind == crawler.Same && r.Page == nil {
		return nil
	}
	if err := b.Add(ctx, r); err != nil {
		return err
	}
	g, leads := b.join()
	if leads {
		// The group is not the leader's alone, so its end is not either.
		b.leaders.Go(func() { b.lead(context.WithoutCancel(ctx), g) })
	}
	select {
	case <-g.done:
		return g.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Close waits for the commits under way. No Put may come after it.
func (b *Batch) Close() error {
	b.leaders.Wait()
	return nil
}

// join takes part in the open group and reports whether it has just been opened.
func (b *Batch) join() (g *group, leads bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open == nil {
		b.open = &group{full: make(chan struct{}), done: make(chan struct{})}
		leads = true
	}
	g = b.open
	size := b.Size
	if size <= 0 {
		size = defaultSize
	}
	if g.pages++; g.pages == size {
		close(g.full)
	}
	return g, leads
}

// lead waits for the group to gather and for its turn, and commits it.
func (b *Batch) lead(ctx context.Context, g *group) {
	defer close(g.done)
	wait := b.Wait
	if wait <= 0 {
		wait = defaultWait
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-g.full:
	case <-timer.C:
	}
	b.commit.Lock()
	defer b.commit.Unlock()
	b.mu.Lock()
	b.open = nil // whoever joins from now on has added its page too late for this commit
	b.mu.Unlock()
	g.err = b.Commit(ctx)
}
