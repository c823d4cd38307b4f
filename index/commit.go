package index

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/webquarry/quarry/index/internal/pagefile"
	"github.com/webquarry/quarry/index/internal/store"
	"github.com/webquarry/quarry/rank"
)

// commit is what was committed at some time, open for reading. It is shared by
// the snapshots of it.
type commit struct {
	generation uint64
	schema     Schema
	views      []*view
	anchors    []*handle // the oldest first
	docs       int       // live ones
	dicts      sync.Map  // by field, the *dictionaryJob of its dictionary
	manifest   *manifest
	scorer     rank.Scorer // that is kept with the commit; nil: none
	shared     shared
	files      []openFile

	mu   sync.Mutex
	refs int

	asking sync.Mutex
	spoken *spoken // in the languages of the live documents; nil: not asked for yet
}

func newCommit(m *manifest, views []*view, anchors []*handle) *commit {
	c := &commit{generation: m.Generation, schema: m.Schema, views: views, anchors: anchors, manifest: m, refs: 1}
	c.scorer, _ = m.Scorer.scorer() // readManifest reports its errors
	for _, v := range views {
		c.docs += v.docs()
		c.files = append(c.files, v.handle)
		for _, f := range v.overlay.files() {
			c.files = append(c.files, f)
		}
	}
	for _, h := range anchors {
		c.files = append(c.files, h)
	}
	return c
}

// openFile is a file of a commit.
type openFile interface {
	// changed reports that the file is not the one any more that was opened.
	changed() error
}

// changed reports the first file that is not the one any more that was opened. It
// looks at the end of each.
func (c *commit) changed() (err error) {
	defer recoverFault(&err, debug.SetPanicOnFault(true))
	for _, f := range c.files {
		if err := f.changed(); err != nil {
			return err
		}
	}
	return nil
}

// read has f read the files of the commit. It returns an error when one of them
// cannot be read or has changed meanwhile, whatever f says.
func (c *commit) read(f func() error) (err error) {
	defer recoverFault(&err, debug.SetPanicOnFault(true))
	defer c.blame(&err)
	err = f()
	if err == nil || !errors.Is(err, ErrCorrupt) {
		err = cmp.Or(c.changed(), err)
	}
	return err
}

// blame makes a panic an error when a file has changed: what was checked once may be
// anything then.
func (c *commit) blame(err *error) {
	p := recover()
	if p == nil {
		return
	}
	if store.FaultOf(p) == nil {
		if changed := c.changed(); changed != nil {
			*err = changed
			return
		}
	}
	panic(p)
}

// retain makes one more user; false: it is closed already.
func (c *commit) retain() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refs == 0 {
		return false
	}
	c.refs++
	return true
}

func (c *commit) release() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refs--; c.refs > 0 {
		return nil
	}
	return errors.Join(releaseViews(c.views), releaseAll(c.anchors))
}

func releaseViews(views []*view) error {
	var errs []error
	for _, v := range views {
		errs = append(errs, v.release())
	}
	return errors.Join(errs...)
}

// view returns the view of a segment, nil when the commit has none.
func (c *commit) view(number uint64, id fileID) *view {
	for _, v := range c.views {
		if v.number == number && v.id() == id {
			return v
		}
	}
	return nil
}

// readCommit reads the newest commit; nil when there is none, or when it is
// that of last.
func (ix *Index) readCommit(last *commit) (_ *commit, err error) {
	defer recoverFault(&err, debug.SetPanicOnFault(true))
	for {
		names, err := ix.place.List()
		if err != nil {
			return nil, err
		}
		n, ok, err := newestCommit(names)
		if err != nil || !ok || last != nil && last.generation == n {
			return nil, err
		}
		c, err := ix.openCommit(n, names, last)
		if errors.Is(err, fs.ErrNotExist) && ix.superseded(n) {
			continue // a writer has removed what it does not need any more
		}
		return c, err
	}
}

// superseded reports whether there is a newer commit than n.
func (ix *Index) superseded(n uint64) bool {
	names, err := ix.place.List()
	if err != nil {
		return false
	}
	newest, ok, err := newestCommit(names)
	return err == nil && ok && newest > n
}

func (ix *Index) readManifest(n uint64) (_ *manifest, err error) {
	defer recoverFault(&err, debug.SetPanicOnFault(true))
	name := commitName(n)
	mapping, err := ix.place.Map(name)
	if err != nil {
		return nil, missing(name, err)
	}
	m, err := parseManifest(n, mapping.Bytes)
	if err := errors.Join(err, mapping.Close()); err != nil {
		return nil, err
	}
	return m, nil
}

