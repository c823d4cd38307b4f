package dedup

import (
	"math/bits"
	"slices"
)

// fewWords is the length below which texts are compared to the letter only.
const fewWords = 12

// A Fingerprint is what is kept of a text to compare it with others. Case,
// punctuation and white space do not count.
type Fingerprint struct {
	Exact  uint64 // equal for texts with the same words in the same order
	Sim    uint64 // SimHash: few bits apart for texts with mostly the same shingles
	Sketch Sketch // tells how alike two texts are where Sim only says that they may be
	Title  Title  // by [OfPage]; zero: not known
	Words  int    // length of the text
}

// Of returns the fingerprint of a text. Its Sim is the SimHash of Charikar
// ("Similarity estimation techniques from rounding algorithms", STOC 2002) over
// the set of its pairs of words, as Manku, Jain and Das Sarma use it for the web
// (WWW 2007). Pairs tell texts apart that share their words, and a changed word
// changes but two of them. It costs some 30 µs for a thousand words.
func Of(text string) Fingerprint {
	var f Fingerprint
	var before uint64
	features := make([]uint64, 0, len(text)/6+1)
	eachWord(text, func(word uint64) {
		f.Exact = next(f.Exact, word)
		if f.Words > 0 {
			features = append(features, next(before, word))
		}
		before = word
		f.Words++
	})
	if len(features) == 0 {
		features = append(features, before)
	}
	slices.Sort(features)
	features = slices.Compact(features)
	f.Sim = simHash(features)
	f.Sketch = sketchOf(features)
	return f
}

// simHash has each bit that most features have. The counters of the bits lie
// in eight words, a byte each, that are emptied before they overflow.
func simHash(features []uint64) uint64 {
	const spread, low = 0x0101010101010101, 0x8040201008040201
	var counts [64]int32
	for len(features) > 0 {
		part := features[:min(len(features), 255)]
		features = features[len(part):]
		var packed [8]uint64
		for _, h := range part {
			for i := range packed {
				b := (h >> (8 * i) & 0xff) * spread & low // bit j at byte j
				packed[i] += (b + 0x7f7f7f7f7f7f7f7f) >> 7 & spread
			}
		}
		for i, p := range packed {
			for j := range 8 {
				counts[8*i+j] += 2*int32(p>>(8*j)&0xff) - int32(len(part))
			}
		}
	}
	var sim uint64
	for i, n := range counts {
		if n > 0 {
			sim |= 1 << i
		}
	}
	return sim
}

// Distance is how many bits of two SimHashes differ, from 0 to 64. Two texts of
// which a share s of the shingles is common are about 64·acos(s)/π apart, give
// or take three; of unrelated ones, 32.
func (f Fingerprint) Distance(g Fingerprint) int { return bits.OnesCount64(f.Sim ^ g.Sim) }

// Same reports whether two texts have the same words in the same order.
func (f Fingerprint) Same(g Fingerprint) bool { return f.Exact == g.Exact && f.Words == g.Words }

// Near reports whether two texts are the same, or long enough to compare and
// at most so many bits apart.
func (f Fingerprint) Near(g Fingerprint, distance int) bool {
	return f.Same(g) || f.long() && g.long() && f.Distance(g) <= distance
}

func (f Fingerprint) long() bool { return f.Words >= fewWords }

// A Sketch is a sample of the shingles of a text: the least of those that fall
// into each of 64 bins, a byte of it each (one permutation hashing: Li, Owen and
// Zhang, NIPS 2012; b-bit minwise hashing: Li and König, WWW 2010). Zero: none.
type Sketch [64]uint8

func sketchOf(features []uint64) Sketch {
	var least [64]uint64
	var s Sketch
	for _, h := range features {
		bin, rest := h>>58, h<<6|1
		if least[bin] == 0 || rest < least[bin] {
			least[bin] = rest
			s[bin] = uint8(mix(rest)%255) + 1
		}
	}
	return s
}

// Resemblance estimates which share of the shingles of two texts together is in
// both, give or take 0.06.
func (s Sketch) Resemblance(t Sketch) float64 {
	same, bins := 0, 0
	for i := range s {
		if s[i] != 0 || t[i] != 0 {
			bins++
		}
		if s[i] != 0 && s[i] == t[i] {
			same++
		}
	}
	if bins == 0 {
		return 0
	}
	const chance = 1.0 / 255
	return max(0, (float64(same)/float64(bins)-chance)/(1-chance))
}
