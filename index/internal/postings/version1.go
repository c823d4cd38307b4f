package postings

import "bytes"

// In version 1 a tail had no impacts, and a length had four significant bits in
// its code: itself up to 15, then 8·(e+1) + m for (8+m)·2^e with m < 8.

func codeLen1(c byte) uint32 {
	if c < 16 {
		return uint32(c)
	}
	return (8 + uint32(c&7)) << (min(c/8, 30) - 1)
}

// upgrade makes a table of version 1 one of this version, whose impacts bound
// the same documents.
func (t *table) upgrade(tail bool) {
	t.skips = bytes.Clone(t.skips)
	for b := range t.blocks {
		pairs := t.pairs(b)
		for i := 0; i < impactSize; i += 2 {
			pairs[i+1] = LenCode(codeLen1(pairs[i+1]))
		}
	}
	if tail && t.blocks > 0 {
		t.impacts = []byte{topTF, 0, 0, 0, 0, 0, 0, 0} // anything may be there
	}
}
