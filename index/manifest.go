package index

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
	"github.com/webquarry/quarry/index/internal/pagefile"
	"github.com/webquarry/quarry/index/internal/segment"
)

// A commit is the file commit-N, with N counting up from 0. It appears in one
// step, and only the files that the newest one names belong to the index. It is a
// page file (package pagefile) of two sections:
//
//	object   JSON, see manifest
//	deleted  for each segment its deleted documents (package bitset)
//
// It names each other file with its ID, and says its own generation, so that a file
// of another index, or an older one, is not taken for what was committed.
const (
	manifestObject  = 1
	manifestDeleted = 2
)

// manifest is a commit.
type manifest struct {
	ID         pagefile.ID       `json:"-"`
	Generation uint64            `json:"generation"` // N
	Next       uint64            `json:"next"`       // number for the next segment
	Schema     Schema            `json:"schema"`
	Scorer     *keptScorer       `json:"scorer,omitempty"` // nil: no scorer was set
	Segments   []manifestSegment `json:"segments"`
	Anchors    []manifestAnchors `json:"anchors,omitempty"` // the oldest first
}

// fileID is what tells a file from the others of its index, see [pagefile.ID].
type fileID uint64

// MarshalText writes 16 hexadecimal digits.
func (id fileID) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%016x", uint64(id)), nil }

// UnmarshalText reads what MarshalText writes.
func (id *fileID) UnmarshalText(b []byte) error {
	n, err := strconv.ParseUint(string(b), 16, 64)
	*id = fileID(n)
	return err
}

// manifestAnchors is a file of anchors of a commit, the file anchors-N.
type manifestAnchors struct {
	Number  uint64 `json:"number"`
	ID      fileID `json:"id"`
	Bytes   int64  `json:"bytes"`
	Targets uint32 `json:"targets"`
	Waiting bool   `json:"waiting,omitempty"` // documents may lack them; so are all newer files then
}

// manifestSegment is a segment of a commit, the file segment-N.
type manifestSegment struct {
	Number  uint64 `json:"number"`
	ID      fileID `json:"id"`
	Bytes   int64  `json:"bytes"` // size of the file
	Docs    uint32 `json:"docs"`
	Deleted int    `json:"deleted,omitempty"` // bytes of deleted documents
	// Columns are those that were set after the segment was written.
	Columns []manifestColumn `json:"columns,omitempty"`
	deleted *bitset.Set      // nil: none
}

// manifestColumn says that the column of a field, or a field of anchors, is in the
// file column-N.
type manifestColumn struct {
	Field  int    `json:"field"` // number in the schema
	Number uint64 `json:"number"`
	ID     fileID `json:"id"`
	Bytes  int64  `json:"bytes"` // size of the file
}

const (
	commitPrefix  = "commit-"
	segmentPrefix = "segment-"
	columnPrefix  = "column-"
	anchorsPrefix = "anchors-"
	lockName      = "writer.lock"
)

func commitName(n uint64) string  { return commitPrefix + strconv.FormatUint(n, 10) }
func segmentName(n uint64) string { return segmentPrefix + strconv.FormatUint(n, 10) }
func anchorsName(n uint64) string { return anchorsPrefix + strconv.FormatUint(n, 10) }
func columnName(n uint64) string  { return columnPrefix + strconv.FormatUint(n, 10) }

// numbered returns the number of a name that starts with prefix and is
// otherwise a number as we write it.
func numbered(name, prefix string) (uint64, bool) {
	rest, ok := strings.CutPrefix(name, prefix)
	n, err := strconv.ParseUint(rest, 10, 64)
	return n, ok && err == nil && rest == strconv.FormatUint(n, 10)
}

// encode returns the bytes of the file, which has an ID of its own each time.
func (m *manifest) encode() ([]byte, error) {
	var out bytes.Buffer
	w := pagefile.NewWriter(&out, m.ID.Index)
	err := m.writeTo(w)
	return out.Bytes(), err
}

func (m *manifest) writeTo(w *pagefile.Writer) error {
	var deleted []byte
	for i := range m.Segments {
		s := &m.Segments[i]
		s.Deleted = 0
		if s.deleted.Len() > 0 {
			before := len(deleted)
			deleted = s.deleted.Append(deleted)
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

// parseManifest reads commit n. The error is ErrVersion or a *CorruptError.
func parseManifest(n uint64, b []byte) (*manifest, error) {
	name := commitName(n)
	file, err := pagefile.Open(b)
	if err == nil {
		err = file.Verify(context.Background())
	}
	if err != nil {
		return nil, damage(name, err)
	}
	m, err := readManifest(file)
	if err == nil && m.Generation != n {
		err = &CorruptError{name, 0, fmt.Errorf("this was commit %d", m.Generation)}
	}
	return m, damage(name, err)
}

// readManifest reads a file whose pages were checked.
func readManifest(file *pagefile.File) (*manifest, error) {
	object, deleted, err := manifestSections(file)
	if err != nil {
		return nil, err
	}
	m := &manifest{ID: file.ID()}
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

func (m *manifest) parseDeleted(b []byte) (err error) {
	for i := range m.Segments {
		s := &m.Segments[i]
		if s.Docs > segment.MaxDocs || slices.ContainsFunc(s.Columns, func(c manifestColumn) bool { return c.Field < 0 || c.Field >= len(m.Schema) }) || s.Deleted < 0 || s.Deleted > len(b) {
			return errors.New("a segment with impossible sizes")
		}
		if s.Deleted == 0 {
			continue
		}
		if s.deleted, err = bitset.Parse(b[:s.Deleted], s.Docs); err != nil {
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
		if i, is := numbered(name, commitPrefix); is && (!ok || i > n) {
			n, ok = i, true
		}
	}
	lost := slices.IndexFunc(names, func(name string) bool {
		_, is := numbered(name, segmentPrefix)
		return is
	})
	if !ok && lost >= 0 {
		return 0, false, &CorruptError{commitPrefix + "*", 0, errors.New("no commit, but " + names[lost])}
	}
	return n, ok, nil
}
