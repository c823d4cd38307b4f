package fuzzy

import (
	"hash/maphash"
	"iter"
)

// Pairs knows how often words follow each other, so that a [Speller] can tell
// what fits: "weather forecast" rather than "wether forecast". It takes some 24
// bytes for each pair and does not change.
type Pairs struct {
	seed   maphash.Seed
	keys   []uint64  // hashes; 0 is a free place
	counts []float32 // of each key
	mask   uint64
	n      int
}

// NewPairs makes Pairs of two words that follow each other and how often they do.
// Counts of a pair that comes several times are added up. Pairs that were seen
// once or twice may be left out: they take most of the memory and tell little.
func NewPairs[N number](pairs iter.Seq2[[2]string, N]) *Pairs {
	p := &Pairs{seed: maphash.MakeSeed()}
	p.resize(1 << 10)
	for pair, n := range pairs {
		p.add(p.hash(pair[0], pair[1]), float32(n))
		p.add(p.hash(pair[0], ""), float32(n)) // how often anything follows
	}
	return p
}

// Count is how often b follows a.
func (p *Pairs) Count(a, b string) float64 {
	if p == nil || b == "" {
		return 0
	}
	return float64(p.counts[p.place(p.hash(a, b))])
}

// Next is how often words follow a, all together.
func (p *Pairs) Next(a string) float64 {
	if p == nil {
		return 0
	}
	return float64(p.counts[p.place(p.hash(a, ""))])
}

func (p *Pairs) hash(a, b string) uint64 {
	var h maphash.Hash
	h.SetSeed(p.seed)
	h.WriteString(a)
	h.WriteByte(0)
	h.WriteString(b)
	return h.Sum64() | 1
}

// place is where the key is, or the free place where it would be.
func (p *Pairs) place(key uint64) uint64 {
	for i := key >> 1 & p.mask; ; i = (i + 1) & p.mask {
		if p.keys[i] == key || p.keys[i] == 0 {
			return i
		}
	}
}

func (p *Pairs) add(key uint64, n float32) {
	i := p.place(key)
	if p.keys[i] == 0 {
		if p.n*4 >= len(p.keys)*3 {
			p.resize(2 * len(p.keys))
			i = p.place(key)
		}
		p.keys[i] = key
		p.n++
	}
	p.counts[i] += n
}

func (p *Pairs) resize(size int) {
	keys, counts := p.keys, p.counts
	p.keys, p.counts, p.mask = make([]uint64, size), make([]float32, size), uint64(size)-1
	for i, key := range keys {
		if key != 0 {
			j := p.place(key)
			p.keys[j], p.counts[j] = key, counts[i]
		}
	}
}
