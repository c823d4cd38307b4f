package vector

import (
	"encoding/binary"
	"math"
)

// Sums are made in one order wherever a score is computed, and conversions keep
// compilers from fusing operations, so that scores are the same to the last bit
// everywhere.

// number reads a number of a vector in a section.
func number(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }

// dot is the inner product of a vector and one in a section.
func dot(a []float32, b []byte) float32 {
	var s0, s1, s2, s3 float32
	for len(a) >= 8 && len(b) >= 32 {
		s0 += float32(a[0] * number(b))
		s1 += float32(a[1] * number(b[4:]))
		s2 += float32(a[2] * number(b[8:]))
		s3 += float32(a[3] * number(b[12:]))
		s0 += float32(a[4] * number(b[16:]))
		s1 += float32(a[5] * number(b[20:]))
		s2 += float32(a[6] * number(b[24:]))
		s3 += float32(a[7] * number(b[28:]))
		a, b = a[8:], b[32:]
	}
	for i, x := range a {
		s0 += float32(x * number(b[4*i:]))
	}
	return s0 + s1 + (s2 + s3)
}

// distance is the square of the distance of a vector and one in a section.
func distance(a []float32, b []byte) float32 {
	var s0, s1, s2, s3 float32
	for len(a) >= 4 && len(b) >= 16 {
		d0, d1, d2, d3 := a[0]-number(b), a[1]-number(b[4:]), a[2]-number(b[8:]), a[3]-number(b[12:])
		s0 += float32(d0 * d0)
		s1 += float32(d1 * d1)
		s2 += float32(d2 * d2)
		s3 += float32(d3 * d3)
		a, b = a[4:], b[16:]
	}
	for i, x := range a {
		d := x - number(b[4*i:])
		s0 += float32(d * d)
	}
	return s0 + s1 + (s2 + s3)
}

// squares is the sum of the squares of a vector.
func squares(v []float32) float32 {
	var s0, s1, s2, s3 float32
	for ; len(v) >= 4; v = v[4:] {
		s0 += float32(v[0] * v[0])
		s1 += float32(v[1] * v[1])
		s2 += float32(v[2] * v[2])
		s3 += float32(v[3] * v[3])
	}
	for _, x := range v {
		s0 += float32(x * x)
	}
	return s0 + s1 + (s2 + s3)
}

// scorer scores vectors by how near they are to one.
type scorer struct {
	by Similarity
	v  []float32
	sq float32
}

func newScorer(by Similarity, v []float32) scorer { return scorer{by, v, squares(v)} }

// score scores a vector in the section of floats, never less than 0: by cosine
// (1+cos)/2; by the inner product d 1+d, or 1/(1-d) of one that is less than 0; by the
// distance d 1/(1+d²).
func (s scorer) score(row []byte) float64 {
	v := row[4:]
	switch s.by {
	case Dot:
		d := float64(dot(s.v, v))
		if d < 0 {
			return 1 / (1 - d)
		}
		return 1 + d
	case Euclidean:
		return 1 / (1 + float64(distance(s.v, v)))
	}
	length := math.Sqrt(float64(s.sq) * float64(number(row)))
	if length == 0 {
		return 0.5 // a vector of zeros has no angle
	}
	return min(max(float64(1+float64(dot(s.v, v))/length)/2, 0), 1)
}
