package dedup

import (
	"bufio"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"

	"github.com/webquarry/quarry/internal/durable"
)

// What is kept of pages is a file to which records are appended until a compaction
// writes it anew; a page is known by the offset of its record. Numbers are
// little-endian, [v] is an unsigned varint.
//
//	file    magic [4] "QDPG", version [4] 1, then records
//	record  sum [4], size [v], payload [size]; sum is the CRC-32C of the payload
//	payload exact [8], sim [8], words [v], leader [v], kind [1], sketch [64 if kind is 1 or 2], title [16 if kind is 2: all, main], URL [rest]
//
// Leader is the offset of the page whose group it joined, 0 for none. A page that leads the group
// which it joined has the offset of the one that led it before, whose group became part of its own. Kind 3 is a text
// that its page has no more, and that a group is named after: nothing else leads to it.
// Kind 4 says that the page is gone.
// A record that does not check at the end of the file was not finished: it is cut off.
// The page http://a.test/ with exact 1, sim 2 and two words, no leader and no
// sketch, is these 38 bytes:
//
//	90 eb 13 da | 21 | 01 00 00 00 00 00 00 00 | 02 00 00 00 00 00 00 00 | 02 | 00 | 00 |
//	68 74 74 70 3a 2f 2f 61 2e 74 65 73 74 2f
const (
	pagesMagic  = "QDPG\x01\x00\x00\x00"
	maxPageSize = 1 << 20

	plainRecord  = 0
	sketchRecord = 1
	titledRecord = 2
	formerRecord = 3
	goneRecord   = 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var errRecord = errors.New("no record of a page")

// pageRecord is what is kept of a page.
type pageRecord struct {
	Fingerprint
	leader uint64
	url    string
	former bool // the page has another text by now; the record leads a group
	gone   bool // the page is not there any more
}

// pages holds the records, in a file or in memory.
type pages struct {
	file *os.File      // to read from; nil: in memory
	out  *durable.File // the same, to append to
	mem  []byte
	size int64
	buf  []byte
}

// inMemory makes pages that are kept in memory.
func (p *pages) inMemory() {
	p.mem = []byte(pagesMagic)
	p.size = int64(len(p.mem))
}

// append writes a record and returns its offset.
func (p *pages) append(r pageRecord, sketch bool) (uint64, error) {
	payload := appendPage(p.buf[:0], r, sketch)
	p.buf = payload
	frame := binary.LittleEndian.AppendUint32(nil, crc32.Checksum(payload, castagnoli))
	frame = binary.AppendUvarint(frame, uint64(len(payload)))
	frame = append(frame, payload...)
	at := p.size
	if p.file == nil {
		p.mem = append(p.mem, frame...)
	} else if _, err := p.out.Write(frame); err != nil {
		return 0, err
	}
	p.size += int64(len(frame))
	return uint64(at), nil
}

func appendPage(b []byte, r pageRecord, sketch bool) []byte {
	b = binary.LittleEndian.AppendUint64(b, r.Exact)
	b = binary.LittleEndian.AppendUint64(b, r.Sim)
	b = binary.AppendUvarint(b, uint64(r.Words))
	b = binary.AppendUvarint(b, r.leader)
	switch {
	case r.former:
		b = append(b, formerRecord)
	case r.gone:
		b = append(b, goneRecord)
	case sketch && r.Title != (Title{}):
		b = append(append(b, titledRecord), r.Sketch[:]...)
		b = binary.LittleEndian.AppendUint64(b, r.Title.All)
		b = binary.LittleEndian.AppendUint64(b, r.Title.Main)
	case sketch:
		b = append(append(b, sketchRecord), r.Sketch[:]...)
	default:
		b = append(b, plainRecord)
	}
	return append(b, r.url...)
}

// readPage reads a payload.
func readPage(b []byte) (r pageRecord, err error) {
	if len(b) < 16 {
		return r, errRecord
	}
	r.Exact, r.Sim = binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	b = b[16:]
	words, n := binary.Uvarint(b)
	if n <= 0 || words > 1<<40 {
		return r, errRecord
	}
	r.Words, b = int(words), b[n:]
	if r.leader, n = binary.Uvarint(b); n <= 0 || len(b) == n || b[n] > goneRecord {
		return r, errRecord
	}
	kind := b[n]
	b = b[n+1:]
	r.former, r.gone = kind == formerRecord, kind == goneRecord
	if kind == sketchRecord || kind == titledRecord {
		if len(b) < len(r.Sketch) {
			return r, errRecord
		}
		b = b[copy(r.Sketch[:], b):]
	}
	if kind == titledRecord {
		if len(b) < 16 {
			return r, errRecord
		}
		r.Title = Title{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])}
		b = b[16:]
	}
	r.url = string(b)
	return r, nil
}

