package commit

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/webquarry/quarry/index/internal/fault"
	"github.com/webquarry/quarry/index/internal/pagefile"
	"github.com/webquarry/quarry/index/internal/schema"
	"github.com/webquarry/quarry/index/internal/segment"
	"github.com/webquarry/quarry/index/internal/store"
	"github.com/webquarry/quarry/index/internal/stored"
	"github.com/webquarry/quarry/rank"
)

// Commit is what was committed at some time, open for reading. It is shared by
// the snapshots of it.
type Commit struct {
	Generation uint64
	Schema     schema.Fields
	Views      []*View
	Anchors    []*File // the oldest first
	Docs       int     // live ones
	Manifest   *Manifest
	Scorer     rank.Scorer // that is kept with the commit; nil: none
	files      []openFile

	mu   sync.Mutex
	refs int
}

// New makes a commit of its files, of each of which it takes over one use.
func New(m *Manifest, views []*View, anchors []*File) *Commit {
	c := &Commit{Generation: m.Generation, Schema: m.Schema, Views: views, Anchors: anchors, Manifest: m, refs: 1}
	c.Scorer, _ = m.Scorer.scorer() // ReadManifest reports its errors
	for _, v := range views {
		c.Docs += v.docs()
		c.files = append(c.files, v.File)
		for _, f := range v.Overlay.Files() {
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
	// Changed reports that the file is not the one any more that was opened.
	Changed() error
}

// Changed reports the first file that is not the one any more that was opened. It
// looks at the end of each.
func (c *Commit) Changed() (err error) {
	defer fault.Recover(&err, debug.SetPanicOnFault(true))
	for _, f := range c.files {
		if err := f.Changed(); err != nil {
			return err
		}
	}
	return nil
}

// Read has f read the files of the commit. It returns an error when one of them
// cannot be read or has changed meanwhile, whatever f says.
func (c *Commit) Read(f func() error) (err error) {
	defer fault.Recover(&err, debug.SetPanicOnFault(true))
	defer c.blame(&err)
	err = f()
	if err == nil || !errors.Is(err, fault.ErrCorrupt) {
		err = cmp.Or(c.Changed(), err)
	}
	return err
}

// blame makes a panic an error when a file has changed: what was checked once may be
// anything then.
func (c *Commit) blame(err *error) {
	p := recover()
	if p == nil {
		return
	}
	if store.FaultOf(p) == nil {
		if changed := c.Changed(); changed != nil {
			*err = changed
			return
		}
	}
	panic(p)
}

// Retain makes one more user; false: it is closed already.
func (c *Commit) Retain() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refs == 0 {
		return false
	}
	c.refs++
	return true
}

// Release ends one use. The last one closes the files.
func (c *Commit) Release() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refs--; c.refs > 0 {
		return nil
	}
	return errors.Join(ReleaseViews(c.Views), ReleaseAll(c.Anchors))
}

// ReleaseViews ends one use of each view.
func ReleaseViews(views []*View) error {
	var errs []error
	for _, v := range views {
		errs = append(errs, v.release())
	}
	return errors.Join(errs...)
}

// View returns the view of a segment, nil when the commit has none.
func (c *Commit) View(number uint64, id FileID) *View {
	for _, v := range c.Views {
		if v.Number == number && v.ID() == id {
			return v
		}
	}
	return nil
}

// Reader opens the commits of an index.
type Reader struct {
	Place store.Place
	Codec *stored.Codec
	ID    uint64 // that its files have, see pagefile.ID; 0: not known yet
}

// ReadCommit reads the newest commit; nil when there is none, or when it is
// that of last.
func (r *Reader) ReadCommit(last *Commit) (_ *Commit, err error) {
	defer fault.Recover(&err, debug.SetPanicOnFault(true))
	for {
		names, err := r.Place.List()
		if err != nil {
			return nil, err
		}
		n, ok, err := newestCommit(names)
		if err != nil || !ok || last != nil && last.Generation == n {
			return nil, err
		}
		c, err := r.openCommit(n, names, last)
		if errors.Is(err, fs.ErrNotExist) && r.superseded(n) {
			continue // a writer has removed what it does not need any more
		}
		return c, err
	}
}

// superseded reports whether there is a newer commit than n.
func (r *Reader) superseded(n uint64) bool {
	names, err := r.Place.List()
	if err != nil {
		return false
	}
	newest, ok, err := newestCommit(names)
	return err == nil && ok && newest > n
}

// ReadManifest reads the manifest of commit n.
func (r *Reader) ReadManifest(n uint64) (_ *Manifest, err error) {
	defer fault.Recover(&err, debug.SetPanicOnFault(true))
	name := Name(n)
	mapping, err := r.Place.Map(name)
	if err != nil {
		return nil, fault.Missing(name, err)
	}
	m, err := ParseManifest(n, mapping.Bytes)
	if err := errors.Join(err, mapping.Close()); err != nil {
		return nil, err
	}
	return m, nil
}

// openCommit opens commit n. It shares with last the segments that both have.
func (r *Reader) openCommit(n uint64, names []string, last *Commit) (*Commit, error) {
	m, err := r.ReadManifest(n)
	switch {
	case err != nil:
	case r.ID != 0 && r.ID != m.ID.Index:
		err = &fault.CorruptError{File: Name(n), Offset: 0, Err: errors.New("of another index")}
	case len(m.Segments) == 0:
		err = r.checkEmpty(m, names)
	}
	if err != nil {
		return nil, err
	}
	var views []*View
	for _, s := range m.Segments {
		v, err := r.openView(m, s, last)
		if err != nil {
			return nil, errors.Join(err, ReleaseViews(views))
		}
		views = append(views, v)
	}
	anchors, err := r.openAnchors(m, last)
	if err != nil {
		return nil, errors.Join(err, ReleaseViews(views))
	}
	return New(m, views, anchors), nil
}

