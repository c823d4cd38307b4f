package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/webquarry/quarry/index/internal/bitset"
	"github.com/webquarry/quarry/index/internal/segment"
	"github.com/webquarry/quarry/index/internal/store"
	"github.com/webquarry/quarry/index/internal/stored"
)

// Salvaged is what [Salvage] could and could not save.
type Salvaged struct {
	Docs    int      // in the new index
	Lost    []string // keys of documents that could not be saved
	Unknown int      // further documents, whose keys are lost too; at least so many
	Damage  []error  // one for each damaged file, as a rule a [*CorruptError]
	// NoCommit says that no commit could be read. All segments in the folder
	// were taken then, so that deleted documents may be back, and of a document
	// that is in several segments the newest that can be read is kept.
	NoCommit bool
}

// Salvage saves what can be read of the damaged index in one folder into a new
// index in another, and says what was lost. Segments without damage are taken
// over whole, as [Snapshot.Backup] does; where columns that were set later are
// damaged, with the values from before. Of others, documents are put together from
// their stored values and columns and indexed again; one of which a part is damaged
// is lost, and so are all in them when the schema has fields that are searched,
// not stored, no columns and not for anchors. Anchors are saved as far as they can
// be read, and joined with their documents anew.
//
// Options must have the analyzers of the index, and its schema when the commit
// is lost. Nothing is changed in the old folder, which must have no writer. An
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
	lock, err := src.Lock(lockName)
	if err != nil {
		return nil, locked(from, err)
	}
	defer lock.Close()
	s := &salvage{ctx: ctx, from: src, opt: opt, report: new(Salvaged)}
	if err := s.readCommit(); err != nil {
		return nil, err
	}
	if err := s.sort(); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s.report, errors.Join(s.write(to), s.close())
}

type salvage struct {
	ctx     context.Context
	from    *store.Disk
	opt     Options
	report  *Salvaged
	m       *manifest
	intact  []*view
	damaged []remains
	files   []*columnFile
	anchors salvagedAnchors
}

// remains is a damaged segment.
type remains struct {
	manifestSegment
	mapping *store.Mapping
	left    *segment.Remains
}

func (s *salvage) close() error {
	err := releaseViews(s.intact)
	for _, r := range s.damaged {
		err = errors.Join(err, r.mapping.Close())
	}
	for _, f := range s.files {
		err = errors.Join(err, f.release())
	}
	return errors.Join(err, s.anchors.close())
}

// note keeps what is wrong with a file; errors of other kinds come back.
func (s *salvage) note(err error) error {
	if !errors.Is(err, ErrCorrupt) {
		return err
	}
	s.report.Damage = append(s.report.Damage, err)
	return nil
}

// readCommit reads the newest commit that can be read, or makes one of all
// segments.
func (s *salvage) readCommit() error {
	names, err := s.from.List()
	if err != nil {
		return err
	}
	commits, segments := allNumbered(names, commitPrefix), allNumbered(names, segmentPrefix)
	ix := &Index{place: s.from}
	for _, n := range slices.Backward(commits) {
		if s.m, err = ix.readManifest(n); err == nil {
			return nil
		}
		if err := s.note(err); err != nil {
			return err
		}
	}
	if len(segments) == 0 {
		return fmt.Errorf("index: nothing to save: %w", errors.Join(append(s.report.Damage, os.ErrNotExist)...))
	}
	if len(s.opt.Schema) == 0 {
		return &SchemaError{"", "the commit is lost, and Options has no Schema"}
	}
	s.report.NoCommit = true
	s.m = &manifest{Schema: s.opt.Schema.filled()}
	for _, n := range segments {
		s.m.Segments = append(s.m.Segments, manifestSegment{Number: n})
	}
	if s.m.Schema.anchors() >= 0 {
		for _, n := range allNumbered(names, anchorsPrefix) {
			s.m.Anchors = append(s.m.Anchors, manifestAnchors{Number: n})
		}
	}
	return s.m.Schema.check()
}

