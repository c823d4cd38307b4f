// Package pagefile is a file of sections whose bytes are checked page by page,
// when they are first read. It knows nothing of what is in the sections.
//
// Where to look:
//
//	format.go   the bytes
//	writer.go   writing a file, front to back
//	reader.go   finding sections and reading checked bytes
//	parity.go   what damaged pages are made of again
//	repair.go   doing so, and finding the footer where the end of a file is lost
package pagefile

import (
	"errors"
	"fmt"
	"hash/crc32"
)

// Version is the version of the format.
const Version = 1

// PageSize is how many bytes one checksum covers.
const PageSize = 1 << 12

// Padding is how many readable bytes follow every section.
const Padding = 16

// ErrVersion is returned for a file of another version.
var ErrVersion = errors.New("another version")

// ID tells a file from all others: those of other indexes, and those that the same
// index has or had under the same name. Both numbers are random.
type ID struct {
	Index uint64
	File  uint64
}

func (id ID) String() string { return fmt.Sprintf("%016x-%016x", id.Index, id.File) }

// All numbers are little-endian. A file is
//
//	head      magic "QUARRYIX"               [8]
//	body      the sections, one after another
//	footer    number of sections             [4]
//	          per section: kind              [2]
//	                       field             [2]
//	                       offset in file    [8]
//	                       length            [8]
//	          CRC32C of each 4 KiB of head and body, the last may be shorter [4]
//	          CRC32C of each 4 KiB of the parity, likewise                   [4]
//	trailer   offset of the footer           [8]
//	          length of footer and trailer   [4]
//	          version                        [4]
//	          the ID: index, file            [16]
//	          magic "QEND"                   [4]
//	          CRC32C of footer and trailer up to here [4]
//	parity    see parity.go
//	footer and trailer once more
//
// The trailer keeps its place and its checksum in all versions, so that a file
// of another version can be told from a damaged one. Sections of unknown kinds
// are to be ignored.
//
// A section of kind 65535 is a checkpoint: footer and trailer of what comes before
// it, without parity. It is read only where the end of the file is lost.
const (
	headMagic    = "QUARRYIX"
	trailerMagic = "QEND"
	footerHead   = 4
	sectionSize  = 20
	trailerSize  = 40
	checkpoint   = 0xffff
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Damage says where a file is damaged.
type Damage struct {
	Offset uint64 // in the file
	Msg    string
}

func (d *Damage) Error() string { return fmt.Sprintf("offset %d: %s", d.Offset, d.Msg) }

// pagesOf returns how many pages so many bytes take.
func pagesOf(bytes uint64) uint64 { return (bytes + PageSize - 1) / PageSize }
