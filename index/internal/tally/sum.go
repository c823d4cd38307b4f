package tally

import (
	"math"
	"math/big"
	"math/bits"
)

// sum is an exact sum: parts that do not overlap, ascending, as in Shewchuk
// (1997), "Adaptive precision floating-point arithmetic". Its total is rounded
// once, so it does not depend on the order of the numbers.
type sum struct {
	parts []float64
	over  int64   // so many times 2^1024 on top of these
	odd   float64 // the sum of what is infinite or no number
}

func (s *sum) add(x float64) {
	if x-x != 0 {
		s.odd += x
		return
	}
	kept := s.parts[:0]
	for _, y := range s.parts {
		if math.Abs(x) < math.Abs(y) {
			x, y = y, x
		}
		hi := float64(x + y)
		if math.IsInf(hi, 0) {
			half := math.Copysign(0x1p1023, x)
			s.over += int64(math.Copysign(1, x))
			x = float64(float64(x-half) - half) // both are exact
			if math.Abs(x) < math.Abs(y) {
				x, y = y, x
			}
			hi = float64(x + y)
		}
		if lo := float64(y - float64(hi-x)); lo != 0 {
			kept = append(kept, lo)
		}
		x = hi
	}
	s.parts = append(kept, x)
}

// merge adds another sum.
func (s *sum) merge(other sum) {
	s.over += other.over
	s.odd += other.odd
	for _, x := range other.parts {
		s.add(x)
	}
}

// enoughBits hold any sum of 2^63 numbers.
const enoughBits = 1074 + 1024 + 64

// total rounds the sum to the nearest number, ties to even.
func (s *sum) total() float64 {
	if s.odd != 0 {
		return s.odd
	}
	all := new(big.Float).SetPrec(enoughBits).SetInt64(s.over)
	all.SetMantExp(all, 1024)
	for _, x := range s.parts {
		all.Add(all, new(big.Float).SetFloat64(x))
	}
	total, _ := all.Float64()
	return total
}

// whole is a sum of whole numbers, of 128 bits.
type whole struct {
	hi int64
	lo uint64
}

func (s *whole) add(v int64) { s.merge(whole{v >> 63, uint64(v)}) }

// merge adds another sum.
func (s *whole) merge(other whole) {
	lo, carry := bits.Add64(s.lo, other.lo, 0)
	s.hi, s.lo = s.hi+other.hi+int64(carry), lo
}

// total rounds the sum, divided by unit, to the nearest number, ties to even.
func (s *whole) total(unit int64) float64 {
	all := new(big.Int).Lsh(big.NewInt(s.hi), 64)
	all.Add(all, new(big.Int).SetUint64(s.lo))
	total, _ := new(big.Rat).SetFrac(all, big.NewInt(unit)).Float64()
	return total
}
