package index

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/webquarry/quarry/index/internal/commit"
	"github.com/webquarry/quarry/index/internal/fault"
	"github.com/webquarry/quarry/index/internal/invert"
)

// gathering holds the documents that are not in a segment yet, in several
// buffers, so that goroutines that add documents do so side by side: each takes
// a buffer, fills a document in, and gives the buffer back. Whoever finds that all
// of them together are too large has one written to a segment, and waits for
// that, while others go on.
//
// A buffer that is to be written is closed: no document is begun in it any more. A
// document that comes again takes the place of the one in a buffer that is open, but
// not in one that is closed, for which a commit may wait; that one goes when the
// later document is in a segment. So a key is live in one open buffer at most, and in
// closed ones a later buffer has the later document.
//
// All of it is guarded by the writer's mutex, except a document that is being
// filled in and a buffer that is being written.
type gathering struct {
	w        *Writer
	buffers  []*buffer
	most     int    // buffers that are to be filled
	closings uint64 // how many buffers were closed
}

type buffer struct {
	invert.Buffer
	sets     map[string]map[int]commit.Value // by key and field: given after their documents
	again    map[string]bool                 // keys of which an earlier document is in a closed buffer
	bytes    int64                           // its size when it was last free
	filled   bool                            // somebody fills in a document
	flushing bool
	closed   uint64 // which closing it was; 0: it is open
}

func newBuffer() *buffer {
	return &buffer{sets: map[string]map[int]commit.Value{}, again: map[string]bool{}}
}

// kill removes the document of a key.
func (b *buffer) kill(key string) {
	b.Kill(key)
	delete(b.sets, key)
	delete(b.again, key)
}

const mostBuffers = 16

func newGathering(w *Writer) *gathering {
	return &gathering{w: w, most: min(runtime.GOMAXPROCS(0), mostBuffers)}
}

// add adds a document. The mutex is free while it is filled in. Until that is done,
// an earlier document of its key stays.
func (g *gathering) add(ctx context.Context, d *analysed) error {
	var b *buffer
	if err := g.w.wait(ctx, func() bool { b = g.free(); return b != nil }); err != nil {
		return err
	}
	place := b.Begin(d.Key)
	b.filled = true
	g.w.mu.Unlock()
	most := g.w.ix.opt.largest()
	var refused error
	broken := fault.Guard("inversion", func() error {
		if refused = b.Fill(place, d.Doc, most); errors.Is(refused, invert.ErrTooLarge) {
			refused = &DocumentError{d.Key, tooLarge(d.bytes, most)}
		}
		if err := d.err(); err != nil {
			refused = &DocumentError{d.Key, err}
			if ctx.Err() != nil {
				refused = context.Cause(ctx)
			}
		}
		return nil
	})
	g.w.mu.Lock()
	b.filled = false
	b.bytes = b.Size()
	g.w.news.Broadcast()
	if broken != nil {
		return g.w.fail(ctx, broken)
	}
	if refused == nil {
		g.keep(b, place, d.Key)
	}
	if b.closed > 0 && g.w.usable() == nil {
		g.close(b)
	}
	return refused
}

// keep makes the document of a place of a buffer that of its key.
func (g *gathering) keep(b *buffer, place int, key string) {
	again := false
	for _, o := range g.buffers {
		// B may have been closed while it was filled. Who waits for a buffer that was
		// closed after it waits for b, too.
		if o != b && o.closed > 0 && (b.closed == 0 || o.closed < b.closed) {
			again = again || o.Has(key)
		} else {
			o.kill(key)
		}
	}
	b.Keep(place)
	if again {
		b.again[key] = true
	}
}

// free returns the buffer that the next document goes to; nil: all are in use.
// Few documents stay together; many are spread evenly, so that buffers are
// written side by side.
func (g *gathering) free() (free *buffer) {
	n := 0
	for _, b := range g.buffers {
		if b.closed > 0 {
			continue
		}
		n++
		if b.filled {
			continue
		}
		if free == nil || (b.bytes < free.bytes) == (free.bytes > leastBudget) {
			free = b
		}
	}
	if free == nil && n < g.most {
		free = newBuffer()
		g.buffers = append(g.buffers, free)
	}
	return free
}

