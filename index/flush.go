package index

import (
	"context"
	"errors"
	"slices"

	"github.com/webquarry/quarry/index/internal/commit"
	"github.com/webquarry/quarry/index/internal/fault"
	"github.com/webquarry/quarry/index/internal/invert"
	"github.com/webquarry/quarry/index/internal/pagefile"
	"github.com/webquarry/quarry/index/internal/segment"
)

// flush has a closed buffer that nobody fills written to a segment, in the background.
func (g *gathering) flush(b *buffer) {
	if b.Len() == 0 {
		g.drop(b)
		return
	}
	b.flushing = true
	g.w.group.Go(func() {
		g.w.mu.Lock()
		defer g.w.mu.Unlock()
		switch {
		case g.w.merging.makeRoom(g.w.ctx) != nil:
		case b.Len() == 0: // by now
			g.drop(b)
		default:
			f := &flush{w: g.w, b: b, docs: b.Freeze(g.w.order()), replaced: map[*part][]match{}}
			if f.run() == nil {
				g.drop(b)
				f.docs.Release()
			}
		}
		b.flushing = false
		g.w.news.Broadcast()
	})
}

// drop forgets a buffer.
func (g *gathering) drop(b *buffer) {
	g.buffers = slices.DeleteFunc(g.buffers, func(o *buffer) bool { return o == b })
	g.w.news.Broadcast()
}

// flush is a buffer on its way to a segment.
type flush struct {
	w        *Writer
	b        *buffer
	docs     *invert.Frozen
	keys     []string // of the documents, ascending
	number   uint64
	handle   *commit.File
	replaced map[*part][]match // what the documents replace in the parts that were looked at
}

// match is a document of a part, and its key among those flushed.
type match struct {
	old uint32
	key int
}

// run writes the segment and puts it in place. The mutex is free meanwhile.
func (f *flush) run() error {
	w := f.w
	f.number = w.newNumber()
	w.state.writing[f.number] = true
	defer delete(w.state.writing, f.number)
	w.mu.Unlock()
	err := fault.Guard("flush", f.write)
	w.mu.Lock()
	for err == nil {
		if err = w.usable(); err != nil { // somebody may have closed it
			break
		}
		unknown := f.unknown()
		if len(unknown) == 0 {
			f.install()
			return nil
		}
		w.mu.Unlock()
		err = fault.Guard("flush", func() error { return f.match(unknown) })
		w.mu.Lock()
	}
	return errors.Join(w.fail(w.ctx, err), f.undo())
}

func (f *flush) write() error {
	out, err := segment.Create(f.w.ix.place, commit.SegmentName(f.number), f.w.ix.files.ID, f.w.ix.files.Codec)
	if err != nil {
		return err
	}
	f.keys = f.docs.Keys()
	if err := f.docs.WriteTo(f.w.ctx, out); err != nil {
		return errors.Join(err, out.Abort())
	}
	if _, err := out.Finish(); err != nil {
		return err
	}
	f.handle, err = commit.OpenSegment(f.w.ix.place, f.number, pagefile.ID{}, f.w.ix.files.Codec)
	return err
}

// unknown returns the parts in which nobody has looked yet for what is replaced.
// They must be released.
func (f *flush) unknown() (parts []*part) {
	for _, p := range f.w.parts {
		if _, known := f.replaced[p]; !known {
			p.Retain()
			parts = append(parts, p)
		}
	}
	return parts
}

// match finds what is replaced in parts, and releases them.
func (f *flush) match(parts []*part) (err error) {
	for _, p := range parts {
		if err == nil {
			f.replaced[p], err = p.matches(f.w.ctx, f.keys)
		}
	}
	for _, p := range parts {
		err = errors.Join(err, p.Release())
	}
	return err
}

// matches finds keys, which ascend, in a part.
func (p *part) matches(ctx context.Context, keys []string) (found []match, err error) {
	for i, key := range keys {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		old, err := p.Seg.Find(key)
		if err != nil {
			return nil, fault.Damage(p.Name(), err)
		}
		if old != segment.NoDoc {
			found = append(found, match{old, i})
		}
	}
	return found, nil
}

// install puts the segment in place. Documents that were killed meanwhile are
// deleted in it, and replace nothing: what replaced them may be there already.
func (f *flush) install() {
	w, fresh := f.w, &part{File: f.handle}
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
	for key, values := range f.b.sets {
		if i, ok := slices.BinarySearch(f.keys, key); ok {
			fresh.set(f.docs.Number(i), values)
		}
	}
	for key := range f.b.again {
		for _, b := range w.gathering.buffers {
			if b.closed > 0 && b.closed < f.b.closed {
				b.kill(key)
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
	f.w.ix.place.Remove(f.handle.Name()) // what stays is removed by the next writer
	return f.handle.Release()
}
