package seen

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
)

// A set is a manifest, named "seen", and the runs that it names, "seen-000001"
// and so on. All numbers are little-endian, sums are CRC-32C (Castagnoli).
//
// A key is a fingerprint whose bits are mixed, so that keys are spread evenly
// whatever fingerprints are:
//
//	x ^= x >> 33; x *= 0xff51afd7ed558ccd; x ^= x >> 33
//	x *= 0xc4ceb9fe1a85ec53; x ^= x >> 33
//
// Manifest, which is replaced as a whole:
//
//	magic    [8]       "QSEENSET"
//	version  [4]       1
//	count    [4]       of runs
//	mark     [8]       of the freeze that was committed last, 0 before the first
//	runs     [20 each] number [4], bytes [8], keys [8], in the order of their numbers
//	sum      [4]       of all before
//
// Run, written once:
//
//	blocks   [1024 each]  see block.go
//	fences   [8 each]     the first key of each block
//	lines    [64 each]    of the filter, see filter.go: as many as 10 bits a key need
//	magic    [8]          "QSEENRUN"
//	version  [4]          1
//	number   [4]          of the run
//	keys     [8]
//	blocks   [8]          how many there are
//	sum      [4]          of fences and lines
//	sum      [4]          of what is between the lines and this
//
// No key is in two runs. docs/formats/seen.md has a worked example.
const (
	manifestName  = "seen"
	manifestMagic = "QSEENSET"
	manifestHead  = 24
	runMagic      = "QSEENRUN"
	version       = 1
	footerSize    = 40
	entrySize     = 20
	sumSize       = 4
)

// ErrVersion is matched by errors about files of another version.
var ErrVersion = errors.New("frontier: seen set: written by another version of this program")

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	errSum     = errors.New("checksum does not match")
)

// mix makes a key of a fingerprint: different ones of different ones, and even
// ones of any (the finalizer of MurmurHash3 by Austin Appleby).
func mix(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// runName is the name of the file of a run.
func runName(number uint32) string { return fmt.Sprintf("%s-%06d", manifestName, number) }

// entry is what a manifest says of a run.
type entry struct {
	number uint32
	size   int64
	keys   int
}

// manifest says which runs the set consists of.
type manifest struct {
	mark uint64
	runs []entry
}

func (m manifest) encode() []byte {
	b := append([]byte(nil), manifestMagic...)
	b = binary.LittleEndian.AppendUint32(b, version)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(m.runs)))
	b = binary.LittleEndian.AppendUint64(b, m.mark)
	for _, r := range m.runs {
		b = binary.LittleEndian.AppendUint32(b, r.number)
		b = binary.LittleEndian.AppendUint64(b, uint64(r.size))
		b = binary.LittleEndian.AppendUint64(b, uint64(r.keys))
	}
	return appendSum(b)
}

func appendSum(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// checkEnds checks the magic and the version at the start of b and the sum at
// its end.
func checkEnds(b []byte, magic string) error {
	end := len(b) - sumSize
	switch {
	case string(b[:8]) != magic:
		return fmt.Errorf("does not begin with %s", magic)
	case crc32.Checksum(b[:end], castagnoli) != binary.LittleEndian.Uint32(b[end:]):
		return errSum
	case binary.LittleEndian.Uint32(b[8:]) != version:
		return ErrVersion
	}
	return nil
}

func decodeManifest(b []byte) (m manifest, err error) {
	if len(b) < manifestHead+sumSize {
		return m, errors.New("the manifest is too short")
	}
	if err := checkEnds(b, manifestMagic); err != nil {
		return m, err
	}
	entries := b[manifestHead : len(b)-sumSize]
	if uint64(len(entries)) != entrySize*uint64(binary.LittleEndian.Uint32(b[12:])) {
		return m, errors.New("the manifest has another length than it says")
	}
	m.mark = binary.LittleEndian.Uint64(b[16:])
	for ; len(entries) > 0; entries = entries[entrySize:] {
		size, keys := binary.LittleEndian.Uint64(entries[4:]), binary.LittleEndian.Uint64(entries[12:])
		e := entry{binary.LittleEndian.Uint32(entries), int64(size), int(keys)}
		last := len(m.runs) - 1
		if size > math.MaxInt64 || keys > size || last >= 0 && m.runs[last].number >= e.number {
			return manifest{}, fmt.Errorf("run %d cannot be as the manifest says", e.number)
		}
		m.runs = append(m.runs, e)
	}
	return m, nil
}

// footer is the end of a run.
type footer struct {
	number uint32
	keys   uint64
	blocks uint64
	sum    uint32 // of fences and lines
}

func (f footer) encode() []byte {
	b := append([]byte(nil), runMagic...)
	b = binary.LittleEndian.AppendUint32(b, version)
	b = binary.LittleEndian.AppendUint32(b, f.number)
	b = binary.LittleEndian.AppendUint64(b, f.keys)
	b = binary.LittleEndian.AppendUint64(b, f.blocks)
	b = binary.LittleEndian.AppendUint32(b, f.sum)
	return appendSum(b)
}

// decodeFooter reads the last footerSize bytes of a run.
func decodeFooter(b []byte) (footer, error) {
	if err := checkEnds(b, runMagic); err != nil {
		return footer{}, err
	}
	return footer{
		number: binary.LittleEndian.Uint32(b[12:]),
		keys:   binary.LittleEndian.Uint64(b[16:]),
		blocks: binary.LittleEndian.Uint64(b[24:]),
		sum:    binary.LittleEndian.Uint32(b[32:]),
	}, nil
}
