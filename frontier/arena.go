package frontier

import "encoding/binary"

// chunkSize is how many bytes of text are allocated at once.
const chunkSize = 64 << 10

// arena keeps the text of waiting requests in large chunks instead of an object
// for each. Before each text stand the number of its owner (4 bytes) and its
// length (varint), so that a chunk of which less than half is in use can be
// emptied: what is left moves to another chunk.
type arena struct {
	chunks  []chunk
	free    []uint32                  // chunks without bytes
	current uint32                    // the chunk that is being filled
	placeOf func(owner uint32) *place // nil: there is no such owner any more
	shared  bool                      // somebody reads the chunks as they were at some time
	untidy  bool                      // much is dropped now, and tidied afterwards
}

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
func (a *arena) put(owner uint32, text []byte) {
	size := 4 + binary.MaxVarintLen32 + len(text)
	before := a.current
	if len(a.chunks) == 0 || len(a.chunks[before].b)+size > cap(a.chunks[before].b) {
		a.current = a.newChunk(max(size, chunkSize))
	}
	c := &a.chunks[a.current]
	at := len(c.b)
	c.b = binary.LittleEndian.AppendUint32(c.b, owner)
	c.b = binary.AppendUvarint(c.b, uint64(len(text)))
	c.b = append(c.b, text...)
	c.live += len(c.b) - at
	*a.placeOf(owner) = placeAt(a.current, at)
	if a.current != before {
		a.tidy(before)
	}
}

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
	case p.chunk() != a.current:
		a.tidy(p.chunk())
	case c.live == 0 && a.shared:
		c.b = nil // the next put takes another
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
				a.put(owner, text)
			}
			at += size
		}
	}
	a.chunks[i] = chunk{}
	a.free = append(a.free, i)
}
