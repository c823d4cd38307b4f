package pagefile

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/bits"
	"slices"
	"sync/atomic"
)

// File is a file that is read. Its methods may be called from many goroutines.
type File struct {
	data     []byte
	id       ID
	body     uint64 // length of head and body; the first footer follows
	foot     uint64 // length of footer and trailer
	pages    []byte // checksums of the pages of the body
	parity   []byte // likewise
	trailer  [trailerSize]byte
	seen     []atomic.Uint64
	sections []entry
	places   map[[2]uint16]int // of sections, by kind and field
}

// Section is a part of a file. The zero value is an empty one.
type Section struct {
	file *File
	off  uint64
	len  uint64
}

// Open reads the footer of a file; data must stay as it is while the file is
// in use. The error is a *[Damage] or [ErrVersion].
func Open(data []byte) (*File, error) {
	f, start, err := openFooter(data)
	if err != nil {
		return nil, err
	}
	if f.body+f.foot+f.paritySize() != start || len(f.parity) == 0 {
		return nil, &Damage{start, "the footer is not where it says"}
	}
	f.data = data
	return f, nil
}

// openFooter reads the footer that data ends with, and says where it starts.
func openFooter(data []byte) (f *File, start uint64, err error) {
	le := binary.LittleEndian
	size := uint64(len(data))
	if size < uint64(len(headMagic)+footerHead+trailerSize) {
		return nil, 0, &Damage{size, "file is too short"}
	}
	trailer := data[size-trailerSize:]
	if string(trailer[32:36]) != trailerMagic {
		return nil, 0, &Damage{size - trailerSize, "the file does not end as it should"}
	}
	length := uint64(le.Uint32(trailer[8:]))
	if length < footerHead+trailerSize || length > size-uint64(len(headMagic)) {
		return nil, 0, &Damage{size - trailerSize, "the footer is not in the file"}
	}
	start = size - length
	if crc32.Checksum(data[start:size-4], castagnoli) != le.Uint32(trailer[36:]) {
		return nil, 0, &Damage{start, "checksum of the footer differs"}
	}
	if v := le.Uint32(trailer[12:]); v != Version {
		return nil, 0, fmt.Errorf("%w: version %d, this program knows %d", ErrVersion, v, Version)
	}
	f = &File{id: ID{le.Uint64(trailer[16:]), le.Uint64(trailer[24:])}, body: le.Uint64(trailer), foot: length, trailer: [trailerSize]byte(trailer)}
	return f, start, f.footer(data[start:size-trailerSize], start)
}

func (f *File) footer(b []byte, off uint64) error {
	le := binary.LittleEndian
	n := uint64(le.Uint32(b))
	if f.body < uint64(len(headMagic)) || f.body > 1<<62 {
		return &Damage{off, "the footer has impossible sizes"}
	}
	pages := 4 * pagesOf(f.body)
	sums := uint64(len(b)) - footerHead - n*sectionSize
	if sums != pages && sums != pages+4*pagesOf(paritySize(f.body)) { // without parity: a checkpoint
		return &Damage{off, "the footer has the wrong length"}
	}
	f.places = make(map[[2]uint16]int, n)
	for b = b[footerHead:]; n > 0; n, b = n-1, b[sectionSize:] {
		s := entry{le.Uint16(b), le.Uint16(b[2:]), le.Uint64(b[4:]), le.Uint64(b[12:])}
		if s.off > f.body || s.len > f.body-s.off {
			return &Damage{off, "a section is not in the file"}
		}
		if _, twice := f.places[[2]uint16{s.kind, s.field}]; !twice {
			f.places[[2]uint16{s.kind, s.field}] = len(f.sections)
		}
		f.sections = append(f.sections, s)
	}
	f.pages, f.parity = b[:pages], b[pages:]
	f.seen = make([]atomic.Uint64, (pages/4+63)/64)
	return nil
}

// paritySize is how long the parity is; 0: of a checkpoint.
func (f *File) paritySize() uint64 {
	if len(f.parity) == 0 {
		return 0
	}
	return paritySize(f.body)
}

// Whole reports whether the end of the file is there; only Repair opens others.
func (f *File) Whole() bool { return len(f.parity) > 0 }

// ID tells the file from all others.
func (f *File) ID() ID { return f.id }