// openCommit opens commit n. It shares with last the segments that both have.
func (ix *Index) openCommit(n uint64, names []string, last *commit) (*commit, error) {
	m, err := ix.readManifest(n)
	switch {
	case err != nil:
	case ix.id != 0 && ix.id != m.ID.Index:
		err = &CorruptError{commitName(n), 0, errors.New("of another index")}
	case len(m.Segments) == 0:
		err = ix.checkEmpty(m, names)
	}
	if err != nil {
		return nil, err
	}
	var views []*view
	for _, s := range m.Segments {
		v, err := ix.openView(m, s, last)
		if err != nil {
			return nil, errors.Join(err, releaseViews(views))
		}
		views = append(views, v)
	}
	anchors, err := ix.openAnchors(m, last)
	if err != nil {
		return nil, errors.Join(err, releaseViews(views))
	}
	return newCommit(m, views, anchors), nil
}

// idOf is the whole ID of a file that the commit names.
func (m *manifest) idOf(file fileID) pagefile.ID {
	return pagefile.ID{Index: m.ID.Index, File: uint64(file)}
}

// checkEmpty reports that a commit without segments is of another index than the
// files beside it. With segments this shows when they are opened.
func (ix *Index) checkEmpty(m *manifest, names []string) error {
	for _, name := range names {
		_, segment := numbered(name, segmentPrefix)
		_, columns := numbered(name, columnPrefix)
		_, anchors := numbered(name, anchorsPrefix)
		if !segment && !columns && !anchors {
			continue
		}
		mapping, err := ix.place.Map(name)
		if err != nil {
			continue // it may have been removed
		}
		file, err := pagefile.Open(mapping.Bytes)
		foreign := err == nil && file.ID().Index != m.ID.Index
		if err := mapping.Close(); err != nil {
			return err
		}
		if foreign {
			return &CorruptError{commitName(m.Generation), 0, fmt.Errorf("of another index than %s", name)}
		}
	}
	return nil
}

// openAnchors opens the files of anchors of a commit. It shares with last those
// that both have.
func (ix *Index) openAnchors(m *manifest, last *commit) (files []*handle, err error) {
	for _, a := range m.Anchors {
		var h *handle
		if last != nil {
			h = find(last.anchors, a.Number, a.ID)
		}
		if h != nil {
			h.retain()
		} else if h, err = openNamed(ix.place, a.Number, anchorsName(a.Number), m.idOf(a.ID), ix.codec); err != nil {
			return nil, errors.Join(err, releaseAll(files))
		}
		files = append(files, h)
		if h.bytes != a.Bytes || h.seg.Docs != a.Targets {
			err := &CorruptError{h.name(), 0, errors.New("not the anchors that were committed")}
			return nil, errors.Join(err, releaseAll(files))
		}
	}
	return files, nil
}

func (ix *Index) openView(m *manifest, s manifestSegment, last *commit) (*view, error) {
	if last != nil {
		if v := last.view(s.Number, s.ID); v != nil {
			if v.deleted.Len() == s.deleted.Len() && slices.Equal(v.overlay.manifest(), s.Columns) { // they only grow
				return v.hold(), nil
			}
			columns, err := ix.openOverlay(m, s, v)
			if err != nil {
				return nil, err
			}
			return newView(v.retain(), s.deleted, columns), nil
		}
	}
	h, err := openHandle(ix.place, s.Number, m.idOf(s.ID), ix.codec)
	if err != nil {
		return nil, err
	}
	if h.seg.Docs != s.Docs || h.bytes != s.Bytes {
		err := &CorruptError{h.name(), 0, errors.New("not the segment that was committed")}
		return nil, errors.Join(err, h.release())
	}
	columns, err := ix.openOverlay(m, s, nil)
	if err != nil {
		return nil, errors.Join(err, h.release())
	}
	return newView(h, s.deleted, columns), nil
}

// openOverlay opens the columns of a segment that were set. It shares with last,
// an earlier view of the segment, the files that both have.
func (ix *Index) openOverlay(m *manifest, s manifestSegment, last *view) (overlay, error) {
	out := overlay{}
	for _, c := range s.Columns {
		f := out.find(c)
		if f == nil && last != nil {
			f = last.overlay.find(c)
		}
		if f != nil {
			out[c.Field] = f.retain()
			continue
		}
		f, err := openColumnFile(ix.place, c.Number, m.idOf(c.ID))
		if err == nil {
			out[c.Field] = f
			if f.bytes != c.Bytes || !f.fits(s.Docs) {
				err = &CorruptError{f.name(), 0, errors.New("not the columns that were committed")}
			}
		}
		if err != nil {
			return nil, errors.Join(err, out.release())
		}
	}
	return out, nil
}
