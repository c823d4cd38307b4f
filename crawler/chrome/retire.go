package chrome

import (
	"cmp"
	"errors"
	"slices"

	"github.com/webquarry/quarry/crawler"
)

const (
	weighEvery = 20 // pages, after which a browser's memory is looked at, which takes some milliseconds
	lateInARow = 3  // pages at least, and one for each tab, that ran out of time: it hangs
)

// weigh replaces a browser that has grown too large.
func (p *pool) weigh(b *instance) {
	limit := cmp.Or(p.fetcher.Limits.Memory, 2<<30)
	if b.shown.Add(1)%weighEvery == 0 && memoryOf(b.pid) >= limit {
		p.retire(b)
	}
}

// time replaces a browser that shows nothing in time any more: a page may hang the
// process that all others depend on. err is what became of a page.
func (p *pool) time(b *instance, err error) {
	switch {
	case !errors.Is(err, crawler.ErrTimeoutTotal):
		b.late.Store(0)
	case int(b.late.Add(1)) >= max(lateInARow, cap(p.slots)):
		p.retire(b)
	}
}

// retire has a browser show what it shows to the end, and no more: the next page is
// for another one.
func (p *pool) retire(b *instance) {
	p.mu.Lock()
	b.retired = true
	var old []*tab
	p.idle = slices.DeleteFunc(p.idle, func(t *tab) bool {
		if t.browser == b {
			old = append(old, t)
		}
		return t.browser == b
	})
	p.mu.Unlock()
	for _, t := range old {
		go t.close()
		p.leave(b)
	}
}
