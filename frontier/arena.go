package frontier

import (
	"encoding/binary"
	"slices"
)

// chunkSize is how many bytes of text are allocated at once.
const chunkSize = 64 << 10

// arena keeps the text of waiting requests in large chunks instead of an object
// for each. Before each text stand the number of its owner (4 bytes) and its
// length (varint), so that a chunk of which less than half is in use can be
// emptied: what is left moves to another chunk. What has moved once is likely to stay,
// and is not among what is new.
type arena struct {
	chunks  []chunk
	free    []uint32                  // chunks without bytes
	tails   [tails]uint32             // chunks that are being filled, from 1; 0: none
	placeOf func(owner uint32) *place // nil: there is no such owner any more
	shared  bool                      // somebody reads the chunks as they were at some time
	untidy  bool                      // much is dropped now, and tidied afterwards
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

// place is where a text is: the chunk, from 1, and the offset in it.
type place uint64

// nowhere is the place of an owner without text.
const nowhere place = 0

func placeAt(chunk uint32, offset int) place { return place(chunk+1)<<32 | place(offset) }

func (p place) chunk() uint32 { return uint32(p>>32) - 1 }
func (p place) offset() int   { return int(uint32(p)) }

// put stores a copy of text for an owner that has none.
func (a *arena) put(owner uint32, text []byte) { a.putInto(newTail, owner, text) }

func (a *arena) putInto(tail int, owner uint32, text []byte) {
	size := 4 + binary.MaxVarintLen32 + len(text)
	before := a.tails[tail]
	if before == 0 || len(a.chunks[before-1].b)+size > cap(a.chunks[before-1].b) {
		a.tails[tail] = a.newChunk(max(size, chunkSize)) + 1
	}
	at := a.tails[tail] - 1
	c := &a.chunks[at]
	offset := len(c.b)
	c.b = binary.LittleEndian.AppendUint32(c.b, owner)
	c.b = binary.AppendUvarint(c.b, uint64(len(text)))
	c.b = append(c.b, text...)
	c.live += len(c.b) - offset
	*a.placeOf(owner) = placeAt(at, offset)
	if before != 0 && before-1 != at {
		a.tidy(before - 1)
	}
}

// isTail says whether a chunk is being filled.
func (a *arena) isTail(chunk uint32) bool { return slices.Contains(a.tails[:], chunk+1) }

func (a *arena) newChunk(size int) uint32 {
	fresh := chunk{b: make([]byte, 0, size)}
	if n := len(a.free); n > 0 {
		i := a.free[n-1]
		a.free = a.free[:n-1]
		a.chunks[i] = fresh
		return i
	}
	a.chunks = append(a.chunks, fresh)
	return uint32(len(a.chunks) - 1)
}

// get returns the text of an owner; it is valid until the next put or drop.
func (a *arena) get(owner uint32) []byte { return a.at(*a.placeOf(owner)) }

// at returns the text at a place.
func (a *arena) at(p place) []byte {
	_, text, _ := readText(a.chunks[p.chunk()].b[p.offset():])
	return text
}

// touch reads where a text is, and returns something of it; see the method of index.
func (a *arena) touch(p place) uint64 {
	b := a.chunks[p.chunk()].b[p.offset():]
	return uint64(b[0]) + uint64(b[min(64, len(b)-1)])
}

// setOwner notes that a text has another owner.
func (a *arena) setOwner(p place, owner uint32) {
	binary.LittleEndian.PutUint32(a.chunks[p.chunk()].b[p.offset():], owner)
}

// readText reads what put wrote at the start of b, and its size.
func readText(b []byte) (owner uint32, text []byte, size int) {
	n, w := binary.Uvarint(b[4:])
	size = 4 + w + int(n)
	return binary.LittleEndian.Uint32(b), b[4+w : size], size
}

// drop gives the text of an owner up.
func (a *arena) drop(owner uint32) {
	p := *a.placeOf(owner)
	*a.placeOf(owner) = nowhere
	c := &a.chunks[p.chunk()]
	_, _, size := readText(c.b[p.offset():])
	c.live -= size
	switch {
	case !a.isTail(p.chunk()):
		a.tidy(p.chunk())
	case c.live == 0 && a.shared: // the next put takes another
		a.tails[slices.Index(a.tails[:], p.chunk()+1)] = 0
		a.give(p.chunk())
	case c.live == 0:
		c.b = c.b[:0]
	}
}

// tidy empties a chunk that is not being filled if little of it is in use.
func (a *arena) tidy(i uint32) {
	b := a.chunks[i].b
	if b == nil || a.untidy && a.chunks[i].live > 0 || 2*a.chunks[i].live >= cap(b) {
		return
	}
	if a.chunks[i].live > 0 {
		for at := 0; at < len(b); {
			owner, text, size := readText(b[at:])
			if p := a.placeOf(owner); p != nil && *p == placeAt(i, at) {
				a.putInto(movedTail, owner, text)
			}
			at += size
		}
	}
	a.give(i)
}

// give gives up the bytes of a chunk.
func (a *arena) give(i uint32) {
	a.chunks[i] = chunk{}
	a.free = append(a.free, i)
}
