// Package pagefile is a file of sections whose bytes are checked page by page,
// when they are first read. It knows nothing of what is in the sections.
//
// Where to look:
//
//	format.go   the bytes
//	writer.go   writing a file, front to back
//	reader.go   finding sections and reading checked bytes
//	salvage.go  the same where the footer is damaged
package pagefile

import (
	"errors"
	"fmt"
	"hash/crc32"
)

// Version is the newest version of the format, and the one that is written.
const Version = 3

// PageSize is how many bytes one checksum covers.
const PageSize = 1 << 16

// Features that a reader must know.
const (
	Ordered = 1 << iota // documents are not in the order of their keys

	known = Ordered
)

// Padding is how many readable bytes follow every section.
const Padding = 16

// ErrVersion is returned for a file of a newer version.
var ErrVersion = errors.New("newer version")

// All numbers are little-endian. A file is
//
//	head      magic "QUARRYSG"               [8]
//	body      the sections, one after another
//	footer    number of sections             [4]
//	          per section: kind              [2]
//	                       field             [2]
//	                       offset in file    [8]
//	                       length            [8]
//	          CRC32C of each 64 KiB of head and body, the last may be shorter [4]
//	trailer   offset of the footer           [8]
//	          features                       [4]
//	          version                        [4]
//	          magic "QSEG"                   [4]
//	          CRC32C of footer and trailer up to here [4]
//
// The trailer keeps its place and its checksum in all versions, so that a file
// of a newer version can be told from a damaged one. A feature that an older
// reader must understand sets a bit in features; unknown bits are treated as a
// newer version. Sections of unknown kinds are to be ignored.
const (
	headMagic    = "QUARRYSG"
	trailerMagic = "QSEG"
	sectionSize  = 20
	trailerSize  = 24
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Damage says where a file is damaged.
type Damage struct {
	Offset uint64 // in the file
	Msg    string
}

func (d *Damage) Error() string { return fmt.Sprintf("offset %d: %s", d.Offset, d.Msg) }
