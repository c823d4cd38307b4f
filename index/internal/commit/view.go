package commit

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/webquarry/quarry/index/internal/bitset"
	"github.com/webquarry/quarry/index/internal/column"
	"github.com/webquarry/quarry/index/internal/fault"
	"github.com/webquarry/quarry/index/internal/pagefile"
	"github.com/webquarry/quarry/index/internal/segment"
	"github.com/webquarry/quarry/index/internal/store"
	"github.com/webquarry/quarry/index/internal/stored"
)

// File is an open segment, or a file of anchors, which is one too. It is shared
// by commits and the writer, and closed when none of them uses it any more.
type File struct {
	mapped
	Number uint64
	file   string // its name
	Seg    *segment.Segment
}

// mapped is a mapped file, and how many use it. The last one closes it.
type mapped struct {
	Bytes    int64
	Mapping  *store.Mapping
	Repaired bool     // the mapping is not what is on disk
	opened   sync.Map // by field, its *column.Column

	mu   sync.Mutex
	refs int
}

// retain makes one more user of a file that is in use.
func (m *mapped) retain() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refs++
}

// Release ends one use. The last one closes the file.
func (m *mapped) Release() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.refs--; m.refs > 0 {
		return nil
	}
	return m.Mapping.Close()
}

// OpenSegment opens a segment, which must have the ID unless that is zero.
func OpenSegment(in store.Folder, number uint64, id pagefile.ID, codec *stored.Codec) (*File, error) {
	return Open(in, number, SegmentName(number), id, codec)
}

// Open opens a segment, or a file of anchors, under a name. It must have the ID unless that
// is zero.
func Open(in store.Folder, number uint64, name string, id pagefile.ID, codec *stored.Codec) (*File, error) {
	mapping, err := in.Map(name)
	if err != nil {
		return nil, fault.Missing(name, err)
	}
	return NewFile(mapping, number, name, id, codec)
}

// NewFile makes a file of a mapping, which it takes over.
func NewFile(mapping *store.Mapping, number uint64, name string, id pagefile.ID, codec *stored.Codec) (*File, error) {
	seg, err := segment.Open(mapping.Bytes, codec)
	if err == nil {
		err = expect(id, seg.ID())
	}
	if err != nil {
		return nil, errors.Join(fault.Damage(name, err), mapping.Close())
	}
	return &File{mapped: mapped{Bytes: int64(len(mapping.Bytes)), Mapping: mapping, refs: 1}, Number: number, file: name, Seg: seg}, nil
}

// expect reports that a file is not the one that a commit names, unless want is zero.
func expect(want, got pagefile.ID) error {
	if want == got || want == (pagefile.ID{}) {
		return nil
	}
	what := "another file than was committed"
	if want.Index != got.Index {
		what = "a file of another index"
	}
	return &pagefile.Damage{Msg: fmt.Sprintf("%s: its ID is %v, not %v", what, got, want)}
}

// Name is the name of the file in the folder.
func (h *File) Name() string { return h.file }

// Changed reports that the file is not the one any more that was opened.
func (h *File) Changed() error { return fault.Damage(h.Name(), h.Seg.Changed()) }

// ID tells the file from the others of the index.
func (h *File) ID() FileID { return FileID(h.Seg.ID().File) }

// Retain makes one more user of a file that is in use.
func (h *File) Retain() *File {
	h.retain()
	return h
}

func findFile(files []*File, number uint64, id FileID) *File {
	for _, h := range files {
		if h.Number == number && h.ID() == id {
			return h
		}
	}
	return nil
}

// RetainAll makes one more user of each file, and returns a copy of the list.
func RetainAll(files []*File) []*File {
	for _, h := range files {
		h.Retain()
	}
	return slices.Clone(files)
}

// ReleaseAll ends one use of each file.
func ReleaseAll(files []*File) error {
	var errs []error
	for _, h := range files {
		errs = append(errs, h.Release())
	}
	return errors.Join(errs...)
}

// View is a segment without its deleted documents. Neither changes.
type View struct {
	*File
	Deleted *bitset.Set
	Overlay Overlay
	Filters filters
	counts  sync.Map // by TermKey, the live documents of a term
	// Collections are how often terms stand in live documents, by TermKey.
	Collections sync.Map
	counted     atomic.Int64
	Tokens      func() (map[string]uint64, error)
}

// TermKey is a term of a field.
type TermKey struct{ Field, Term string }

// MayCount reports whether there is room for one more count of a term.
func (v *View) MayCount() bool { return v.counted.Add(1) <= mostCounts }

// NewView makes a view that takes over one use of its file and of each file
// of the overlay.
func NewView(h *File, deleted *bitset.Set, columns Overlay) *View {
	v := &View{File: h, Deleted: deleted, Overlay: columns}
	v.Tokens = sync.OnceValues(v.countTokens)
	return v
}

// hold makes one more user of a view that is in use.
func (v *View) hold() *View {
	v.Retain()
	v.Overlay.Retain()
	return v
}

// release ends one use of the view.
func (v *View) release() error { return errors.Join(v.Overlay.Release(), v.File.Release()) }

// Field finds a field by its name.
func (v *View) Field(name string) (*segment.FieldReader, bool) {
	return v.Overlay.Field(v.File, name)
}

// Damage says which file of the view is damaged.
func (v *View) Damage(err error) error { return v.Overlay.Damage(v.File, err) }

// docs is the number of live documents.
func (v *View) docs() int { return int(v.Seg.Docs) - v.Deleted.Len() }

// countTokens sums up, for each field, the lengths of the live documents.
func (v *View) countTokens() (map[string]uint64, error) {
	out := map[string]uint64{}
	for _, f := range slices.Concat(v.Seg.Fields, v.Overlay.Fields()) { // those of the overlay come last and count
		n := f.Tokens
		if v.Deleted.Len() > 0 {
			lengths, err := f.Lengths()
			if err != nil {
				return nil, v.Damage(err)
			}
			for doc := range v.Deleted.All() {
				n -= uint64(lengths.At(doc))
			}
		}
		out[f.Name] = n
	}
	return out, nil
}

// Column opens the column of a field by its number; nil when no document of the
// segment has a value.
func (v *View) Column(field int) (*column.Column, error) {
	return v.Overlay.Open(v.File, field)
}

// FirstFrom returns the place of the first key that is not less than key.
func (v *View) FirstFrom(key string) (uint32, error) {
	keys := v.Seg.Keys.Iter()
	if keys.Seek([]byte(key)) {
		return uint32(keys.Place()), nil
	}
	return v.Seg.Docs, fault.Damage(v.Name(), keys.Err())
}