// IDOf is the whole ID of a file that the commit names.
func (m *Manifest) IDOf(file FileID) pagefile.ID {
	return pagefile.ID{Index: m.ID.Index, File: uint64(file)}
}

// checkEmpty reports that a commit without segments is of another index than the
// files beside it. With segments this shows when they are opened.
func (r *Reader) checkEmpty(m *Manifest, names []string) error {
	for _, name := range names {
		_, segment := Numbered(name, SegmentPrefix)
		_, columns := Numbered(name, ColumnPrefix)
		_, anchors := Numbered(name, AnchorsPrefix)
		if !segment && !columns && !anchors {
			continue
		}
		mapping, err := r.Place.Map(name)
		if err != nil {
			continue // it may have been removed
		}
		file, err := pagefile.Open(mapping.Bytes)
		foreign := err == nil && file.ID().Index != m.ID.Index
		if err := mapping.Close(); err != nil {
			return err
		}
		if foreign {
			return &fault.CorruptError{File: Name(m.Generation), Offset: 0, Err: fmt.Errorf("of another index than %s", name)}
		}
	}
	return nil
}

// openAnchors opens the files of anchors of a commit. It shares with last those
// that both have.
func (r *Reader) openAnchors(m *Manifest, last *Commit) (files []*File, err error) {
	for _, a := range m.Anchors {
		var h *File
		if last != nil {
			h = findFile(last.Anchors, a.Number, a.ID)
		}
		if h != nil {
			h.Retain()
		} else if h, err = Open(r.Place, a.Number, AnchorsName(a.Number), m.IDOf(a.ID), r.Codec); err != nil {
			return nil, errors.Join(err, ReleaseAll(files))
		}
		files = append(files, h)
		if h.Bytes != a.Bytes || h.Seg.Docs != a.Targets {
			err := &fault.CorruptError{File: h.Name(), Offset: 0, Err: errors.New("not the anchors that were committed")}
			return nil, errors.Join(err, ReleaseAll(files))
		}
	}
	return files, nil
}

func (r *Reader) openView(m *Manifest, s Segment, last *Commit) (*View, error) {
	if last != nil {
		if v := last.View(s.Number, s.ID); v != nil {
			if v.Deleted.Len() == s.DeletedDocs.Len() && slices.Equal(v.Overlay.Manifest(), s.Columns) { // they only grow
				return v.hold(), nil
			}
			columns, err := r.openOverlay(m, s, v)
			if err != nil {
				return nil, err
			}
			return NewView(v.Retain(), s.DeletedDocs, columns), nil
		}
	}
	h, err := OpenSegment(r.Place, s.Number, m.IDOf(s.ID), r.Codec)
	if err != nil {
		return nil, err
	}
	if h.Seg.Docs != s.Docs || h.Bytes != s.Bytes {
		err := &fault.CorruptError{File: h.Name(), Offset: 0, Err: errors.New("not the segment that was committed")}
		return nil, errors.Join(err, h.Release())
	}
	columns, err := r.openOverlay(m, s, nil)
	if err != nil {
		return nil, errors.Join(err, h.Release())
	}
	return NewView(h, s.DeletedDocs, columns), nil
}

// openOverlay opens the columns of a segment that were set. It shares with last,
// an earlier view of the segment, the files that both have.
func (r *Reader) openOverlay(m *Manifest, s Segment, last *View) (Overlay, error) {
	out := Overlay{}
	for _, c := range s.Columns {
		f := out.find(c)
		if f == nil && last != nil {
			f = last.Overlay.find(c)
		}
		if f != nil {
			out[c.Field] = f.Retain()
			continue
		}
		f, err := OpenColumnFile(r.Place, c.Number, m.IDOf(c.ID))
		if err == nil {
			out[c.Field] = f
			if f.Bytes != c.Bytes || !f.Fits(s.Docs) {
				err = &fault.CorruptError{File: f.Name(), Offset: 0, Err: errors.New("not the columns that were committed")}
			}
		}
		if err != nil {
			return nil, errors.Join(err, out.Release())
		}
	}
	return out, nil
}

// Find returns the live document of a key in some views; a nil view when there is none.
func Find(views []*View, key string) (*View, uint32, error) {
	for _, v := range views {
		doc, err := v.Seg.Find(key)
		if err != nil {
			return nil, 0, fault.Damage(v.Name(), err)
		}
		if doc != segment.NoDoc && !v.Deleted.Has(doc) {
			return v, doc, nil
		}
	}
	return nil, 0, nil
}

// Tokens adds up how many tokens the fields hold that have any by their kind.
func (c *Commit) Tokens(sum map[string]uint64, s schema.Fields) error {
	for _, f := range s {
		if f.Kind < schema.StoredOnly {
			sum[f.Name] = 0
		}
	}
	for _, v := range c.Views {
		counts, err := v.Tokens()
		if err != nil {
			return err
		}
		for name, n := range counts {
			sum[name] += n
		}
	}
	return nil
}