// kill removes the documents of a key.
func (g *gathering) kill(key string) {
	for _, b := range g.buffers {
		b.kill(key)
	}
}

// newest returns the buffer with the newest document of a key; nil: none has one.
func (g *gathering) newest(key string) (newest *buffer) {
	for _, b := range g.buffers {
		if b.Has(key) && (newest == nil || b.closed == 0 || newest.closed > 0 && newest.closed < b.closed) {
			newest = b
		}
	}
	return newest
}

// close has a buffer written to a segment as soon as nobody fills it.
func (g *gathering) close(b *buffer) {
	if b.closed == 0 {
		g.closings++
		b.closed = g.closings
	}
	if !b.filled && !b.flushing {
		g.flush(b)
	}
}

// docs is the number of documents.
func (g *gathering) docs() (n int) {
	for _, b := range g.buffers {
		n += b.Len()
	}
	return n
}

// makeRoom has segments written while the buffers take more than the budget, and
// waits for them. A buffer that holds only little waits for others instead.
func (g *gathering) makeRoom(ctx context.Context) error {
	var ours *buffer // which this call has flushed
	return g.w.wait(ctx, func() bool {
		for {
			size, busy := int64(0), false
			var largest *buffer
			for _, b := range g.buffers {
				size += b.bytes
				if b.filled || b.flushing {
					busy = true
				} else if largest == nil || b.bytes > largest.bytes {
					largest = b
				}
			}
			budget := g.w.ix.opt.budget() / 4 * 3 // the rest is for what writing takes
			if size < budget {
				return true
			}
			if largest == nil || slices.Contains(g.buffers, ours) || busy && largest.bytes < budget/int64(2*g.most) {
				return false
			}
			ours = largest
			g.close(ours)
		}
	})
}

// splitFrom is the text, in bytes, from which on documents of one call are added
// side by side; less would only leave more segments.
const splitFrom = 2 << 20

// worthSplitting reports whether documents may and should be added side by side:
// there is much text, and no key comes twice, since the later one is to stay.
func worthSplitting(docs []Document) bool {
	size := 0
	for i := 0; i < len(docs) && size < splitFrom; i++ {
		for _, f := range docs[i].Fields {
			for v := range f.values() {
				size += len(v)
			}
		}
	}
	if size < splitFrom {
		return false
	}
	keys := make(map[string]bool, len(docs))
	for _, d := range docs {
		keys[d.Key] = true
	}
	return len(keys) == len(docs)
}

func (w *Writer) addSideBySide(ctx context.Context, docs []Document) error {
	var next atomic.Int64
	errs := make([]error, min(w.gathering.most, len(docs)))
	var mu sync.Mutex
	var refused []error
	var group sync.WaitGroup
	for i := range errs {
		group.Go(func() {
			for errs[i] == nil {
				n := next.Add(1) - 1
				if n >= int64(len(docs)) {
					return
				}
				err := w.add(ctx, docs[n])
				if _, ok := errors.AsType[*DocumentError](err); ok {
					mu.Lock()
					refused = append(refused, err)
					mu.Unlock()
				} else {
					errs[i] = err
				}
			}
			next.Store(int64(len(docs)))
		})
	}
	group.Wait()
	if err := cmp.Or(errs...); err != nil {
		refused = append(refused, err)
	}
	return errors.Join(refused...)
}

// busy is how many buffers are filled or written at this moment.
func (g *gathering) busy() (n int) {
	for _, b := range g.buffers {
		if b.filled || b.flushing {
			n++
		}
	}
	return n
}

// flushAll has everything that was added before written to segments, and waits for
// that.
func (g *gathering) flushAll(ctx context.Context) error {
	if err := g.w.usable(); err != nil {
		return err
	}
	all := slices.Clone(g.buffers)
	for _, b := range all {
		g.close(b)
	}
	return g.w.wait(ctx, func() bool {
		return !slices.ContainsFunc(all, func(b *buffer) bool { return slices.Contains(g.buffers, b) })
	})
}

// end waits until nobody uses a buffer, and drops them.
func (g *gathering) end() {
	for g.busy() > 0 {
		g.w.news.Wait()
	}
	g.buffers = nil
}
