package commit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/webquarry/quarry/index/internal/bitset"
	"github.com/webquarry/quarry/index/internal/fault"
	"github.com/webquarry/quarry/index/internal/pagefile"
	"github.com/webquarry/quarry/index/internal/schema"
	"github.com/webquarry/quarry/index/internal/segment"
)

// A commit is the file commit-N, with N counting up from 0. It appears in one
// step, and only the files that the newest one names belong to the index. It is a
// page file (package pagefile) of two sections:
//
//	object   JSON, see Manifest
//	deleted  for each segment its deleted documents (package bitset)
//
// It names each other file with its ID, and says its own generation, so that a file
// of another index, or an older one, is not taken for what was committed.
const (
	manifestObject  = 1
	manifestDeleted = 2
)

// Manifest is a commit.
type Manifest struct {
	ID         pagefile.ID   `json:"-"`
	Generation uint64        `json:"generation"` // N
	Next       uint64        `json:"next"`       // number for the next segment
	Schema     schema.Fields `json:"schema"`
	Scorer     *Scorer       `json:"scorer,omitempty"` // nil: no scorer was set
	Segments   []Segment     `json:"segments"`
	Anchors    []Anchors     `json:"anchors,omitempty"` // the oldest first
}

// FileID is what tells a file from the others of its index, see [pagefile.ID].
type FileID uint64

// MarshalText writes 16 hexadecimal digits.
func (id FileID) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%016x", uint64(id)), nil }

// UnmarshalText reads what MarshalText writes.
func (id *FileID) UnmarshalText(b []byte) error {
	n, err := strconv.ParseUint(string(b), 16, 64)
	*id = FileID(n)
	return err
}

// Anchors is a file of anchors of a commit, the file anchors-N.
type Anchors struct {
	Number  uint64 `json:"number"`
	ID      FileID `json:"id"`
	Bytes   int64  `json:"bytes"`
	Targets uint32 `json:"targets"`
	Waiting bool   `json:"waiting,omitempty"` // documents may lack them; so are all newer files then
}

// Segment is a segment of a commit, the file segment-N.
type Segment struct {
	Number  uint64 `json:"number"`
	ID      FileID `json:"id"`
	Bytes   int64  `json:"bytes"` // size of the file
	Docs    uint32 `json:"docs"`
	Deleted int    `json:"deleted,omitempty"` // bytes of deleted documents
	// Columns are those that were set after the segment was written.
	Columns     []Column    `json:"columns,omitempty"`
	DeletedDocs *bitset.Set `json:"-"` // nil: none
}

// Column says that the column of a field, or a field of anchors, is in the
// file column-N.
type Column struct {
	Field  int    `json:"field"` // number in the schema
	Number uint64 `json:"number"`
	ID     FileID `json:"id"`
	Bytes  int64  `json:"bytes"` // size of the file
}

// The names of files: a prefix and a number, and the lock of the writer.
const (
	Prefix        = "commit-"
	SegmentPrefix = "segment-"
	ColumnPrefix  = "column-"
	AnchorsPrefix = "anchors-"
	LockName      = "writer.lock"
)

// Name is the name of commit n.
func Name(n uint64) string { return Prefix + strconv.FormatUint(n, 10) }

// SegmentName is the name of segment n.
func SegmentName(n uint64) string { return SegmentPrefix + strconv.FormatUint(n, 10) }

// AnchorsName is the name of file n of anchors.
func AnchorsName(n uint64) string { return AnchorsPrefix + strconv.FormatUint(n, 10) }

// ColumnName is the name of file n of columns that were set.
func ColumnName(n uint64) string { return ColumnPrefix + strconv.FormatUint(n, 10) }

// Numbered returns the number of a name that starts with prefix and is
// otherwise a number as we write it.
func Numbered(name, prefix string) (uint64, bool) {
	rest, ok := strings.CutPrefix(name, prefix)
	n, err := strconv.ParseUint(rest, 10, 64)
	return n, ok && err == nil && rest == strconv.FormatUint(n, 10)
}

