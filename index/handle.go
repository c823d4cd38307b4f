package index

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/webquarry/quarry/index/internal/bitset"
	"github.com/webquarry/quarry/index/internal/pagefile"
	"github.com/webquarry/quarry/index/internal/segment"
	"github.com/webquarry/quarry/index/internal/store"
	"github.com/webquarry/quarry/index/internal/stored"
)

// handle is an open segment, or a file of anchors, which is one too. It is shared
// by commits and the writer, and closed when none of them uses it any more.
type handle struct {
	number  uint64
	file    string // its name
	bytes   int64
	seg     *segment.Segment
	mapping *store.Mapping
	opened  sync.Map // by field, its *column.Column

	repaired bool // the mapping is not what is on disk

	mu   sync.Mutex
	refs int
}

// openHandle opens a segment, which must have the ID unless that is zero.
func openHandle(in store.Folder, number uint64, id pagefile.ID, codec *stored.Codec) (*handle, error) {
	return openNamed(in, number, segmentName(number), id, codec)
}

func openNamed(in store.Folder, number uint64, name string, id pagefile.ID, codec *stored.Codec) (*handle, error) {
	mapping, err := in.Map(name)
	if err != nil {
		return nil, missing(name, err)
	}
	return newHandle(mapping, number, name, id, codec)
}

// newHandle makes a handle that takes over a mapping.
func newHandle(mapping *store.Mapping, number uint64, name string, id pagefile.ID, codec *stored.Codec) (*handle, error) {
	seg, err := segment.Open(mapping.Bytes, codec)
	if err == nil {
		err = expect(id, seg.ID())
	}
	if err != nil {
		return nil, errors.Join(damage(name, err), mapping.Close())
	}
	return &handle{number: number, file: name, bytes: int64(len(mapping.Bytes)), seg: seg, mapping: mapping, refs: 1}, nil
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

func (h *handle) name() string { return h.file }

func (h *handle) changed() error { return damage(h.name(), h.seg.Changed()) }

// id tells the file from the others of the index.
func (h *handle) id() fileID { return fileID(h.seg.ID().File) }

// retain makes one more user of a handle that is in use.
func (h *handle) retain() *handle {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refs++
	return h
}

func (h *handle) release() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refs--
	if h.refs > 0 {
		return nil
	}
	return h.mapping.Close()
}

func find(files []*handle, number uint64, id fileID) *handle {
	for _, h := range files {
		if h.number == number && h.id() == id {
			return h
		}
	}
	return nil
}

func retainAll(files []*handle) []*handle {
	for _, h := range files {
		h.retain()
	}
	return slices.Clone(files)
}

func releaseAll(files []*handle) error {
	var errs []error
	for _, h := range files {
		errs = append(errs, h.release())
	}
	return errors.Join(errs...)
}

// view is a segment without its deleted documents. Neither changes.
type view struct {
	*handle
	deleted     *bitset.Set
	overlay     overlay
	filters     filters
	counts      sync.Map // by termKey, the live documents of a term
	collections sync.Map // by termKey, how often a term stands in live documents
	counted     atomic.Int64
	tokens      func() (map[string]uint64, error)
}

type termKey struct{ field, term string }

// newView makes a view that takes over one use of its handle and of each file
// of the overlay.
func newView(h *handle, deleted *bitset.Set, columns overlay) *view {
	v := &view{handle: h, deleted: deleted, overlay: columns}
	v.tokens = sync.OnceValues(v.countTokens)
	return v
}

// hold makes one more user of a view that is in use.
func (v *view) hold() *view {
	v.retain()
	v.overlay.retain()
	return v
}

// release ends one use of the view.
func (v *view) release() error { return errors.Join(v.overlay.release(), v.handle.release()) }

// field finds a field by its name.
func (v *view) field(name string) (*segment.FieldReader, bool) {
	return v.overlay.field(v.handle, name)
}

// damage says which file of the view is damaged.
func (v *view) damage(err error) error { return v.overlay.damage(v.handle, err) }

// docs is the number of live documents.
func (v *view) docs() int { return int(v.seg.Docs) - v.deleted.Len() }

// countTokens sums up, for each field, the lengths of the live documents.
func (v *view) countTokens() (map[string]uint64, error) {
	out := map[string]uint64{}
	for _, f := range slices.Concat(v.seg.Fields, v.overlay.fields()) { // those of the overlay come last and count
		n := f.Tokens
		if v.deleted.Len() > 0 {
			lengths, err := f.Lengths()
			if err != nil {
				return nil, v.damage(err)
			}
			for doc := range v.deleted.All() {
				n -= uint64(lengths.At(doc))
			}
		}
		out[f.Name] = n
	}
	return out, nil
}
