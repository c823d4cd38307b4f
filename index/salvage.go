package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/webquarry/quarry/index/internal/bitset"
	"github.com/webquarry/quarry/index/internal/pagefile"
	"github.com/webquarry/quarry/index/internal/segment"
	"github.com/webquarry/quarry/index/internal/store"
	"github.com/webquarry/quarry/index/internal/stored"
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
	lock, err := src.Lock(lockName)
	if err != nil {
		return nil, locked(from, err)
	}
	defer lock.Close()
	s := &salvage{ctx: ctx, from: src, codec: stored.NewCodec(), opt: opt, report: new(Salvaged)}
	err = reading(func() error { return s.run(to) })
	if err = errors.Join(err, s.close()); err != nil {
		return nil, err
	}
	return s.report, nil
}

func (s *salvage) run(to string) error {
	if err := s.readCommit(); err != nil {
		return err
	}
	if err := s.sort(); err != nil {
		return err
	}
	return s.write(to)
}

type salvage struct {
	ctx     context.Context
	from    *store.Disk
	codec   *stored.Codec
	opt     Options
	report  *Salvaged
	m       *manifest
	intact  []*view
	damaged []remains
	files   []*columnFile // of columns of damaged segments
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
	of, err := s.majority(names)
	if err != nil {
		return err
	}
	commits, segments := allNumbered(names, commitPrefix), allNumbered(names, segmentPrefix)
	for _, n := range slices.Backward(commits) {
		m, err := s.manifest(n)
		if err == nil && of != 0 && m.ID.Index != of {
			err = &CorruptError{commitName(n), 0, errors.New("of another index than most other files")}
		}
		if err == nil {
			s.m = m
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
	s.m = &manifest{ID: pagefile.ID{Index: of}, Schema: s.opt.Schema.filled(), Scorer: keepScorer(s.opt.Scorer)}
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

// majority returns the index that most of several files say they are of; 0 when
// that cannot be told.
func (s *salvage) majority(names []string) (of uint64, err error) {
	votes, all := map[uint64]int{}, 0
	for _, prefix := range []string{segmentPrefix, columnPrefix, anchorsPrefix, commitPrefix} {
		for _, n := range allNumbered(names, prefix) {
			mapping, err := s.from.Map(prefix + strconv.FormatUint(n, 10))
			if err != nil {
				continue
			}
			_ = reading(func() error { // what is wrong is noted when the file is needed
				f, err := pagefile.Open(mapping.Bytes)
				if err == nil {
					all++
					votes[f.ID().Index]++
				}
				return err
			})
			if err := mapping.Close(); err != nil {
				return 0, err
			}
		}
	}
	for index, n := range votes {
		if 2*n > all {
			of = index
		}
	}
	return of, nil
}

// manifest reads a commit, which is repaired when it must be.
func (s *salvage) manifest(n uint64) (*manifest, error) {
	name := commitName(n)
	mapping, err := s.from.Read(name)
	if err != nil {
		return nil, missing(name, err)
	}
	m, err := parseManifest(n, mapping.Bytes)
	if err == nil {
		return m, nil
	}
	file, _, whole, failed := pagefile.Repair(mapping.Bytes, pagefile.ID{})
	if failed != nil || !whole {
		return nil, err
	}
	m, failed = readManifest(file)
	if failed != nil || m.Generation != n {
		return nil, err
	}
	return m, s.note(err)
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

// sort tells segments that are intact, or can be repaired, from others.
func (s *salvage) sort() error {
	for _, seg := range s.m.Segments {
		h, left, err := s.open(seg.Number, segmentName(seg.Number), seg.ID)
		if err != nil {
			return err
		}
		switch {
		case h != nil:
			columns, err := s.overlay(seg, h)
			if err != nil {
				return errors.Join(err, h.release())
			}
			s.intact = append(s.intact, newView(h, seg.deleted, columns))
		case left != nil:
			s.damaged = append(s.damaged, remains{seg, left.mapping, segment.Salvage(left.file, seg.Docs, s.codec)})
		default:
			s.report.Unknown += max(0, int(seg.Docs)-seg.deleted.Len())
		}
	}
	if err := s.sortAnchors(); err != nil {
		return err
	}
	if s.report.NoCommit {
		return s.deleteOlder()
	}
	return nil
}

// leftover is a file that could not be repaired.
type leftover struct {
	mapping *store.Mapping
	file    *pagefile.File
}

// open opens a segment or a file of anchors: as it is, or repaired, or what is left
// of it. There is nothing when it is missing, too much of it is, or it is another
// file than the commit names. All that is wrong is noted.
func (s *salvage) open(number uint64, name string, id fileID) (*handle, *leftover, error) {
	h, err := s.checked(func() (*handle, error) { return openNamed(s.from, number, name, s.wanted(id), s.codec) })
	if h != nil {
		return h, nil, nil
	}
	if err := s.note(err); err != nil {
		return nil, nil, err
	}
	mapping, file, whole := s.repair(name, id)
	if whole {
		h, err = s.checked(func() (*handle, error) { return newHandle(mapping, number, name, pagefile.ID{}, s.codec) })
		if h == nil {
			return nil, nil, s.note(err)
		}
		h.repaired = true
		return h, nil, nil
	}
	if file == nil {
		return nil, nil, nil
	}
	return nil, &leftover{mapping, file}, nil
}

// checked opens a file and reads all of it; nil when it is not to be taken.
func (s *salvage) checked(open func() (*handle, error)) (h *handle, err error) {
	err = reading(func() (err error) {
		if h, err = open(); err == nil {
			err = s.check(h)
		}
		return err
	})
	if err != nil && h != nil {
		err = errors.Join(err, h.release())
		h = nil
	}
	return h, err
}

// check reads all of a file, and reports one that is not to be taken.
func (s *salvage) check(h *handle) error {
	if err := s.foreign(h.seg.ID()); err != nil {
		return damage(h.name(), err)
	}
	for _, v := range s.intact {
		if v.id() == h.id() {
			return &CorruptError{h.name(), 0, errors.New("the same as " + v.name())}
		}
	}
	return damage(h.name(), h.seg.Verify(s.ctx))
}

// foreign reports a file of another index.
func (s *salvage) foreign(id pagefile.ID) error {
	if s.m.ID.Index == 0 || id.Index == s.m.ID.Index {
		return nil
	}
	return &pagefile.Damage{Msg: "a file of another index"}
}

// wanted is the ID that a file must have; zero when there is no commit that says it.
func (s *salvage) wanted(id fileID) pagefile.ID {
	if s.report.NoCommit {
		return pagefile.ID{}
	}
	return s.m.idOf(id)
}

// repair makes of a file what it was, as far as that can be done; no file when
// nothing can be read. Errors were noted when it was opened.
func (s *salvage) repair(name string, id fileID) (*store.Mapping, *pagefile.File, bool) {
	mapping, err := s.from.MapPrivate(name)
	if err != nil {
		return nil, nil, false
	}
	var file *pagefile.File
	var out []byte
	var whole bool
	mend := func() (err error) {
		file, out, whole, err = pagefile.Repair(mapping.Bytes, s.wanted(id))
		return err
	}
	err = reading(mend)
	if _, damaged := errors.AsType[*CorruptError](err); damaged { // it cannot be read
		mapping.Close()
		if mapping, err = s.from.Read(name); err == nil {
			err = mend()
		}
	}
	if err != nil || s.foreign(file.ID()) != nil {
		if mapping != nil {
			mapping.Close()
		}
		return nil, nil, false
	}
	mapping.Bytes = out
	return mapping, file, whole
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
	m := &manifest{ID: s.m.ID, Schema: s.m.Schema, Scorer: s.m.Scorer}
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
		m.Segments = append(m.Segments, manifestSegment{Number: v.number, ID: v.id(), Bytes: v.bytes, Docs: v.seg.Docs, Columns: v.overlay.manifest(), deleted: v.deleted})
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
		var complete bool
		if d.Fields, complete = columns.add(d.Fields, doc); !complete {
			s.report.Incomplete = append(s.report.Incomplete, key)
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
