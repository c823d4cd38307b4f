package index

import (
	"context"
	"slices"
	"sync"

	"github.com/webquarry/quarry/index/internal/commit"
	"github.com/webquarry/quarry/index/internal/exec"
	"github.com/webquarry/quarry/index/internal/fault"
	"github.com/webquarry/quarry/index/internal/schema"
	"github.com/webquarry/quarry/index/internal/segment"
)

// Snapshot is the documents of one commit, whatever is written later. Its
// methods may be called from many goroutines. While it is open its files take
// room on disk, also when the index has removed them.
type Snapshot struct {
	ix     *Index
	commit *exec.Collection
	schema schema.Fields // of the commit, with the weights that the index was opened with
	once   sync.Once
	err    error // of Close

	mu     sync.Mutex
	closed bool
}

var _ Searcher = (*Snapshot)(nil)

func newSnapshot(ix *Index, c *exec.Collection) *Snapshot {
	return &Snapshot{ix: ix, commit: c, schema: ix.schemaOver(c.Commit)}
}

// use keeps the files open until done is called, also when the snapshot is
// closed meanwhile.
func (s *Snapshot) use() (done func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || !s.commit.Retain() {
		return nil, ErrClosed
	}
	return func() { s.commit.Release() }, nil
}

// read has f read the files. What it has read may be wrong, and is dropped then, when a
// file cannot be read or has changed meanwhile.
func (s *Snapshot) read(f func() error) (err error) {
	done, err := s.use()
	if err != nil {
		return err
	}
	defer done()
	return s.commit.Read(f)
}

// Close gives the snapshot back. Searches that are under way end as usual.
func (s *Snapshot) Close() error {
	s.once.Do(func() {
		s.mu.Lock()
		s.closed = true
		s.mu.Unlock()
		s.err = s.commit.Release()
	})
	return s.err
}

// Generation is the number of the commit, which every commit and every merge raises.
func (s *Snapshot) Generation() uint64 { return s.commit.Generation }

// Docs is the number of documents.
func (s *Snapshot) Docs() int { return s.commit.Docs }

// Schema lists the fields.
func (s *Snapshot) Schema() Schema { return schemaOf(s.schema) }

// Languages lists the languages, as ISO 639 codes in ascending order, that documents of the
// snapshot are in, as far as they are known and an analyzer, such as "auto", asks for them.
func (s *Snapshot) Languages() (codes []string, err error) {
	err = s.read(func() error {
		of, err := s.commit.Speak(s.ix.known, nil)
		if err == nil {
			codes = slices.Clone(of.Languages)
		}
		return err
	})
	return codes, err
}

// Document returns the document of a key as far as the index keeps it, and whether
// there is one. Stored fields come first and columns after them, both in the order of
// the schema, each field once:
//
//   - A stored field has the values that were added, in their order: a string, or a
//     []string if it was added as one or more than once.
//   - A Keyword field that is not stored but a column has its values sorted, each once:
//     a string, or a []string of several.
//   - An Integer field has an int64, a Float field a float64, a Time field a time.Time
//     in UTC, cut to the microsecond, a Vector field a []float32.
//
// A field without a value, and one that is neither stored nor a column, is left out.
// [Document.Text] gives any of these as a string.
func (s *Snapshot) Document(key string) (d Document, ok bool, err error) {
	err = s.read(func() (err error) {
		d, ok, err = s.document(key)
		return err
	})
	if err != nil {
		return Document{}, false, err
	}
	return d, ok, nil
}

func (s *Snapshot) document(key string) (Document, bool, error) {
	v, doc, err := commit.Find(s.commit.Views, key)
	if err != nil || v == nil {
		return Document{}, false, err
	}
	values, err := v.Seg.Values(doc, func(int) bool { return true })
	if err != nil {
		return Document{}, false, fault.Damage(v.Name(), err)
	}
	d := Document{Key: key}
	for _, value := range values {
		if f, ok := storedField(s.commit.Schema, value); ok {
			d.Fields = append(d.Fields, f)
		}
	}
	d.Fields, err = addColumns(s.commit, v, doc, d.Fields)
	return d, err == nil, err
}

// storedField makes a stored value a field.
func storedField(s schema.Fields, v segment.Value) (Field, bool) {
	if v.Field >= len(s) {
		return Field{}, false
	}
	return Field{s[v.Field].Name, storedValue(v)}, true
}

// storedValue is a stored value as it was added.
func storedValue(v segment.Value) any {
	if v.List {
		return v.Strings
	}
	return v.Strings[0]
}

// Verify reads all files of the snapshot and reports the first damage, as an
// error that matches [ErrCorrupt].
func (s *Snapshot) Verify(ctx context.Context) error {
	return s.read(func() error { return s.verify(ctx) })
}

func (s *Snapshot) verify(ctx context.Context) error {
	for _, v := range s.commit.Views {
		if err := v.Seg.Verify(ctx); err != nil {
			return fault.Damage(v.Name(), err)
		}
		if err := v.Overlay.Verify(ctx, v.File); err != nil {
			return err
		}
	}
	for _, h := range s.commit.Anchors {
		if err := h.Seg.Verify(ctx); err != nil {
			return fault.Damage(h.Name(), err)
		}
	}
	return nil
}
