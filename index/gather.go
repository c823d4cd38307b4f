package index

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/webquarry/quarry/index/internal/invert"
)

// gathering holds the documents that are not in a segment yet, in several
// buffers, so that goroutines that add documents do so side by side: each takes
// a buffer, fills a document in, and gives the buffer back. Whoever finds that all
// of them together are too large has one written to a segment, and waits for
// that, while others go on. A key is live in one buffer at most.
//
// All of it is guarded by the writer's mutex, except a document that is being
// filled in and a buffer that is being written.
type gathering struct {
	w       *Writer
	buffers []*buffer
	most    int // buffers that are to be filled
}

type buffer struct {
	invert.Buffer
	bytes    int64 // its size when it was last free
	filled   bool  // somebody fills in a document
	flushing bool
	wanted   bool // to be flushed as soon as it is free
}

const mostBuffers = 16

func newGathering(w *Writer) *gathering {
	return &gathering{w: w, most: min(runtime.GOMAXPROCS(0), mostBuffers)}
}

// add adds a document. The mutex is free while it is filled in.
func (g *gathering) add(ctx context.Context, d invert.Doc) error {
	var b *buffer
	if err := g.w.wait(ctx, func() bool { b = g.free(); return b != nil }); err != nil {
		return err
	}
	g.kill(d.Key)
	place := b.Begin(d.Key)
	b.filled = true
	g.w.mu.Unlock()
	err := guarded("inversion", func() error { b.Fill(place, d); return nil })
	g.w.mu.Lock()
	b.filled = false
	b.bytes = b.Size()
	g.w.news.Broadcast()
	if err == nil && b.wanted && g.w.usable() == nil {
		g.flush(b)
	}
	return g.w.fail(ctx, err)
}

// free returns the buffer that the next document goes to; nil: all are in use.
// Few documents stay together; many are spread evenly, so that buffers are
// written side by side.
func (g *gathering) free() (free *buffer) {
	n := 0
	for _, b := range g.buffers {
		if b.flushing || b.wanted {
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
		free = new(buffer)
		g.buffers = append(g.buffers, free)
	}
	return free
}

// kill removes the documents of keys.
func (g *gathering) kill(keys ...string) {
	for _, b := range g.buffers {
		for _, key := range keys {
			b.Kill(key)
		}
	}
	for _, key := range keys {
		delete(g.w.sets, key)
	}
}

// has reports whether the document of a key is in a buffer.
func (g *gathering) has(key string) bool {
	return slices.ContainsFunc(g.buffers, func(b *buffer) bool { return b.Has(key) })
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
			g.flush(ours)
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
	var group sync.WaitGroup
	for i := range errs {
		group.Go(func() {
			for errs[i] == nil {
				n := next.Add(1) - 1
				if n >= int64(len(docs)) {
					return
				}
				errs[i] = w.add(ctx, docs[n])
			}
			next.Store(int64(len(docs)))
		})
	}
	group.Wait()
	return cmp.Or(errs...)
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
		b.wanted = true
		if !b.filled && !b.flushing {
			g.flush(b)
		}
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
