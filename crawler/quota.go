package crawler

import (
	"context"
	"strconv"
	"sync"
)

// quota keeps a run to its pages and bytes. A worker reserves a page before it
// takes a request, and the reservation is used up by a page that is put or else
// released. So no page too many is fetched, and none too few is put.
type quota struct {
	mu       sync.Mutex
	limited  bool
	pages    int           // neither put nor reserved yet
	reserved int           // by workers at it
	changed  chan struct{} // closed at the next change that can help a waiting worker
	maxBytes int64         // 0: no limit
	bytes    int64
}

func newQuota(b Budget) *quota {
	return &quota{limited: b.Pages > 0, pages: b.Pages, maxBytes: b.Bytes, changed: make(chan struct{})}
}

// reserve waits for a page that may be fetched. It is false when the budget is
// met or ctx done.
func (q *quota) reserve(ctx context.Context) bool {
	for ctx.Err() == nil {
		q.mu.Lock()
		if !q.limited || q.pages > 0 {
			q.pages--
			q.reserved++
			q.mu.Unlock()
			return true
		}
		changed, met := q.changed, q.reserved == 0
		q.mu.Unlock()
		if met {
			return false
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
	return false
}

// release gives a reservation back: there was no page.
func (q *quota) release() { q.settle(1) }

// use makes a reservation final: the page was put.
func (q *quota) use() { q.settle(0) }

func (q *quota) settle(back int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.pages += back
	q.reserved--
	if q.limited && (back > 0 || q.reserved == 0) {
		close(q.changed)
		q.changed = make(chan struct{})
	}
}

// take counts bytes received. first is false when the budget was met before
// them, last when it is met by them or was before.
func (q *quota) take(n int64) (first, last bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	first = q.maxBytes <= 0 || q.bytes < q.maxBytes
	q.bytes += n
	return first, q.maxBytes > 0 && q.bytes >= q.maxBytes
}

// sized is a Sink that tells how large its output is.
type sized interface{ Size() int64 }

// checkOutput refuses a limit of the output that nobody can tell the size of.
func (r *run) checkOutput() error {
	sink := r.Sink
	if h, ok := sink.(*handOver); ok {
		sink = h.before
	}
	if r.output, _ = sink.(sized); r.output == nil && r.Budget.Output > 0 {
		return &ConfigError{"limit of output", strconv.FormatInt(r.Budget.Output, 10), "needs a Sink with a method Size() int64"}
	}
	return nil
}

// stopIfFull ends the run when the output is as large as wanted.
func (r *run) stopIfFull() {
	if r.Budget.Output > 0 && r.output.Size() >= r.Budget.Output {
		r.stop(errBudget)
	}
}