// Section finds a section.
func (f *File) Section(kind, field uint16) (Section, bool) {
	i, ok := f.places[[2]uint16{kind, field}]
	if !ok {
		return Section{}, false
	}
	return Section{f, f.sections[i].off, f.sections[i].len}, true
}

// Sizes calls f for each section.
func (f *File) Sizes(yield func(kind, field uint16, bytes uint64)) {
	for _, s := range f.sections {
		yield(s.kind, s.field, s.len)
	}
}

// Fields returns the fields that have a section of a kind, ascending.
func (f *File) Fields(kind uint16) (fields []int) {
	for _, s := range f.sections {
		if s.kind == kind {
			fields = append(fields, int(s.field))
		}
	}
	slices.Sort(fields)
	return fields
}

// Verify checks all bytes, also those that were checked before.
func (f *File) Verify(ctx context.Context) error {
	for p := range pagesOf(f.body) {
		if p%256 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := f.checkPage(p); err != nil {
			return err
		}
	}
	parity := f.data[f.body+f.foot:]
	for p := range uint64(len(f.parity) / 4) {
		if from := p * PageSize; !f.parityFits(parity[from:min(from+PageSize, f.paritySize())], p) {
			return &Damage{f.body + f.foot + from, "checksum of the parity differs"}
		}
	}
	if !bytes.Equal(f.data[f.body:][:f.foot], parity[f.paritySize():]) {
		return &Damage{f.body, "the two footers differ"}
	}
	return f.Changed()
}

// Changed reports whether the end of the file is not what it was when it was opened:
// that the file was cut, or another was written over it, in which case anything
// that was read meanwhile may be wrong. It costs a few bytes to compare.
func (f *File) Changed() error {
	if end := uint64(len(f.data)); [trailerSize]byte(f.data[end-trailerSize:]) != f.trailer {
		return &Damage{end - trailerSize, "the file has changed since it was opened"}
	}
	return nil
}

// check checks the pages under n bytes at off, n > 0, unless that was done
// before. That two readers may check the same page does no harm.
func (f *File) check(off, n uint64) error {
	for p, last := off/PageSize, (off+n-1)/PageSize; p <= last; p = p/64*64 + 64 {
		word := &f.seen[p/64]
		wanted := ^uint64(0) << (p % 64)
		if last/64 == p/64 {
			wanted &= ^uint64(0) >> (63 - last%64)
		}
		missing := wanted &^ word.Load()
		if missing == 0 {
			continue
		}
		for ; missing != 0; missing &= missing - 1 {
			if err := f.checkPage(p/64*64 + uint64(bits.TrailingZeros64(missing))); err != nil {
				return err
			}
		}
		word.Or(wanted)
	}
	return nil
}

func (f *File) checkPage(p uint64) error {
	if !f.fits(f.page(p), p) {
		return &Damage{p * PageSize, "checksum of the page differs"}
	}
	return nil
}

func (f *File) page(p uint64) []byte { return f.data[p*PageSize : min((p+1)*PageSize, f.body)] }

// fits reports whether b is page p of the body.
func (f *File) fits(b []byte, p uint64) bool {
	return crc32.Checksum(b, castagnoli) == binary.LittleEndian.Uint32(f.pages[p*4:])
}

// parityFits reports whether b is page p of the parity.
func (f *File) parityFits(b []byte, p uint64) bool {
	return crc32.Checksum(b, castagnoli) == binary.LittleEndian.Uint32(f.parity[p*4:])
}

// Len is the length of the section.
func (s Section) Len() uint64 { return s.len }

// Bytes returns n bytes at off of the section, after checking them. They must
// not be changed, and have a capacity of [Padding] more.
func (s Section) Bytes(off, n uint64) ([]byte, error) {
	if off > s.len || n > s.len-off {
		return nil, s.Damage(off, "reaches beyond its section")
	}
	if n == 0 {
		return nil, nil
	}
	at := s.off + off
	if err := s.file.check(at, n); err != nil {
		return nil, err
	}
	return s.file.data[at : at+n : at+n+Padding], nil
}

// All returns the whole section.
func (s Section) All() ([]byte, error) { return s.Bytes(0, s.len) }

// Damage is the error for bytes at off that make no sense.
func (s Section) Damage(off uint64, msg string) error {
	return &Damage{s.off + min(off, s.len), msg}
}
