package admit

import (
	"context"
	"sync"
)

// Quota keeps a run to its pages and bytes. A worker reserves a page before it
// takes a request, and the reservation is used up by a page that is put or else
// released. So no page too many is fetched, and none too few is put.
type Quota struct {
	mu       sync.Mutex
	limited  bool
	pages    int           // neither put nor reserved yet
	reserved int           // by workers at it
	changed  chan struct{} // closed at the next change that can help a waiting worker
	maxBytes int64         // 0: no limit
	bytes    int64
}

// NewQuota makes a quota of so many pages and bytes; 0: no limit.
func NewQuota(pages int, bytes int64) *Quota {
	return &Quota{limited: pages > 0, pages: pages, maxBytes: bytes, changed: make(chan struct{})}
}

// Reserve waits for a page that may be fetched. It is false when the budget is
// met or ctx done.
func (q *Quota) Reserve(ctx context.Context) bool {
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

// Release gives a reservation back: there was no page.
func (q *Quota) Release() { q.settle(1) }

// Use makes a reservation final: the page was put.
func (q *Quota) Use() { q.settle(0) }

func (q *Quota) settle(back int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.pages += back
	q.reserved--
	if q.limited && (back > 0 || q.reserved == 0) {
		close(q.changed)
		q.changed = make(chan struct{})
	}
}

// Reserved is how many pages are reserved and neither put nor given back.
func (q *Quota) Reserved() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.reserved
}

// Take counts bytes received. first is false when the budget was met before
// them, last when it is met by them or was before.
func (q *Quota) Take(n int64) (first, last bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	first = q.maxBytes <= 0 || q.bytes < q.maxBytes
	q.bytes += n
	return first, q.maxBytes > 0 && q.bytes >= q.maxBytes
}