// at reads the record at an offset.
func (p *pages) at(offset uint64) (pageRecord, error) {
	r, _, err := p.read(offset)
	return r, err
}

// read reads the record at an offset, and tells where the next one is.
func (p *pages) read(offset uint64) (r pageRecord, next uint64, err error) {
	if offset >= uint64(p.size) {
		return r, 0, p.corrupt(offset, errRecord)
	}
	var src io.ReaderAt = p.file
	if p.file == nil {
		src = memory(p.mem)
	}
	var small [512]byte
	n, err := src.ReadAt(small[:], int64(offset))
	if err != nil && err != io.EOF {
		return r, 0, err
	}
	head, size, ok := readHead(small[:n])
	if !ok {
		return r, 0, p.corrupt(offset, errRecord)
	}
	payload := small[head:n]
	if size <= len(payload) {
		payload = payload[:size]
	} else {
		payload = make([]byte, size)
		if _, err := src.ReadAt(payload, int64(offset)+int64(head)); err != nil {
			return r, 0, p.corrupt(offset, err)
		}
	}
	if crc32.Checksum(payload, castagnoli) != binary.LittleEndian.Uint32(small[:]) {
		return r, 0, p.corrupt(offset, errors.New("checksum of a page does not match"))
	}
	if r, err = readPage(payload); err != nil {
		return r, 0, p.corrupt(offset, err)
	}
	return r, offset + uint64(head+size), nil
}

// readHead reads what stands before a payload.
func readHead(b []byte) (head, size int, ok bool) {
	if len(b) < 5 {
		return 0, 0, false
	}
	n, w := binary.Uvarint(b[4:])
	return 4 + w, int(n), w > 0 && n <= maxPageSize
}

func (p *pages) corrupt(offset uint64, err error) error {
	name := "memory"
	if p.file != nil {
		name = p.file.Name()
	}
	return &CorruptError{name, int64(offset), err}
}

// replay calls yield for the records from an offset on, and cuts the file
// behind the last good one.
func (p *pages) replay(from int64, yield func(offset uint64, r pageRecord) error) error {
	br := bufio.NewReaderSize(io.NewSectionReader(p.file, from, 1<<62), 256<<10)
	p.size = from
	for {
		b, err := br.Peek(4 + binary.MaxVarintLen64)
		if err != nil && err != io.EOF {
			return err
		}
		head, size, ok := readHead(b)
		if !ok {
			break
		}
		sum := binary.LittleEndian.Uint32(b)
		payload := make([]byte, size)
		br.Discard(head)
		if _, err := io.ReadFull(br, payload); err != nil || crc32.Checksum(payload, castagnoli) != sum {
			break
		}
		r, err := readPage(payload)
		if err != nil {
			break
		}
		at := p.size
		p.size += int64(head + size)
		if err := yield(uint64(at), r); err != nil {
			return err
		}
	}
	return p.out.Truncate(p.size)
}

// memory is bytes to read from.
type memory []byte

func (m memory) ReadAt(b []byte, at int64) (int, error) {
	n := copy(b, m[min(max(at, 0), int64(len(m))):])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}
