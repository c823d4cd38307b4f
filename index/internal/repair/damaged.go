package repair

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/webquarry/quarry/index/internal/bitset"
	"github.com/webquarry/quarry/index/internal/commit"
	"github.com/webquarry/quarry/index/internal/fault"
	"github.com/webquarry/quarry/index/internal/pagefile"
	"github.com/webquarry/quarry/index/internal/schema"
	"github.com/webquarry/quarry/index/internal/segment"
	"github.com/webquarry/quarry/index/internal/store"
	"github.com/webquarry/quarry/index/internal/stored"
)

// Index is what can be read of an index that is damaged.
type Index struct {
	Ctx      context.Context
	From     *store.Disk
	codec    *stored.Codec
	fields   schema.Fields  // of the index, for when its commit is lost
	scorer   *commit.Scorer // the same
	Manifest *commit.Manifest
	Intact   []*commit.View
	Damaged  []Segment
	files    []*commit.ColumnFile // of columns of damaged segments
	Anchors  Anchors

	Damage   []error
	NoCommit bool // no commit could be read
	Unknown  int  // documents whose keys are lost; at least so many
}

// Examine begins to look at an index.
func Examine(ctx context.Context, from *store.Disk, fields schema.Fields, scorer *commit.Scorer) *Index {
	return &Index{Ctx: ctx, From: from, codec: stored.NewCodec(), fields: fields, scorer: scorer}
}

// Segment is a damaged segment.
type Segment struct {
	commit.Segment
	mapping *store.Mapping
	Left    *segment.Remains
}

// Close closes the files.
func (s *Index) Close() error {
	err := commit.ReleaseViews(s.Intact)
	for _, r := range s.Damaged {
		err = errors.Join(err, r.mapping.Close())
	}
	for _, f := range s.files {
		err = errors.Join(err, f.Release())
	}
	return errors.Join(err, s.Anchors.close())
}

// note keeps what is wrong with a file; errors of other kinds come back.
func (s *Index) note(err error) error {
	if !errors.Is(err, fault.ErrCorrupt) {
		return err
	}
	s.Damage = append(s.Damage, err)
	return nil
}

// readCommit reads the newest commit that can be read, or makes one of all
// segments.
func (s *Index) readCommit() error {
	names, err := s.From.List()
	if err != nil {
		return err
	}
	of, err := s.majority(names)
	if err != nil {
		return err
	}
	commits, segments := allNumbered(names, commit.Prefix), allNumbered(names, commit.SegmentPrefix)
	for _, n := range slices.Backward(commits) {
		m, err := s.manifest(n)
		if err == nil && of != 0 && m.ID.Index != of {
			err = &fault.CorruptError{File: commit.Name(n), Offset: 0, Err: errors.New("of another index than most other files")}
		}
		if err == nil {
			s.Manifest = m
			return nil
		}
		if err := s.note(err); err != nil {
			return err
		}
	}
	if len(segments) == 0 {
		return fmt.Errorf("index: nothing to save: %w", errors.Join(append(s.Damage, os.ErrNotExist)...))
	}
	if len(s.fields) == 0 {
		return &schema.Error{Field: "", Msg: "the commit is lost, and Options has no Schema"}
	}
	s.NoCommit = true
	s.Manifest = &commit.Manifest{ID: pagefile.ID{Index: of}, Schema: s.fields, Scorer: s.scorer}
	for _, n := range segments {
		s.Manifest.Segments = append(s.Manifest.Segments, commit.Segment{Number: n})
	}
	if s.Manifest.Schema.Anchors() >= 0 {
		for _, n := range allNumbered(names, commit.AnchorsPrefix) {
			s.Manifest.Anchors = append(s.Manifest.Anchors, commit.Anchors{Number: n})
		}
	}
	return s.Manifest.Schema.Check()
}

