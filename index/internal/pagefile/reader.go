package pagefile

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
	"sync/atomic"
)

// File is a file that is read. Its methods may be called from many goroutines.
type File struct {
	version  uint32
	features uint32
	data     []byte
	body     uint64 // length of head and body
	pages    []byte // their checksums
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
	le := binary.LittleEndian
	size := uint64(len(data))
	if size < uint64(len(headMagic)+4+trailerSize) {
		return nil, &Damage{size, "file is too short"}
	}
	trailer := data[size-trailerSize:]
	foot := le.Uint64(trailer)
	if foot < uint64(len(headMagic)) || foot > size-trailerSize-4 {
		return nil, &Damage{size - trailerSize, "the footer is not in the file"}
	}
	if crc32.Checksum(data[foot:size-4], castagnoli) != le.Uint32(trailer[20:]) {
		return nil, &Damage{foot, "checksum of the footer differs"}
	}
	if string(trailer[16:20]) != trailerMagic {
		return nil, &Damage{size - 8, "not a segment file"}
	}
	if v, features := le.Uint32(trailer[12:]), le.Uint32(trailer[8:]); v > Version || features&^known != 0 {
		return nil, fmt.Errorf("%w: version %d with features %x, this program knows %d", ErrVersion, v, features, Version)
	}
	f := &File{version: le.Uint32(trailer[12:]), features: le.Uint32(trailer[8:]), data: data, body: foot}
	return f, f.footer(data[foot:size-trailerSize], foot)
}

func (f *File) footer(b []byte, off uint64) error {
	le := binary.LittleEndian
	n := uint64(le.Uint32(b))
	pages := (f.body + PageSize - 1) / PageSize
	if uint64(len(b)) != 4+n*sectionSize+pages*4 {
		return &Damage{off, "the footer has the wrong length"}
	}
	f.places = make(map[[2]uint16]int, n)
	for b = b[4:]; n > 0; n, b = n-1, b[sectionSize:] {
		s := entry{le.Uint16(b), le.Uint16(b[2:]), le.Uint64(b[4:]), le.Uint64(b[12:])}
		if s.off > f.body || s.len > f.body-s.off {
			return &Damage{off, "a section is not in the file"}
		}
		if _, twice := f.places[[2]uint16{s.kind, s.field}]; !twice {
			f.places[[2]uint16{s.kind, s.field}] = len(f.sections)
		}
		f.sections = append(f.sections, s)
	}
	f.pages = b
	f.seen = make([]atomic.Uint64, (pages+63)/64)
	return nil
}

// Needs reports whether readers must know a feature.
func (f *File) Needs(feature uint32) bool { return f.features&feature != 0 }

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

// Verify checks all pages, also those that were checked before.
func (f *File) Verify(ctx context.Context) error {
	for p := range (f.body + PageSize - 1) / PageSize {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := f.checkPage(p); err != nil {
			return err
		}
	}
	return nil
}

// check checks the pages under n bytes at off, n > 0, unless that was done
// before. That two readers may check the same page does no harm.
func (f *File) check(off, n uint64) error {
	for p, last := off/PageSize, (off+n-1)/PageSize; p <= last; p++ {
		word, bit := &f.seen[p/64], uint64(1)<<(p%64)
		if word.Load()&bit != 0 {
			continue
		}
		if err := f.checkPage(p); err != nil {
			return err
		}
		word.Or(bit)
	}
	return nil
}

func (f *File) checkPage(p uint64) error {
	from := p * PageSize
	sum := crc32.Checksum(f.data[from:min(from+PageSize, f.body)], castagnoli)
	if sum != binary.LittleEndian.Uint32(f.pages[p*4:]) {
		return &Damage{from, "checksum of the page differs"}
	}
	return nil
}

// Version is that of the file.
func (s Section) Version() int { return int(s.file.version) }

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
