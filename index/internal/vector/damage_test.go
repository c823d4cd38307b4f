package vector

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math/rand/v2"
	"testing"

	"github.com/webquarry/quarry/index/internal/bitset"
	"github.com/webquarry/quarry/index/internal/pagefile"
)

// reseal makes the checksums of a file right, if its footer can be found.
func reseal(data []byte) []byte {
	le, table := binary.LittleEndian, crc32.MakeTable(crc32.Castagnoli)
	out := make([]byte, len(data), len(data)+pagefile.Padding)
	copy(out, data)
	size := uint64(len(out))
	if size < 80 {
		return out
	}
	body, foot := le.Uint64(out[size-40:]), uint64(le.Uint32(out[size-32:]))
	if foot < 80 || foot > size || body > size-foot {
		return out
	}
	pages := (body + pagefile.PageSize - 1) / pagefile.PageSize
	n := uint64(le.Uint32(out[size-foot:]))
	if at := size - foot + 4 + 20*n; 4*pages <= size && at < size-40-4*pages {
		for p := range pages {
			from := p * pagefile.PageSize
			le.PutUint32(out[at+4*p:], crc32.Checksum(out[from:min(from+pagefile.PageSize, body)], table))
		}
	}
	le.PutUint32(out[size-4:], crc32.Checksum(out[size-foot:size-4], table))
	copy(out[body:], out[size-foot:])
	return out
}

// readAll does with a file what an index does, and reports the errors.
func readAll(data []byte, docs uint32) error {
	f, err := pagefile.Open(data)
	if err != nil {
		return err
	}
	r, err := Open(f, 3, docs)
	if err != nil || r == nil {
		return err
	}
	err = r.Verify(context.Background())
	for doc := range docs + 2 {
		_, atErr := r.At(doc)
		next, _ := r.Next(doc)
		r.Has(next)
		err = errors.Join(err, atErr)
	}
	v := make([]float32, r.Dims)
	v[0] = 1
	filter := bitset.New(docs)
	for doc := range docs / 2 {
		filter.Add(doc)
	}
	for _, s := range []Search{{K: 3, Candidates: 5}, {K: 3, Exact: true}, {K: 1, Candidates: 4, Filter: filter}} {
		s.Vector, s.Check = v, never
		_, searchErr := r.Nearest(s)
		err = errors.Join(err, searchErr)
	}
	if r.graph == nil || r.n > docs {
		return err
	}
	// A merge that takes the graph over.
	to := make([]uint32, docs)
	for i := range to {
		to[i] = uint32(i)
	}
	vectors := func(yield func(uint32, []byte) bool) {
		for id := range r.n {
			if row, err := r.floatsOf(id); err != nil || !yield(r.doc(id), row) {
				return
			}
		}
	}
	return errors.Join(err, Write(pagefile.NewWriter(new(bytes.Buffer), 1), 3, r.Options, int(docs), vectors, &Source{r, to}, never))
}

// Whatever the bytes are, reading them neither panics nor goes on for ever, and what
// damage there is, is found out by Verify or changes no more than scores.
func TestDamaged(t *testing.T) {
	t.Parallel()
	rounds := 150
	if testing.Short() {
		rounds = 15
	}
	rnd := rand.New(rand.NewPCG(7, 7))
	small := clustered(1, 40, 3)
	large := clustered(1, leastGraph, 2)
	for _, c := range []struct {
		data   []byte
		docs   uint32
		rounds int
	}{
		{written(t, Options{Dims: 3, Similarity: Euclidean}, 90, given(small, 2), nil), 90, 20 * rounds},
		{written(t, Options{Dims: 2, Approximate: true, M: 4, EfConstruction: 8}, leastGraph, given(large, 1), nil), leastGraph, rounds},
	} {
		if err := readAll(reseal(c.data), c.docs); err != nil {
			t.Fatalf("undamaged: %v", err)
		}
		body := binary.LittleEndian.Uint64(c.data[len(c.data)-40:])
		for range c.rounds {
			spoiled := bytes.Clone(c.data)
			for range 1 + rnd.IntN(4) {
				at := rnd.IntN(int(body))
				if rnd.IntN(2) == 0 {
					at = int(body) - 1 - rnd.IntN(min(headSize+400, int(body))) // head and upper levels
				}
				spoiled[at] = byte(rnd.Uint32())
			}
			if err := readAll(reseal(spoiled), c.docs); err != nil {
				if _, ok := errors.AsType[*pagefile.Damage](err); !ok {
					t.Fatal(err)
				}
			}
			// Without right checksums a changed page is told by whoever reads it.
			if !bytes.Equal(spoiled, c.data) {
				f, err := pagefile.Open(append(spoiled, make([]byte, pagefile.Padding)...)[:len(spoiled)])
				if err == nil {
					err = f.Verify(t.Context())
				}
				if err == nil {
					t.Fatal("damage is not found out")
				}
			}
		}
	}
}

func FuzzVectors(f *testing.F) {
	f.Add(written(f, Options{Dims: 3, Similarity: Euclidean}, 90, given(clustered(1, 40, 3), 2), nil))
	f.Add(written(f, Options{Dims: 1, Similarity: Dot}, 3, given(clustered(1, 3, 1), 1), nil))
	f.Add(written(f, Options{Dims: 1, Approximate: true, M: 2, EfConstruction: 2}, leastGraph, given(clustered(1, leastGraph, 1), 1), nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, docs := range []uint32{3, 90, leastGraph} {
			readAll(reseal(data), docs)
		}
	})
}
