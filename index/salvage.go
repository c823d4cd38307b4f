package index

import (
	"context"
	"errors"
	"os"
	"slices"

	"github.com/webquarry/quarry/index/internal/commit"
	"github.com/webquarry/quarry/index/internal/fault"
	"github.com/webquarry/quarry/index/internal/links"
	"github.com/webquarry/quarry/index/internal/repair"
	"github.com/webquarry/quarry/index/internal/schema"
	"github.com/webquarry/quarry/index/internal/store"
)

// Salvaged is what [Salvage] could and could not save.
type Salvaged struct {
	Docs       int      // in the new index
	Lost       []string // keys of documents that could not be saved
	Unknown    int      // further documents, whose keys are lost too; at least so many
	Incomplete []string // keys of documents that were saved without some value that was in a column
	Damage     []error  // one for each damaged file, as a rule a [*CorruptError]; also those that could be repaired
	// NoCommit says that no commit could be read. All segments in the folder
	// were taken then, so that deleted documents may be back, and of a document
	// that is in several segments the newest that can be read is kept.
	NoCommit bool
}

// Salvage saves what can be read of the damaged index in one folder into a new
// index in another, and says what was lost. Files without damage are taken over
// whole, as [Snapshot.Backup] does, and so are those that can be repaired: in which
// one stretch of up to 4 KiB is damaged, in files of 2 MiB and more up to 60 KiB, or
// several that are far from each other, or in which some bytes are missing or too
// many. Where columns that were set later cannot be repaired, the values from before
// are saved. Of other segments, documents are put together from their stored values
// and columns and indexed again: lost are those whose key or stored values lie where
// the damage is, and all in them when the schema has fields that are searched,
// not stored, no columns and not for anchors. Anchors are saved as far as they can
// be read, and joined with their documents anew. A file of another index, or an older
// one, is not taken; what was in its place is lost.
//
// Options must have the analyzers of the index, and its schema and scorer when the
// commit is lost. Nothing is changed in the old folder, which must have no writer. An
// error means that there is no new index.
func Salvage(ctx context.Context, from, to string, opt Options) (*Salvaged, error) {
	if _, err := os.Stat(from); err != nil {
		return nil, err
	}
	src, err := store.OpenDisk(from)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	lock, err := src.Lock(commit.LockName)
	if err != nil {
		return nil, locked(from, err)
	}
	defer lock.Close()
	s := &salvage{repair.Examine(ctx, src, opt.Schema.fields().Filled(), commit.Keep(opt.Scorer)), opt, new(Salvaged)}
	err = fault.Reading(func() error { return s.run(to) })
	if err = errors.Join(err, s.Close()); err != nil {
		return nil, err
	}
	s.report.Unknown, s.report.Damage, s.report.NoCommit = s.Unknown, s.Damage, s.NoCommit
	return s.report, nil
}

func (s *salvage) run(to string) error {
	if err := s.Sort(); err != nil {
		return err
	}
	return s.write(to)
}

type salvage struct {
	*repair.Index
	opt    Options
	report *Salvaged
}

// write makes the new index: of the intact segments, and then of documents from
// the others.
func (s *salvage) write(dir string) error {
	to, err := store.OpenDisk(dir, s.opt.hooks...)
	if err != nil {
		return err
	}
	if err := errors.Join(s.writeIntact(to, dir), to.Close()); err != nil {
		return err
	}
	opt := s.opt
	opt.Schema, opt.Scorer = nil, nil // they are in the commit
	ix, err := Open(dir, opt)
	if err != nil {
		return err
	}
	return errors.Join(s.writeDamaged(ix), ix.Close())
}

func (s *salvage) writeIntact(to *store.Disk, dir string) error {
	lock, err := vacant(to, dir)
	if err != nil {
		return err
	}
	defer lock.Close()
	m := &commit.Manifest{ID: s.Manifest.ID, Schema: s.Manifest.Schema, Scorer: s.Manifest.Scorer}
	for _, seg := range s.Manifest.Segments {
		m.Next = max(m.Next, seg.Number+1)
		for _, c := range seg.Columns {
			m.Next = max(m.Next, c.Number+1)
		}
	}
	for _, a := range s.Manifest.Anchors {
		m.Next = max(m.Next, a.Number+1)
	}
	m.Anchors = (&anchoring{files: s.Anchors.Intact, committed: len(s.Anchors.Intact), joined: s.Anchors.Joined}).manifest()
	if err := carryAnchors(s.Ctx, to, s.From, s.Anchors.Intact); err != nil {
		return err
	}
	for _, v := range s.Intact {
		if err := carryView(s.Ctx, to, s.From, v); err != nil {
			return err
		}
		m.Segments = append(m.Segments, commit.Segment{Number: v.Number, ID: v.ID(), Bytes: v.Bytes, Docs: v.Seg.Docs, Columns: v.Overlay.Manifest(), DeletedDocs: v.Deleted})
	}
	b, err := m.Encode()
	if err != nil {
		return err
	}
	return to.Publish(commit.Name(0), b)
}

