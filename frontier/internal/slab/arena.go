package slab

import (
	"encoding/binary"
	"slices"
)

// chunkSize is how many bytes of text are allocated at once.
const chunkSize = 64 << 10

// Arena keeps the text of waiting requests in large chunks instead of an object
// for each. Before each text stand the number of its owner (4 bytes) and its
// length (varint), so that a chunk of which less than half is in use can be
// emptied: what is left moves to another chunk. What has moved once is likely to stay,
// and is not among what is new.
type Arena struct {
	Chunks  []chunk
	free    []uint32                  // chunks without bytes
	tails   [tails]uint32             // chunks that are being filled, from 1; 0: none
	PlaceOf func(owner uint32) *Place // nil: there is no such owner any more
	Shared  bool                      // somebody reads the chunks as they were at some time
	Untidy  bool                      // much is dropped now, and tidied afterwards
}

const (
	newTail   = iota // for texts that are new
	movedTail        // for texts that were moved
	tails
)

type chunk struct {
	b    []byte
	live int // bytes in use
}

// Place is where a text is: the chunk, from 1, and the offset in it.
type Place uint64

// Nowhere is the place of an owner without text.
const Nowhere Place = 0

func placeAt(chunk uint32, offset int) Place { return Place(chunk+1)<<32 | Place(offset) }

func (p Place) chunk() uint32 { return uint32(p>>32) - 1 }
func (p Place) offset() int   { return int(uint32(p)) }

// Put stores a copy of text for an owner that has none.
func (a *Arena) Put(owner uint32, text []byte) { a.putInto(newTail, owner, text) }

func (a *Arena) putInto(tail int, owner uint32, text []byte) {
	size := 4 + binary.MaxVarintLen32 + len(text)
	before := a.tails[tail]
	if before == 0 || len(a.Chunks[before-1].b)+size > cap(a.Chunks[before-1].b) {
		a.tails[tail] = a.newChunk(max(size, chunkSize)) + 1
	}
	at := a.tails[tail] - 1
	c := &a.Chunks[at]
	offset := len(c.b)
	c.b = binary.LittleEndian.AppendUint32(c.b, owner)
	c.b = binary.AppendUvarint(c.b, uint64(len(text)))
	c.b = append(c.b, text...)
	c.live += len(c.b) - offset
	*a.PlaceOf(owner) = placeAt(at, offset)
	if before != 0 && before-1 != at {
		a.Tidy(before - 1)
	}
}

// IsTail says whether a chunk is being filled.
func (a *Arena) IsTail(chunk uint32) bool { return slices.Contains(a.tails[:], chunk+1) }

func (a *Arena) newChunk(size int) uint32 {
	fresh := chunk{b: make([]byte, 0, size)}
	if n := len(a.free); n > 0 {
		i := a.free[n-1]
		a.free = a.free[:n-1]
		a.Chunks[i] = fresh
		return i
	}
	a.Chunks = append(a.Chunks, fresh)
	return uint32(len(a.Chunks) - 1)
}

// Get returns the text of an owner; it is valid until the next Put or Drop.
func (a *Arena) Get(owner uint32) []byte { return a.At(*a.PlaceOf(owner)) }

// At returns the text at a place.
func (a *Arena) At(p Place) []byte {
	_, text, _ := readText(a.Chunks[p.chunk()].b[p.offset():])
	return text
}

// Touch reads where a text is, and returns something of it; see [Index.Touch].
func (a *Arena) Touch(p Place) uint64 {
	b := a.Chunks[p.chunk()].b[p.offset():]
	return uint64(b[0]) + uint64(b[min(64, len(b)-1)])
}

// SetOwner notes that a text has another owner.
func (a *Arena) SetOwner(p Place, owner uint32) {
	binary.LittleEndian.PutUint32(a.Chunks[p.chunk()].b[p.offset():], owner)
}

// readText reads what Put wrote at the start of b, and its size.
func readText(b []byte) (owner uint32, text []byte, size int) {
	n, w := binary.Uvarint(b[4:])
	size = 4 + w + int(n)
	return binary.LittleEndian.Uint32(b), b[4+w : size], size
}

// Drop gives the text of an owner up.
func (a *Arena) Drop(owner uint32) {
	p := *a.PlaceOf(owner)
	*a.PlaceOf(owner) = Nowhere
	c := &a.Chunks[p.chunk()]
	_, _, size := readText(c.b[p.offset():])
	c.live -= size
	switch {
	case !a.IsTail(p.chunk()):
		a.Tidy(p.chunk())
	case c.live == 0 && a.Shared: // the next put takes another
		a.tails[slices.Index(a.tails[:], p.chunk()+1)] = 0
		a.give(p.chunk())
	case c.live == 0:
		c.b = c.b[:0]
	}
}

// Tidy empties a chunk that is not being filled if little of it is in use.
func (a *Arena) Tidy(i uint32) {
	b := a.Chunks[i].b
	if b == nil || a.Untidy && a.Chunks[i].live > 0 || 2*a.Chunks[i].live >= cap(b) {
		return
	}
	if a.Chunks[i].live > 0 {
		for at := 0; at < len(b); {
			owner, text, size := readText(b[at:])
			if p := a.PlaceOf(owner); p != nil && *p == placeAt(i, at) {
				a.putInto(movedTail, owner, text)
			}
			at += size
		}
	}
	a.give(i)
}

// give gives up the bytes of a chunk.
func (a *Arena) give(i uint32) {
	a.Chunks[i] = chunk{}
	a.free = append(a.free, i)
}
