package pagefile

import (
	"bufio"
	"encoding/binary"
	"hash/crc32"
	"io"
)

// Writer writes a file from front to back. After an error all its calls return
// that error.
type Writer struct {
	w        *bufio.Writer
	off      uint64
	page     uint32 // checksum of the page so far
	pages    []uint32
	sections []entry
	features uint32
	err      error
}

type entry struct {
	kind, field uint16
	off, len    uint64
}

// NewWriter starts a file.
func NewWriter(w io.Writer) *Writer {
	f := &Writer{w: bufio.NewWriterSize(w, PageSize)}
	f.Write([]byte(headMagic))
	return f
}

// Begin starts a section; what was being written is finished.
func (f *Writer) Begin(kind, field uint16) {
	f.end()
	f.sections = append(f.sections, entry{kind: kind, field: field, off: f.off})
}

func (f *Writer) end() {
	if n := len(f.sections); n > 0 {
		s := &f.sections[n-1]
		s.len = f.off - s.off
	}
}

// Write appends to the section.
func (f *Writer) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0 && f.err == nil; {
		n := min(len(rest), PageSize-int(f.off%PageSize))
		f.page = crc32.Update(f.page, castagnoli, rest[:n])
		_, f.err = f.w.Write(rest[:n])
		f.off += uint64(n)
		rest = rest[n:]
		if f.off%PageSize == 0 {
			f.pages, f.page = append(f.pages, f.page), 0
		}
	}
	if f.err != nil {
		return 0, f.err
	}
	return len(b), nil
}

// Need says that readers must know a feature.
func (f *Writer) Need(feature uint32) { f.features |= feature }

// Size is the number of bytes written so far.
func (f *Writer) Size() uint64 { return f.off }

// Finish writes the footer.
func (f *Writer) Finish() error {
	f.end()
	if f.off%PageSize != 0 {
		f.pages = append(f.pages, f.page)
	}
	le := binary.LittleEndian
	b := le.AppendUint32(nil, uint32(len(f.sections)))
	for _, s := range f.sections {
		b = le.AppendUint16(b, s.kind)
		b = le.AppendUint16(b, s.field)
		b = le.AppendUint64(b, s.off)
		b = le.AppendUint64(b, s.len)
	}
	for _, p := range f.pages {
		b = le.AppendUint32(b, p)
	}
	b = le.AppendUint64(b, f.off)
	b = le.AppendUint32(b, f.features)
	b = le.AppendUint32(b, Version)
	b = append(b, trailerMagic...)
	b = le.AppendUint32(b, crc32.Checksum(b, castagnoli))
	if f.err == nil {
		_, f.err = f.w.Write(b)
	}
	if f.err == nil {
		f.err = f.w.Flush()
	}
	return f.err
}
