package index

import (
	"context"
	"errors"
	"slices"

	"github.com/webquarry/quarry/index/internal/invert"
	"github.com/webquarry/quarry/index/internal/segment"
)

// flush writes a buffer to a segment. The mutex is free meanwhile. When the
// context is done the buffer stays as it is.
func (g *gathering) flush(ctx context.Context, b *buffer) error {
	if b.Len() == 0 {
		g.drop(b)
		return nil
	}
	b.flushing = true
	defer func() {
		b.flushing = false
		g.w.news.Broadcast()
	}()
	if err := g.w.merging.makeRoom(ctx); err != nil {
		return err
	}
	f := &flush{w: g.w, docs: b.Freeze(g.w.order())}
	err := f.run(ctx)
	if err == nil {
		err = g.w.usable() // somebody may have closed it
	}
	if err != nil {
		b.Thaw()
		return errors.Join(err, f.undo())
	}
	f.install()
	g.drop(b)
	f.docs.Release()
	return nil
}

// drop forgets a buffer.
func (g *gathering) drop(b *buffer) {
	g.buffers = slices.DeleteFunc(g.buffers, func(o *buffer) bool { return o == b })
	g.w.news.Broadcast()
}

// flush is a buffer on its way to a segment.
type flush struct {
	w        *Writer
	docs     *invert.Frozen
	number   uint64
	handle   *handle
	parts    []*part           // that were there when it began
	replaced map[*part][]match // what the documents replace in them
}

// match is a document of a part, and its key among those flushed.
type match struct {
	old uint32
	key int
}

// run writes the segment.
func (f *flush) run(ctx context.Context) error {
	w := f.w
	f.number = w.state.next
	w.state.next++
	w.state.writing[f.number] = true
	f.parts = slices.Clone(w.parts)
	f.replaced = map[*part][]match{}
	for _, p := range f.parts {
		p.retain()
	}
	w.mu.Unlock()
	err := guarded("flush", func() error { return f.write(ctx) })
	w.mu.Lock()
	delete(w.state.writing, f.number)
	if err == nil {
		err = f.findNew(ctx)
	}
	for _, p := range f.parts {
		err = errors.Join(err, p.release())
	}
	return w.fail(ctx, err)
}

func (f *flush) write(ctx context.Context) error {
	out, err := segment.Create(f.w.ix.place, segmentName(f.number), f.w.ix.codec)
	if err != nil {
		return err
	}
	keys := f.docs.Keys()
	for _, p := range f.parts {
		if err == nil {
			f.replaced[p], err = p.matches(ctx, keys)
		}
	}
	if err == nil {
		err = f.docs.WriteTo(ctx, out)
	}
	if err != nil {
		return errors.Join(err, out.Abort())
	}
	if _, err := out.Finish(); err != nil {
		return err
	}
	f.handle, err = openHandle(f.w.ix.place, f.number, f.w.ix.codec)
	return err
}

// matches finds keys, which ascend, in a part.
func (p *part) matches(ctx context.Context, keys []string) (found []match, err error) {
	for i, key := range keys {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		old, err := p.seg.Find(key)
		if err != nil {
			return nil, damage(p.name(), err)
		}
		if old != segment.NoDoc {
			found = append(found, match{old, i})
		}
	}
	return found, nil
}

// findNew finds what is replaced in the parts that have come meanwhile.
func (f *flush) findNew(ctx context.Context) (err error) {
	keys := f.docs.Keys()
	for _, p := range f.w.parts {
		if _, known := f.replaced[p]; !known {
			if f.replaced[p], err = p.matches(ctx, keys); err != nil {
				return err
			}
		}
	}
	return nil
}

// install puts the segment in place. Documents that were killed meanwhile are
// deleted in it, and replace nothing: what replaced them may be there already.
func (f *flush) install() {
	w, fresh := f.w, &part{handle: f.handle}
	late := map[uint32]bool{}
	for _, doc := range f.docs.Late() {
		late[doc] = true
		fresh.delete(doc)
	}
	for _, p := range w.parts {
		for _, m := range f.replaced[p] {
			if !late[f.docs.Number(m.key)] && !p.deleted.Has(m.old) {
				p.delete(m.old)
			}
		}
	}
	w.parts = append(w.parts, fresh)
	w.state.changed = true
	w.counts.Flushes++
	w.merging.start()
}

// undo removes what was written.
func (f *flush) undo() error {
	if f.handle == nil {
		return nil
	}
	f.w.ix.place.Remove(f.handle.name()) // what stays is removed by the next writer
	return f.handle.release()
}
