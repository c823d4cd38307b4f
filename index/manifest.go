package index

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"

	"github.com/webquarry/quarry/index/internal/bitset"
	"github.com/webquarry/quarry/index/internal/segment"
)

// A commit is the file commit-N, with N counting up from 0. It appears in one
// step, and only the files that the newest one names belong to the index. It is
//
//	magic     "QUARRYCM"          [8]
//	version   1; 2 if the schema has columns, 3 if it has anchors [4]
//	size      bytes of the object [4]
//	object    JSON, see manifest  [size]
//	deleted   for each segment its deleted documents (package bitset)
//	checksum  CRC32C of all before [4]
//
// with little-endian numbers. The checksum stays the last in all versions, so
// that a newer version can be told from damage.
const (
	manifestMagic   = "QUARRYCM"
	manifestVersion = 3
	manifestHead    = 16
)

// manifest is a commit.
type manifest struct {
	Generation uint64            `json:"-"`    // N
	Next       uint64            `json:"next"` // number for the next segment
	Schema     Schema            `json:"schema"`
	Segments   []manifestSegment `json:"segments"`
	Anchors    []manifestAnchors `json:"anchors,omitempty"` // the oldest first
}

// manifestAnchors is a file of anchors of a commit, the file anchors-N.
type manifestAnchors struct {
	Number  uint64 `json:"number"`
	Bytes   int64  `json:"bytes"`
	Targets uint32 `json:"targets"`
	Waiting bool   `json:"waiting,omitempty"` // documents may lack them; so are all newer files then
}

// manifestSegment is a segment of a commit, the file segment-N.
type manifestSegment struct {
	Number  uint64 `json:"number"`
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

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (m *manifest) encode() ([]byte, error) {
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
		return nil, err
	}
	le := binary.LittleEndian
	b := []byte(manifestMagic)
	b = le.AppendUint32(b, m.version())
	b = le.AppendUint32(b, uint32(len(object)))
	b = append(b, object...)
	b = append(b, deleted...)
	return le.AppendUint32(b, crc32.Checksum(b, castagnoli)), nil
}

// version is the least that understands the commit.
func (m *manifest) version() uint32 {
	if m.Schema.anchors() >= 0 {
		return 3
	}
	if slices.ContainsFunc(m.Schema, func(f FieldType) bool { return f.Column }) {
		return 2
	}
	return 1
}

// parseManifest reads a commit. The error is ErrVersion or a *CorruptError.
func parseManifest(name string, b []byte) (*manifest, error) {
	le := binary.LittleEndian
	if len(b) < manifestHead+4 {
		return nil, &CorruptError{name, int64(len(b)), errors.New("file is too short")}
	}
	body := b[:len(b)-4]
	if crc32.Checksum(body, castagnoli) != le.Uint32(b[len(body):]) {
		return nil, &CorruptError{name, 0, errors.New("checksum differs")}
	}
	if string(b[:8]) != manifestMagic {
		return nil, &CorruptError{name, 0, errors.New("not a commit")}
	}
	if v := le.Uint32(b[8:]); v > manifestVersion {
		return nil, fmt.Errorf("%w: %s has version %d, this program knows %d", ErrVersion, name, v, manifestVersion)
	}
	size := uint64(le.Uint32(b[12:]))
	if size > uint64(len(body)-manifestHead) {
		return nil, &CorruptError{name, 12, errors.New("the object is not in the file")}
	}
	m := new(manifest)
	if err := json.Unmarshal(body[manifestHead:manifestHead+size], m); err != nil {
		return nil, &CorruptError{name, manifestHead, err}
	}
	if err := m.parseDeleted(body[manifestHead+size:]); err != nil {
		return nil, &CorruptError{name, int64(manifestHead + size), err}
	}
	return m, nil
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
