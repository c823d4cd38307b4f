package postings

import (
	"math"
	"math/bits"
)

// Impact bounds the documents of a block: none of them has a greater TF and a
// smaller Len than every pair of its block allows. Of each document there is a
// pair with TF at least and Len at most its own, so that the greatest score of
// the pairs is not less than the score of any document, for every scorer that
// rises with tf and falls with length.
type Impact struct{ TF, Len uint32 }

// In a pair of bytes, tf comes first; 255 stands for 255 and more, 0 for no
// pair. The length follows as a code that rounds down, see [LenCode].
const (
	impactPairs = 4
	impactSize  = 2 * impactPairs
	topTF       = 255
)

// LenCode returns the code of a length, which rounds it down: itself up to 31,
// then 16·(e+1) + m for (16+m)·2^e with m < 16, that is, five significant bits.
// 255 stands for 31·2^14 and more.
func LenCode(n uint32) byte {
	if n < 32 {
		return byte(n)
	}
	e := bits.Len32(n) - 5
	if e > 14 {
		return 255
	}
	return byte(16*(e+1)) + byte(n>>e&15)
}

// CodeLen returns the smallest length of a code.
func CodeLen(c byte) uint32 {
	if c < 32 {
		return uint32(c)
	}
	return (16 + uint32(c&15)) << (c/16 - 1)
}

// frontier collects the impacts of documents: for each tf that is not
// dominated, the smallest length.
type frontier struct {
	minLen [topTF + 1]byte // smallest code by tf; valid where set
	set    [topTF + 1]bool
	top    int
}

func (f *frontier) add(tf uint32, code byte) {
	tf = min(tf, topTF)
	if !f.set[tf] || code < f.minLen[tf] {
		f.set[tf], f.minLen[tf] = true, code
	}
	f.top = max(f.top, int(tf))
}

// append appends at most four pairs that bound all that was added, and starts
// anew.
func (f *frontier) append(dst []byte, avgLen float64) []byte {
	var pairs [][2]byte // falling tf, falling length
	best := math.MaxUint8 + 1
	for tf := f.top; tf > 0; tf-- {
		if f.set[tf] && int(f.minLen[tf]) < best {
			best = int(f.minLen[tf])
			pairs = append(pairs, [2]byte{byte(tf), byte(best)})
		}
	}
	for len(pairs) > impactPairs {
		pairs = fuse(pairs, avgLen)
	}
	for i := range impactPairs {
		if i < len(pairs) {
			dst = append(dst, pairs[i][:]...)
		} else {
			dst = append(dst, 0, 0)
		}
	}
	*f = frontier{}
	return dst
}

// fuse replaces two neighbours by one pair that bounds both: the greater tf, the
// smaller length. It takes those whose pair scores least by BM25 as it is mostly
// used, so that the bound that most searches see stays as low as can be.
func fuse(pairs [][2]byte, avgLen float64) [][2]byte {
	at, least := 0, math.Inf(1)
	for i := range len(pairs) - 1 {
		if s := saturation(pairs[i][0], pairs[i+1][1], avgLen); s < least {
			at, least = i, s
		}
	}
	pairs[at][1] = pairs[at+1][1]
	return append(pairs[:at+1], pairs[at+2:]...)
}

func saturation(tf, code byte, avgLen float64) float64 {
	return float64(tf) / (float64(tf) + 1.2*(0.25+0.75*float64(CodeLen(code))/avgLen))
}

// ReadImpact takes apart a pair of bytes, whose tf is not 0.
func ReadImpact(tf, code byte) Impact {
	if tf == topTF {
		return Impact{math.MaxUint32, CodeLen(code)}
	}
	return Impact{uint32(tf), CodeLen(code)}
}

// readImpacts appends the pairs in b to dst.
func readImpacts(dst []Impact, b []byte) []Impact {
	for i := 0; i+1 < len(b) && b[i] != 0; i += 2 {
		dst = append(dst, ReadImpact(b[i], b[i+1]))
	}
	return dst
}