func (s *salvage) writeDamaged(ix *Index) error {
	w, err := ix.Writer()
	if err != nil {
		return err
	}
	for _, r := range s.Damaged {
		if err := s.addAll(w, r); err != nil {
			return err
		}
	}
	if len(s.Damage) > 0 {
		if err := s.addAnchors(w); err != nil {
			return err
		}
	}
	if err := w.Commit(s.Ctx); err != nil {
		return err
	}
	snapshot, err := ix.Snapshot()
	if err != nil {
		return err
	}
	s.report.Docs = snapshot.Docs()
	return snapshot.Close()
}

// addAll adds the documents of a damaged segment that can be read.
func (s *salvage) addAll(w *Writer, r repair.Segment) error {
	columns, err := s.Columns(r)
	if err != nil {
		return err
	}
	if r.Left.Err() != nil {
		s.Unknown += max(1, int(r.Docs)-r.DeletedDocs.Len())
		return nil
	}
	var newer []*commit.View
	if s.NoCommit {
		newer = slices.DeleteFunc(slices.Clone(s.Intact), func(v *commit.View) bool { return v.Number < r.Number })
	}
	for doc := range r.Left.Docs {
		if r.DeletedDocs.Has(doc) {
			continue
		}
		key, err := r.Left.Key(doc)
		if err != nil {
			s.Unknown++
			continue
		}
		if v, _, err := commit.Find(newer, key); err != nil {
			return err
		} else if v != nil {
			continue
		}
		values, err := r.Left.Values(doc)
		if err != nil || !allStored(s.Manifest.Schema) {
			s.report.Lost = append(s.report.Lost, key)
			continue
		}
		d := Document{Key: key}
		for _, value := range values {
			if f, ok := storedField(s.Manifest.Schema, value); ok {
				d.Fields = append(d.Fields, f)
			}
		}
		var complete bool
		if d.Fields, complete = addRemaining(d.Fields, columns, doc); !complete {
			s.report.Incomplete = append(s.report.Incomplete, key)
		}
		if err := w.Add(s.Ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// allStored reports whether a document can be made anew from its stored values.
func allStored(s schema.Fields) bool {
	return !slices.ContainsFunc(s, func(f schema.Field) bool { return !f.Stored && !f.Column && f.Anchors == 0 })
}

// addRemaining adds what a document has in the columns, as far as that can be read, and
// reports whether that is all.
func addRemaining(to []Field, c repair.RemainingColumns, doc uint32) (_ []Field, complete bool) {
	complete = true
	for _, column := range c {
		next, err := to, column.Lost
		if column.Kind == schema.Vector && err == nil {
			var v []float32
			if v, err = column.Vectors.At(doc); v != nil {
				if _, err = schema.ToVector(column.Field.Vectors, v); err == nil {
					next = append(to, Field{column.Name, v})
				}
			}
		} else if err == nil {
			next, err = addColumn(to, column.Field, column.Of, doc)
		}
		if err != nil {
			complete = false
			continue
		}
		to = next
	}
	return to, complete
}

// addAnchors adds what can be read of damaged files, and has all anchors joined anew.
func (s *salvage) addAnchors(w *Writer) error {
	a, ctx := &s.Anchors, s.Ctx
	for _, d := range a.Damaged {
		for target := range d.Left.Docs {
			key, err := d.Left.Key(target)
			if err != nil {
				continue
			}
			values, err := d.Left.Values(target)
			kept, err := links.Read(&commit.File{}, key, values, err)
			if err != nil {
				continue
			}
			newer, err := a.Has(key, d.Older)
			if err == nil && !newer {
				var all []Anchor
				for _, a := range kept.Anchors {
					all = append(all, Anchor(a))
				}
				w.keepTargets(key, kept.Targets)
				err = errors.Join(w.DeleteAnchors(ctx, key), w.AddAnchors(ctx, all...))
			}
			if err != nil {
				return err
			}
		}
	}
	return w.rejoin(ctx)
}

// rejoin has the anchors of all documents joined in the next commit.
func (w *Writer) rejoin(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.parts {
		p.anchored = false
	}
	w.state.changed = w.state.changed || len(w.anchors.files) > 0
	return w.usable()
}
