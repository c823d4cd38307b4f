package ltr

import (
	"math"
	"slices"
)

// maxBins is how many bins the values of a feature are put into.
const maxBins = 255

// binned is a feature of all documents as numbers of bins.
type binned struct {
	bins    []uint8
	above   []float64 // the threshold between a bin and the next one
	missing int       // the bin of NaN; 0: none is missing
}

// count is the number of bins, that of NaN not counted.
func (b *binned) count() int { return len(b.above) + 1 }

// newBinned puts values into bins: one for each value if there are few enough, else of about as many documents each.
func newBinned(values []float64) *binned {
	sorted := make([]float64, 0, len(values))
	for _, v := range values {
		if v == v {
			sorted = append(sorted, v)
		}
	}
	slices.Sort(sorted)
	distinct := 0
	for i, v := range sorted {
		if i == 0 || v != sorted[i-1] {
			distinct++
		}
	}
	least := 1 // documents in a bin
	if distinct >= maxBins {
		least = len(sorted)/(maxBins-1) + 1
	}
	b := &binned{bins: make([]uint8, len(values))}
	in := 0
	for i, v := range sorted {
		if i > 0 && v != sorted[i-1] && in >= least {
			b.above, in = append(b.above, between(sorted[i-1], v)), 0
		}
		in++
	}
	if len(sorted) < len(values) && len(sorted) > 0 {
		b.missing = b.count()
	}
	for i, v := range values {
		if v != v {
			b.bins[i] = uint8(b.missing)
			continue
		}
		n, _ := slices.BinarySearch(b.above, v)
		b.bins[i] = uint8(n)
	}
	return b
}

// between is a number that is at least a and less than b.
func between(a, b float64) float64 {
	mid := a/2 + b/2
	if mid >= a && mid < b && !math.IsInf(mid, 0) {
		return mid
	}
	return a
}