func allNumbered(names []string, prefix string) (out []uint64) {
	for _, name := range names {
		if n, ok := numbered(name, prefix); ok {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// sort tells segments that are intact from damaged ones.
func (s *salvage) sort() error {
	codec := stored.NewCodec()
	for _, seg := range s.m.Segments {
		h, err := openHandle(s.from, seg.Number, codec)
		if err == nil {
			if err = h.seg.Verify(s.ctx); err == nil {
				columns, err := s.overlay(seg, h)
				if err != nil {
					return errors.Join(err, h.release())
				}
				s.intact = append(s.intact, newView(h, seg.deleted, columns))
				continue
			}
			seg.Docs = h.seg.Docs
			err = errors.Join(damage(h.name(), err), h.release())
		}
		if err := s.note(err); err != nil {
			return err
		}
		mapping, err := s.from.Map(segmentName(seg.Number))
		if err != nil { // it is missing, which is noted
			s.report.Unknown += int(seg.Docs) - seg.deleted.Len()
			continue
		}
		s.damaged = append(s.damaged, remains{seg, mapping, segment.Salvage(mapping.Bytes, seg.Docs, codec)})
	}
	if err := s.sortAnchors(codec); err != nil {
		return err
	}
	if s.report.NoCommit {
		return s.deleteOlder()
	}
	return nil
}

// deleteOlder deletes documents that are in a later segment too.
func (s *salvage) deleteOlder() error {
	for i, v := range s.intact {
		later := &commit{views: s.intact[i+1:]}
		deleted := bitset.New(v.seg.Docs)
		places, err := v.seg.Places()
		if err != nil {
			return damage(v.name(), err)
		}
		keys := v.seg.Keys.Iter()
		for keys.Next() {
			if s.ctx.Err() != nil {
				return context.Cause(s.ctx)
			}
			other, _, err := later.find(string(keys.Text()))
			if err != nil {
				return err
			}
			if other != nil {
				deleted.Add(places.Doc(uint32(keys.Place())))
			}
		}
		v.deleted = deleted
	}
	return nil
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
	opt.Schema = nil // it is in the commit
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
	m := &manifest{Schema: s.m.Schema}
	for _, seg := range s.m.Segments {
		m.Next = max(m.Next, seg.Number+1)
		for _, c := range seg.Columns {
			m.Next = max(m.Next, c.Number+1)
		}
	}
	for _, a := range s.m.Anchors {
		m.Next = max(m.Next, a.Number+1)
	}
	m.Anchors = s.anchors.manifest()
	if err := carryAnchors(s.ctx, to, s.from, s.anchors.intact); err != nil {
		return err
	}
	for _, v := range s.intact {
		if err := v.carry(s.ctx, to, s.from); err != nil {
			return err
		}
		m.Segments = append(m.Segments, manifestSegment{Number: v.number, Bytes: v.bytes, Docs: v.seg.Docs, Columns: v.overlay.manifest(), deleted: v.deleted})
	}
	b, err := m.encode()
	if err != nil {
		return err
	}
	return to.Publish(commitName(0), b)
}

func (s *salvage) writeDamaged(ix *Index) error {
	w, err := ix.Writer()
	if err != nil {
		return err
	}
	for _, r := range s.damaged {
		if err := s.addAll(w, r); err != nil {
			return err
		}
	}
	if len(s.report.Damage) > 0 {
		if err := s.anchors.add(s.ctx, w); err != nil {
			return err
		}
	}
	if err := w.Commit(s.ctx); err != nil {
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
func (s *salvage) addAll(w *Writer, r remains) error {
	c := &commit{schema: s.m.Schema}
	columns, err := s.columns(r)
	if err != nil {
		return err
	}
	if r.left.Err() != nil {
		s.report.Unknown += max(1, int(r.Docs)-r.deleted.Len())
		return nil
	}
	newer := &commit{}
	if s.report.NoCommit {
		newer.views = slices.DeleteFunc(slices.Clone(s.intact), func(v *view) bool { return v.number < r.Number })
	}
	for doc := range r.left.Docs {
		if r.deleted.Has(doc) {
			continue
		}
		key, err := r.left.Key(doc)
		if err != nil {
			s.report.Unknown++
			continue
		}
		if v, _, err := newer.find(key); err != nil {
			return err
		} else if v != nil {
			continue
		}
		values, err := r.left.Values(doc)
		if err != nil || !allStored(s.m.Schema) {
			s.report.Lost = append(s.report.Lost, key)
			continue
		}
		d := Document{Key: key}
		for _, value := range values {
			if f, ok := c.field(value); ok {
				d.Fields = append(d.Fields, f)
			}
		}
		if d.Fields, err = columns.add(d.Fields, doc); err != nil {
			s.report.Lost = append(s.report.Lost, key)
			continue
		}
		if err := w.Add(s.ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// allStored reports whether a document can be made anew from its stored values.
func allStored(s Schema) bool {
	return !slices.ContainsFunc(s, func(f FieldType) bool { return !f.Stored && !f.Column && f.Anchors == 0 })
}
