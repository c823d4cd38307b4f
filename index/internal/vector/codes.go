package vector

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// A code is a number of a vector in seven bits: -63 to 63 of 63 parts of the greatest
// number of the vector, and 64 added. Seven bits are what four products of two codes
// can be summed up of in sixteen, so that one multiplication of 64 bits makes four of
// them: of lanes a, b, c, d of 16 bits and h, g, f, e, the highest lane of the product is
// ah+bg+cf+de, and no lane below overflows. In Go that is three times as fast as one
// product after another, and compares vectors in less time than their floats take, in a quarter of
// the memory.

const (
	lanes    = 0x007f_007f_007f_007f // of the even codes of eight
	codeZero = 64
	codeMost = 63
)

// rowSize is how many bytes the codes of a vector take.
func rowSize(dims int) int { return codesHead + (dims+7)/8*8 }

// appendCodes appends the codes of a vector.
func appendCodes(dst []byte, by Similarity, v []float32) []byte {
	most := float32(0)
	for _, x := range v {
		most = max(most, max(x, -x))
	}
	head := len(dst)
	dst = append(dst, make([]byte, rowSize(len(v)))...)
	row := dst[head:]
	sum, length := uint32(0), 0.0
	for i, x := range v {
		c := 0.0
		if most > 0 {
			c = math.Round(float64(x) / float64(most) * codeMost)
		}
		row[codesHead+i] = byte(codeZero + int(c))
		sum += uint32(codeZero + int(c))
		length += c * c
	}
	factor := float64(most) / codeMost
	if by == Cosine && length > 0 {
		factor = 1 / math.Sqrt(length)
	}
	le := binary.LittleEndian
	le.PutUint32(row, sum)
	le.PutUint32(row[4:], math.Float32bits(float32(factor)))
	le.PutUint32(row[8:], math.Float32bits(squares(v)))
	return dst
}

// code is the codes of a vector, laid out to be multiplied with those of others.
type code struct {
	euclidean bool
	dims      int
	sum       int64
	factor    float32
	sq        float32
	words     []uint64 // two for each eight codes: the even ones and the odd ones, backwards
}

// set makes c that of a row.
func (c *code) set(o Options, row []byte) {
	le := binary.LittleEndian
	c.euclidean, c.dims = o.Similarity == Euclidean, o.Dims
	c.sum, c.factor, c.sq = int64(le.Uint32(row)), number(row[4:]), number(row[8:])
	c.words = c.words[:0]
	for b := row[codesHead:]; len(b) >= 8; b = b[8:] {
		x := le.Uint64(b)
		c.words = append(c.words, bits.ReverseBytes64(x&lanes)>>8, bits.ReverseBytes64(x>>8&lanes)>>8)
	}
}

// near says how near the vector of a row is: the nearer, the greater.
func (c *code) near(row []byte) float32 {
	le := binary.LittleEndian
	sum := int64(multiplied(c.words, row[codesHead:])) - codeZero*(c.sum+int64(le.Uint32(row))) + codeZero*codeZero*int64(c.dims)
	near := float32(c.factor*number(row[4:])) * float32(sum)
	if c.euclidean {
		near = float32(2*near) - c.sq - number(row[8:])
	}
	return near
}

// multiplied is the sum of the products of codes.
func multiplied(words []uint64, b []byte) uint64 {
	le := binary.LittleEndian
	var s0, s1 uint64
	for len(words) >= 4 && len(b) >= 16 {
		x, y := le.Uint64(b), le.Uint64(b[8:])
		s0 += x & lanes * words[0] >> 48
		s1 += x >> 8 & lanes * words[1] >> 48
		s0 += y & lanes * words[2] >> 48
		s1 += y >> 8 & lanes * words[3] >> 48
		words, b = words[4:], b[16:]
	}
	if len(words) >= 2 && len(b) >= 8 {
		x := le.Uint64(b)
		s0 += x & lanes * words[0] >> 48
		s1 += x >> 8 & lanes * words[1] >> 48
	}
	return s0 + s1
}
