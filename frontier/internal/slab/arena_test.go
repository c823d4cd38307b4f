package slab

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestArena puts and drops texts of all sizes at random and looks at them all.
func TestArena(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	const owners = 3000
	places := make([]Place, owners)
	texts := make([][]byte, owners)
	for i := range places {
		places[i] = Nowhere
	}
	a := Arena{PlaceOf: func(o uint32) *Place { return &places[o] }}
	inUse := 0
	for round := range 60_000 {
		o := uint32(rnd.IntN(owners))
		if texts[o] != nil {
			inUse -= len(texts[o])
			texts[o] = nil
			a.Drop(o)
		}
		if round/20_000 != 1 || rnd.IntN(4) == 0 { // fewer in the middle
			size := rnd.IntN(200)
			if rnd.IntN(500) == 0 {
				size = rnd.IntN(2 * chunkSize)
			}
			text := bytes.Repeat([]byte{byte(o), byte(round)}, size/2+1)
			texts[o] = text
			inUse += len(text)
			a.Put(o, text)
		}
		if round%5000 == 0 {
			for o, text := range texts {
				if text != nil && !bytes.Equal(a.Get(uint32(o)), text) {
					t.Fatalf("round %d: the text of %d is not what it was", round, o)
				}
			}
			room := 0
			for _, c := range a.Chunks {
				room += cap(c.b)
			}
			if room > 3*inUse+4*chunkSize {
				t.Errorf("round %d: %d bytes of chunks for %d of text", round, room, inUse)
			}
		}
	}
	for o := range texts {
		if texts[o] != nil {
			a.Drop(uint32(o))
		}
	}
	room := 0
	for _, c := range a.Chunks {
		room += cap(c.b)
	}
	if room > 3*chunkSize {
		t.Errorf("%d bytes of chunks for nothing", room)
	}
}
