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
// pair. The length follows as a code that rounds down: itself up to 15, then
// 8·(e+1) + m for (8+m)·2^e with m < 8, that is, four significant bits.
const (
	impactPairs = 4
	impactSize  = 2 * impactPairs
	topTF       = 255
)

// lenCode returns the code of a length.
func lenCode(n uint32) byte {
	if n < 16 {
		return byte(n)
	}
	e := bits.Len32(n) - 4
	return byte(8*(e+1)) + byte(n>>e&7)
}

// codeLen returns the smallest length of a code.
func codeLen(c byte) uint32 {
	if c < 16 {
		return uint32(c)
	}
	return (8 + uint32(c&7)) << (c/8 - 1)
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
func (f *frontier) append(dst []byte) []byte {
	var pairs [][2]byte // falling tf, falling length
	best := math.MaxUint8 + 1
	for tf := f.top; tf > 0; tf-- {
		if f.set[tf] && int(f.minLen[tf]) < best {
			best = int(f.minLen[tf])
			pairs = append(pairs, [2]byte{byte(tf), byte(best)})
		}
	}
	for len(pairs) > impactPairs {
		pairs = fuse(pairs)
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

// fuse replaces the two neighbours that are nearest by one pair that bounds
// both: the greater tf, the smaller length.
func fuse(pairs [][2]byte) [][2]byte {
	at, least := 0, math.Inf(1)
	for i := range len(pairs) - 1 {
		a, b := pairs[i], pairs[i+1]
		cost := float64(a[0]-b[0])/float64(b[0]) + float64(a[1]-b[1])/8
		if cost < least {
			at, least = i, cost
		}
	}
	pairs[at][1] = pairs[at+1][1]
	return append(pairs[:at+1], pairs[at+2:]...)
}

// readImpacts appends the pairs in b to dst.
func readImpacts(dst []Impact, b []byte) []Impact {
	for i := 0; i+1 < len(b) && b[i] != 0; i += 2 {
		tf := uint32(b[i])
		if tf == topTF {
			tf = math.MaxUint32
		}
		dst = append(dst, Impact{tf, codeLen(b[i+1])})
	}
	return dst
}
