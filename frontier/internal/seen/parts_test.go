package seen

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// sorted are random numbers in order, all different, that span so many bits.
func sorted(rng *rand.Rand, n, bits int) []uint64 {
	keys := make([]uint64, n)
	for i := range keys {
		keys[i] = rng.Uint64() >> (64 - bits)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func collect(t *table) (keys []uint64) {
	t.each(func(key uint64) error {
		keys = append(keys, key)
		return nil
	})
	return keys
}

// TestTable holds tables of all kinds against a map.
func TestTable(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 1))
	for _, size := range []int{0, 1000, 100_000} {
		tab := newTable(size)
		for range 2 { // the second time it is used again
			want := map[uint64]bool{}
			for range 30_000 {
				key := rng.Uint64()
				switch rng.IntN(10) {
				case 0:
					key >>= 48 // many in one part, among them 0
				case 1:
					key |= ^uint64(63) // at the end of the last part
				}
				if had := tab.has(key); had != want[key] {
					t.Fatalf("has(%x) is %v", key, had)
				}
				if added := tab.add(key); added == want[key] {
					t.Fatalf("add(%x) is %v", key, added)
				}
				want[key] = true
				if tab.add(key) || !tab.has(key) {
					t.Fatalf("%x was not added", key)
				}
			}
			got := collect(tab)
			if tab.n != len(want) || len(got) != len(want) || !slices.IsSorted(got) {
				t.Fatalf("%d keys, counted %d, want %d, in order: %v", len(got), tab.n, len(want), slices.IsSorted(got))
			}
			for _, key := range got {
				if !want[key] {
					t.Fatalf("%x was never added", key)
				}
			}
			tab.clear()
			if tab.n != 0 || tab.has(0) || tab.has(got[7]) || len(collect(tab)) != 0 {
				t.Fatal("not empty after clear")
			}
		}
	}
}

// TestTableMemory holds a part of a table to its part of the memory, and wants all of
// that for it before it is half full.
func TestTableMemory(t *testing.T) {
	t.Parallel()
	const most = defaultMemory / 2 / parts
	keys := Options{}.keys()
	tab := newTable(keys)
	for i := range keys / parts {
		tab.add(5<<(64-partBits) | mix(uint64(i))>>partBits)
		if i == keys/parts/2 && tab.bytes() < most-most/500 {
			t.Errorf("%d bytes when half of the keys are in it, and more later", tab.bytes())
		}
	}
	if tab.bytes() > most {
		t.Errorf("%d bytes, at most %d", tab.bytes(), most)
	}
}

// TestFilter wants all keys that were added to pass, and few others.
func TestFilter(t *testing.T) {
	t.Parallel()
	const n = 200_000
	f, err := newFilter(n)
	if err != nil {
		t.Fatal(err)
	}
	defer f.free()
	for i := range n {
		f.add(mix(uint64(i)))
	}
	wrong := 0
	for i := range n {
		if f.pass(mix(uint64(i))) != 1 {
			t.Fatalf("key %d does not pass", i)
		}
		wrong += f.pass(mix(uint64(n + i)))
	}
	if rate := float64(wrong) / n; rate > 0.013 {
		t.Errorf("%.4f of other keys pass", rate)
	}
}

// TestBlock packs keys that are near to and far from each other, and finds them
// and no others.
func TestBlock(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(2, 2))
	for bits := 1; bits <= 64; bits++ {
		keys := sorted(rng, 1+rng.IntN(600), bits)
		if bits == 64 {
			keys[0], keys[len(keys)-1] = 0, math.MaxUint64
		}
		n := len(keys)
		for !fits(n, keys[n-1]-keys[0]) {
			n--
		}
		keys = keys[:n]
		var b [blockSize]byte
		packBlock(&b, keys, 7, 3)
		if err := checkBlock(&b, 7, 3); err != nil {
			t.Fatal(bits, err)
		}
		x := block{&b}
		if got, ok := x.keys(nil); !ok || !slices.Equal(got, keys) {
			t.Fatalf("%d bits: %v, %x, want %x", bits, ok, got, keys)
		}
		for _, span := range []uint64{math.MaxUint64 - keys[0], keys[n-1] - keys[0] + 1} {
			for i, key := range keys {
				if !x.has(key, span) {
					t.Fatalf("%d bits: %x is not found", bits, key)
				}
				if next := key + 1; i+1 < n && next != keys[i+1] && x.has(next, span) {
					t.Fatalf("%d bits: %x is found", bits, next)
				}
			}
			if past := keys[n-1] + 1; past > keys[0] && x.has(past, span) {
				t.Fatalf("%d bits: %x is found", bits, past)
			}
		}
		if checkBlock(&b, 7, 4) == nil || checkBlock(&b, 8, 3) == nil {
			t.Error("the block is good in another place")
		}
	}
}

// TestBlockFull fills blocks to the last key that fits.
func TestBlockFull(t *testing.T) {
	t.Parallel()
	for _, step := range []uint64{1, 1 << 20, 1 << 37, 1 << 55} {
		var keys []uint64
		for key := uint64(1); fits(len(keys)+1, key-1); key += step {
			keys = append(keys, key)
			if key+step < key {
				break
			}
		}
		var b [blockSize]byte
		packBlock(&b, keys, 1, 0)
		x := block{&b}
		if got, ok := x.keys(nil); !ok || !slices.Equal(got, keys) {
			t.Errorf("%d keys at distances of %d are read back as others", len(keys), step)
		}
	}
}