// Encode returns the bytes of the file, which has an ID of its own each time.
func (m *Manifest) Encode() ([]byte, error) {
	var out bytes.Buffer
	w := pagefile.NewWriter(&out, m.ID.Index)
	err := m.writeTo(w)
	return out.Bytes(), err
}

func (m *Manifest) writeTo(w *pagefile.Writer) error {
	var deleted []byte
	for i := range m.Segments {
		s := &m.Segments[i]
		s.Deleted = 0
		if s.DeletedDocs.Len() > 0 {
			before := len(deleted)
			deleted = s.DeletedDocs.Append(deleted)
			s.Deleted = len(deleted) - before
		}
	}
	object, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return err
	}
	w.Begin(manifestObject, 0)
	w.Write(object)
	w.Begin(manifestDeleted, 0)
	w.Write(deleted)
	return w.Finish()
}

// ParseManifest reads commit n. The error is ErrVersion or a *CorruptError.
func ParseManifest(n uint64, b []byte) (*Manifest, error) {
	name := Name(n)
	file, err := pagefile.Open(b)
	if err == nil {
		err = file.Verify(context.Background())
	}
	if err != nil {
		return nil, fault.Damage(name, err)
	}
	m, err := ReadManifest(file)
	if err == nil && m.Generation != n {
		err = &fault.CorruptError{File: name, Offset: 0, Err: fmt.Errorf("this was commit %d", m.Generation)}
	}
	return m, fault.Damage(name, err)
}

// ReadManifest reads a file whose pages were checked.
func ReadManifest(file *pagefile.File) (*Manifest, error) {
	object, deleted, err := manifestSections(file)
	if err != nil {
		return nil, err
	}
	m := &Manifest{ID: file.ID()}
	if err := json.Unmarshal(object, m); err != nil {
		return nil, &pagefile.Damage{Msg: err.Error()}
	}
	if _, err := m.Scorer.scorer(); err != nil {
		return nil, &pagefile.Damage{Msg: err.Error()}
	}
	if err := m.parseDeleted(deleted); err != nil {
		return nil, &pagefile.Damage{Msg: err.Error()}
	}
	return m, nil
}

func manifestSections(file *pagefile.File) (object, deleted []byte, err error) {
	first, ok := file.Section(manifestObject, 0)
	second, also := file.Section(manifestDeleted, 0)
	if !ok || !also {
		return nil, nil, &pagefile.Damage{Msg: "not a commit"}
	}
	if object, err = first.All(); err == nil {
		deleted, err = second.All()
	}
	return object, deleted, err
}

func (m *Manifest) parseDeleted(b []byte) (err error) {
	for i := range m.Segments {
		s := &m.Segments[i]
		if s.Docs > segment.MaxDocs || slices.ContainsFunc(s.Columns, func(c Column) bool { return c.Field < 0 || c.Field >= len(m.Schema) }) || s.Deleted < 0 || s.Deleted > len(b) {
			return errors.New("a segment with impossible sizes")
		}
		if s.Deleted == 0 {
			continue
		}
		if s.DeletedDocs, err = bitset.Parse(b[:s.Deleted], s.Docs); err != nil {
			return err
		}
		b = b[s.Deleted:]
	}
	return nil
}

// newestCommit finds the newest commit among file names. Without any it is an
// error if there are segments: they are of an index that has lost its commit.
func newestCommit(names []string) (n uint64, ok bool, err error) {
	for _, name := range names {
		if i, is := Numbered(name, Prefix); is && (!ok || i > n) {
			n, ok = i, true
		}
	}
	lost := slices.IndexFunc(names, func(name string) bool {
		_, is := Numbered(name, SegmentPrefix)
		return is
	})
	if !ok && lost >= 0 {
		return 0, false, &fault.CorruptError{File: Prefix + "*", Offset: 0, Err: errors.New("no commit, but " + names[lost])}
	}
	return n, ok, nil
}
