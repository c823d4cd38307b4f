package pagefile

import (
	"bufio"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math/rand/v2"
)

// Writer writes a file from front to back. After an error all its calls return
// that error. It keeps 0.5% of what is written in memory.
type Writer struct {
	w        *bufio.Writer
	id       ID
	off      uint64
	page     uint32 // checksum of the page so far
	pages    []uint32
	parity   parityWriter
	sections []entry
	err      error
}

type entry struct {
	kind, field uint16
	off, len    uint64
}

const buffered = 1 << 16

// NewWriter starts a file of an index, and gives it an ID of its own.
func NewWriter(w io.Writer, index uint64) *Writer {
	f := &Writer{w: bufio.NewWriterSize(w, buffered), id: ID{index, rand.Uint64()}}
	f.Write([]byte(headMagic))
	return f
}

// ID is that of the file.
func (f *Writer) ID() ID { return f.id }

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
		at := int(f.off % PageSize)
		n := min(len(rest), PageSize-at)
		f.page = crc32.Update(f.page, castagnoli, rest[:n])
		f.parity.add(at, rest[:n])
		_, f.err = f.w.Write(rest[:n])
		f.off += uint64(n)
		rest = rest[n:]
		if at+n == PageSize {
			f.pages, f.page = append(f.pages, f.page), 0
			f.parity.next(PageSize)
		}
	}
	if f.err != nil {
		return 0, f.err
	}
	return len(b), nil
}

// Size is the number of bytes written so far.
func (f *Writer) Size() uint64 { return f.off }

// Checkpoint writes down what there is so far, so that it can be found when the
// file loses its end.
func (f *Writer) Checkpoint() {
	f.end()
	foot := f.footer(f.allPages(), nil)
	f.Begin(checkpoint, 0)
	f.Write(foot)
	f.end()
}

// allPages returns the checksums of all pages so far.
func (f *Writer) allPages() []uint32 {
	if f.off%PageSize == 0 {
		return f.pages
	}
	return append(f.pages[:len(f.pages):len(f.pages)], f.page)
}

// Finish writes parity, footers and trailers.
func (f *Writer) Finish() error {
	f.end()
	if at := int(f.off % PageSize); at > 0 {
		f.pages = append(f.pages, f.page)
		f.parity.next(at)
		f.parity.end(at)
	}
	f.parity.end(PageSize)
	var sums []uint32
	for rest := f.parity.done; len(rest) > 0; {
		n := min(len(rest), PageSize)
		sums = append(sums, crc32.Checksum(rest[:n], castagnoli))
		rest = rest[n:]
	}
	foot := f.footer(f.pages, sums)
	for _, b := range [][]byte{foot, f.parity.done, foot} {
		if f.err == nil {
			_, f.err = f.w.Write(b)
		}
		f.off += uint64(len(b))
	}
	if f.err == nil {
		f.err = f.w.Flush()
	}
	return f.err
}

// footer returns footer and trailer of what was written so far, which they follow.
func (f *Writer) footer(pages, parity []uint32) []byte {
	le := binary.LittleEndian
	b := le.AppendUint32(nil, uint32(len(f.sections)))
	for _, s := range f.sections {
		b = le.AppendUint16(b, s.kind)
		b = le.AppendUint16(b, s.field)
		b = le.AppendUint64(b, s.off)
		b = le.AppendUint64(b, s.len)
	}
	for _, sums := range [][]uint32{pages, parity} {
		for _, sum := range sums {
			b = le.AppendUint32(b, sum)
		}
	}
	b = le.AppendUint64(b, f.off)
	b = le.AppendUint32(b, uint32(len(b)-8+trailerSize))
	b = le.AppendUint32(b, Version)
	b = le.AppendUint64(b, f.id.Index)
	b = le.AppendUint64(b, f.id.File)
	b = append(b, trailerMagic...)
	return le.AppendUint32(b, crc32.Checksum(b, castagnoli))
}
