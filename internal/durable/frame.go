package durable

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// A log is a header and then frames, one after the other. All numbers of fixed
// width are little-endian, [v] is an unsigned varint of encoding/binary, and
// sums are CRC-32C (Castagnoli).
//
// Header, written once, before the file has its name:
//
//	magic   [4]  "QLOG"
//	version [4]  1
//	salt    [8]  random, so that no frame of another log is valid in this one
//	sum     [4]  of the 16 bytes before
//
// Frame, of a record or, when empty, of a mark that Close leaves:
//
//	check   [2]  low half of the sum of place, size and lag
//	sum     [4]  of place, size, lag and record
//	size    [v]  bytes of the record, at most 64 MiB; 0 for a mark
//	lag     [v]  how far before this frame the synced part of the file ended
//	record  [size]
//
// Place is not stored: it is the salt (8) and then the offset of the frame in
// the file (8), so that a frame is valid only where it was written, and a log
// inside a record is not taken for frames. Check spares reading a long record
// to find that its length was never a length.
//
// Lag tells a torn tail from damage: see scan.go.
//
// A log with salt 0x0807060504030201, in which "hello" was appended and synced,
// then "world" appended and synced, and which was then closed, is these 54 bytes:
//
//	00  51 4c 4f 47 | 01 00 00 00 | 01 02 03 04 05 06 07 08 | c8 af 46 ea
//	20  2a 61 | fd 5e 94 cb | 05 | 00 | 68 65 6c 6c 6f
//	33  dd 63 | 51 31 9d 31 | 05 | 00 | 77 6f 72 6c 64
//	46  e1 fe | e1 fe ab 80 | 00 | 00
const (
	magic      = "QLOG"
	version    = 1
	headerSize = 20
	sumsSize   = 6
	maxFrame   = sumsSize + 2*binary.MaxVarintLen64 // without the record
)

// MaxRecord is the greatest number of bytes of a record of a [Log].
const MaxRecord = 64 << 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// appendHeader appends the header of a log.
func appendHeader(b []byte, salt uint64) []byte {
	start := len(b)
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint32(b, version)
	b = binary.LittleEndian.AppendUint64(b, salt)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
}

// readHeader returns the salt of a log from its first headerSize bytes.
func readHeader(b []byte) (salt uint64, err error) {
	switch {
	case string(b[:4]) != magic:
		return 0, errors.New("not a log")
	case binary.LittleEndian.Uint32(b[16:]) != crc32.Checksum(b[:16], castagnoli):
		return 0, errors.New("checksum of the header does not match")
	}
	if v := binary.LittleEndian.Uint32(b[4:]); v != version {
		return 0, fmt.Errorf("log version %d, this program reads %d", v, version)
	}
	return binary.LittleEndian.Uint64(b[8:]), nil
}

// place starts the sums of a frame at an offset.
func place(salt uint64, offset int64) uint32 {
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:], salt)
	binary.LittleEndian.PutUint64(b[8:], uint64(offset))
	return crc32.Checksum(b[:], castagnoli)
}

// appendFrame appends the frame of a record that will stand at offset in a file
// whose first synced bytes are on the disk.
func appendFrame(b []byte, salt uint64, offset, synced int64, rec []byte) []byte {
	start := len(b)
	b = append(b, make([]byte, sumsSize)...)
	b = binary.AppendUvarint(b, uint64(len(rec)))
	b = binary.AppendUvarint(b, uint64(offset-synced))
	sum := crc32.Update(place(salt, offset), castagnoli, b[start+sumsSize:])
	binary.LittleEndian.PutUint16(b[start:], uint16(sum))
	binary.LittleEndian.PutUint32(b[start+2:], crc32.Update(sum, castagnoli, rec))
	return append(b, rec...)
}

// frame is what stands before a record.
type frame struct {
	head int    // bytes before the record
	size int    // bytes of the record
	lag  int64  // see above
	part uint32 // sum of all but the record
	sum  uint32 // what the sum with the record must be
}

// readFrame reads what stands before the record of a frame at offset, from the
// start of b. It says no to what cannot be a frame.
func readFrame(b []byte, salt uint64, offset int64) (frame, bool) {
	if len(b) < sumsSize+2 {
		return frame{}, false
	}
	size, n := binary.Uvarint(b[sumsSize:])
	if n <= 0 || size > MaxRecord {
		return frame{}, false
	}
	lag, m := binary.Uvarint(b[sumsSize+n:])
	if m <= 0 || lag > uint64(offset) {
		return frame{}, false
	}
	f := frame{head: sumsSize + n + m, size: int(size), lag: int64(lag)}
	f.part = crc32.Update(place(salt, offset), castagnoli, b[sumsSize:f.head])
	f.sum = binary.LittleEndian.Uint32(b[2:])
	return f, uint16(f.part) == binary.LittleEndian.Uint16(b)
}

// holds says whether rec is the record of the frame.
func (f frame) holds(rec []byte) bool {
	return crc32.Update(f.part, castagnoli, rec) == f.sum
}
