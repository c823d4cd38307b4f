package tally

import "math"

// sum is an exact sum of finite numbers: parts that do not overlap, ascending,
// as in Shewchuk (1997), "Adaptive precision floating-point arithmetic". Its
// total is rounded once, so it does not depend on the order of the numbers. A
// sum that overflows is infinite.
type sum struct {
	parts []float64
	over  bool
}

func (s *sum) add(x float64) {
	if s.over {
		return
	}
	kept := s.parts[:0]
	for _, y := range s.parts {
		if math.Abs(x) < math.Abs(y) {
			x, y = y, x
		}
		hi := float64(x + y)
		if s.over = math.IsInf(hi, 0); s.over {
			s.parts = append(s.parts[:0], hi)
			return
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
	if other.over && !s.over {
		s.over, s.parts = true, append(s.parts[:0], other.parts...)
	}
	for _, x := range other.parts {
		s.add(x)
	}
}

// total rounds the parts to the nearest number, ties to even.
func (s *sum) total() float64 {
	n := len(s.parts) - 1
	if n < 0 {
		return 0
	}
	hi, lo := s.parts[n], 0.0
	for n > 0 && lo == 0 {
		n--
		x := hi
		hi = float64(x + s.parts[n])
		lo = float64(s.parts[n] - float64(hi-x))
	}
	// Halfway between two numbers the parts below decide.
	if n > 0 && (lo < 0 && s.parts[n-1] < 0 || lo > 0 && s.parts[n-1] > 0) {
		y := 2 * lo
		x := float64(hi + y)
		if float64(x-hi) == y {
			hi = x
		}
	}
	return hi
}