// majority returns the index that most of several files say they are of; 0 when
// that cannot be told.
func (s *Index) majority(names []string) (of uint64, err error) {
	votes, all := map[uint64]int{}, 0
	for _, prefix := range []string{commit.SegmentPrefix, commit.ColumnPrefix, commit.AnchorsPrefix, commit.Prefix} {
		for _, n := range allNumbered(names, prefix) {
			mapping, err := s.From.Map(prefix + strconv.FormatUint(n, 10))
			if err != nil {
				continue
			}
			_ = fault.Reading(func() error { // what is wrong is noted when the file is needed
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
func (s *Index) manifest(n uint64) (*commit.Manifest, error) {
	name := commit.Name(n)
	mapping, err := s.From.Read(name)
	if err != nil {
		return nil, fault.Missing(name, err)
	}
	m, err := commit.ParseManifest(n, mapping.Bytes)
	if err == nil {
		return m, nil
	}
	file, _, whole, failed := pagefile.Repair(mapping.Bytes, pagefile.ID{})
	if failed != nil || !whole {
		return nil, err
	}
	m, failed = commit.ReadManifest(file)
	if failed != nil || m.Generation != n {
		return nil, err
	}
	return m, s.note(err)
}

func allNumbered(names []string, prefix string) (out []uint64) {
	for _, name := range names {
		if n, ok := commit.Numbered(name, prefix); ok {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// Sort reads the commit, and tells segments that are intact, or can be repaired, from
// others.
func (s *Index) Sort() error {
	if err := s.readCommit(); err != nil {
		return err
	}
	for _, seg := range s.Manifest.Segments {
		h, left, err := s.open(seg.Number, commit.SegmentName(seg.Number), seg.ID)
		if err != nil {
			return err
		}
		switch {
		case h != nil:
			columns, err := s.overlay(seg, h)
			if err != nil {
				return errors.Join(err, h.Release())
			}
			s.Intact = append(s.Intact, commit.NewView(h, seg.DeletedDocs, columns))
		case left != nil:
			s.Damaged = append(s.Damaged, Segment{seg, left.mapping, segment.Salvage(left.file, seg.Docs, s.codec)})
		default:
			s.Unknown += max(0, int(seg.Docs)-seg.DeletedDocs.Len())
		}
	}
	if err := s.sortAnchors(); err != nil {
		return err
	}
	if s.NoCommit {
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
func (s *Index) open(number uint64, name string, id commit.FileID) (*commit.File, *leftover, error) {
	h, err := s.checked(func() (*commit.File, error) { return commit.Open(s.From, number, name, s.wanted(id), s.codec) })
	if h != nil {
		return h, nil, nil
	}
	if err := s.note(err); err != nil {
		return nil, nil, err
	}
	mapping, file, whole := s.repair(name, id)
	if whole {
		h, err = s.checked(func() (*commit.File, error) { return commit.NewFile(mapping, number, name, pagefile.ID{}, s.codec) })
		if h == nil {
			return nil, nil, s.note(err)
		}
		h.Repaired = true
		return h, nil, nil
	}
	if file == nil {
		return nil, nil, nil
	}
	return nil, &leftover{mapping, file}, nil
}

// checked opens a file and reads all of it; nil when it is not to be taken.
func (s *Index) checked(open func() (*commit.File, error)) (h *commit.File, err error) {
	err = fault.Reading(func() (err error) {
		if h, err = open(); err == nil {
			err = s.check(h)
		}
		return err
	})
	if err != nil && h != nil {
		err = errors.Join(err, h.Release())
		h = nil
	}
	return h, err
}

// check reads all of a file, and reports one that is not to be taken.
func (s *Index) check(h *commit.File) error {
	if err := s.foreign(h.Seg.ID()); err != nil {
		return fault.Damage(h.Name(), err)
	}
	for _, v := range s.Intact {
		if v.ID() == h.ID() {
			return &fault.CorruptError{File: h.Name(), Offset: 0, Err: errors.New("the same as " + v.Name())}
		}
	}
	return fault.Damage(h.Name(), h.Seg.Verify(s.Ctx))
}

// foreign reports a file of another index.
func (s *Index) foreign(id pagefile.ID) error {
	if s.Manifest.ID.Index == 0 || id.Index == s.Manifest.ID.Index {
		return nil
	}
	return &pagefile.Damage{Msg: "a file of another index"}
}

// wanted is the ID that a file must have; zero when there is no commit that says it.
func (s *Index) wanted(id commit.FileID) pagefile.ID {
	if s.NoCommit {
		return pagefile.ID{}
	}
	return s.Manifest.IDOf(id)
}

// repair makes of a file what it was, as far as that can be done; no file when
// nothing can be read. Errors were noted when it was opened.
func (s *Index) repair(name string, id commit.FileID) (*store.Mapping, *pagefile.File, bool) {
	mapping, err := s.From.MapPrivate(name)
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
	err = fault.Reading(mend)
	if _, damaged := errors.AsType[*fault.CorruptError](err); damaged { // it cannot be read
		mapping.Close()
		if mapping, err = s.From.Read(name); err == nil {
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
func (s *Index) deleteOlder() error {
	for i, v := range s.Intact {
		later := s.Intact[i+1:]
		deleted := bitset.New(v.Seg.Docs)
		places, err := v.Seg.Places()
		if err != nil {
			return fault.Damage(v.Name(), err)
		}
		keys := v.Seg.Keys.Iter()
		for keys.Next() {
			if s.Ctx.Err() != nil {
				return context.Cause(s.Ctx)
			}
			other, _, err := commit.Find(later, string(keys.Text()))
			if err != nil {
				return err
			}
			if other != nil {
				deleted.Add(places.Doc(uint32(keys.Place())))
			}
		}
		v.Deleted = deleted
	}
	return nil
}
