package postings

import (
	"encoding/binary"
	"errors"
	"math"
)

var errTooLarge = errors.New("the positions of a term in 4096 documents exceed 4 GiB")

// skips writes the tables of a list that say where its blocks are.
type skips struct {
	entries, supers []byte
	blocks          int
	start           int    // where the current 32 blocks start in the list
	posStart        uint64 // and their positions
	last            uint32 // last document of the last block
	one, all        frontier
	avgLen          float64 // of the field, about
}

// begin starts a block.
func (s *skips) begin(off int, posOff uint64) {
	if s.blocks%groupLen == 0 {
		s.start, s.posStart = off, posOff
	}
}

// bound takes up a document of the block or tail.
func (s *skips) bound(tf, length uint32) {
	code := LenCode(length)
	s.one.add(tf, code)
	s.all.add(tf, code)
}

// end ends a block.
func (s *skips) end(last uint32, off int, posOff uint64) error {
	le := binary.LittleEndian
	s.entries = le.AppendUint32(s.entries, last)
	s.entries = le.AppendUint16(s.entries, uint16(off-s.start))
	s.entries = le.AppendUint32(s.entries, uint32(posOff-s.posStart))
	s.entries = s.one.append(s.entries, s.avgLen)
	s.last = last
	s.blocks++
	if s.blocks%groupLen == 0 {
		s.super()
	}
	if posOff-s.posStart > math.MaxUint32 {
		return errTooLarge
	}
	return nil
}

func (s *skips) super() {
	le := binary.LittleEndian
	s.supers = le.AppendUint32(s.supers, s.last)
	s.supers = le.AppendUint64(s.supers, uint64(s.start))
	s.supers = le.AppendUint64(s.supers, s.posStart)
	s.supers = s.all.append(s.supers, s.avgLen)
}

// finish appends the tables and starts anew.
func (s *skips) finish(dst []byte) []byte {
	if s.blocks > groupLen {
		if s.blocks%groupLen != 0 {
			s.super()
		}
		dst = append(dst, s.supers...)
	}
	dst = append(dst, s.entries...)
	if s.blocks > 0 {
		if s.one.top > 0 {
			dst = s.one.append(dst, s.avgLen)
		}
		s.all = frontier{}
	}
	s.entries, s.supers, s.blocks = s.entries[:0], s.supers[:0], 0
	return dst
}
