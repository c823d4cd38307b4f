package fuzzy

import (
	"slices"
	"strconv"
)

// Edit is one step from what was meant to what was written.
type Edit struct {
	Meant, Written string  // what was replaced by what; one of them may be empty
	At             int     // where, in runes of what was meant
	Cost           float64 // 0 where nothing was changed
}

// String is the edit as people would write it down: "ie→ei at 3".
func (e Edit) String() string {
	return strconv.Quote(e.Meant) + "→" + strconv.Quote(e.Written) + " at " + strconv.Itoa(e.At)
}

// Align gives a shortest way from a to b: edits of cost 1 in order, and between
// them, at no cost, the runes that stay, joined. Their number of cost 1 is the
// distance of m; a swap of [MetricDamerau] with runes between is one edit of a
// cost above 1. It takes time and space in proportion to the product of the
// lengths.
func (m Metric) Align(a, b string) []Edit {
	ra, rb := []rune(a), []rune(b)
	d := m.cells(ra, rb)
	var edits []Edit
	for i, j := len(ra), len(rb); i > 0 || j > 0; {
		k, l := m.step(d, ra, rb, i, j)
		edits = append(edits, Edit{string(ra[k:i]), string(rb[l:j]), k, float64(d[i][j] - d[k][l])})
		i, j = k, l
	}
	slices.Reverse(edits)
	return joinKept(edits)
}

// cells is the distance table: cell [i][j] is the distance of the first i runes
// of a and the first j of b.
func (m Metric) cells(a, b []rune) [][]int {
	d := make([][]int, len(a)+1)
	last := map[rune]int{} // row where a rune stands last
	for i := range d {
		d[i] = make([]int, len(b)+1)
		col := 0 // column of b, before j, where a[i-1] stands last
		for j := range d[i] {
			if i == 0 || j == 0 {
				d[i][j] = i + j
				continue
			}
			best := d[i-1][j-1]
			if a[i-1] != b[j-1] {
				best = min(best, d[i-1][j], d[i][j-1]) + 1
			}
			if k, l := m.swapped(last, a, b, i, j, col); k > 0 {
				best = min(best, d[k-1][l-1]+i-k+j-l-1)
			}
			d[i][j] = best
			if a[i-1] == b[j-1] {
				col = j
			}
		}
		if i > 0 {
			last[a[i-1]] = i
		}
	}
	return d
}

// swapped is the places k before i and l before j with a[k] = b[j] and
// a[i] = b[l], counted from 1, or zeros where the metric knows no such swap.
func (m Metric) swapped(last map[rune]int, a, b []rune, i, j, col int) (k, l int) {
	switch m {
	case MetricOSA:
		if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
			return i - 1, j - 1
		}
	case MetricDamerau:
		if k := last[b[j-1]]; k > 0 && k < i && col > 0 {
			return k, col
		}
	}
	return 0, 0
}

// step is the cell from which cell [i][j] comes.
func (m Metric) step(d [][]int, a, b []rune, i, j int) (int, int) {
	switch {
	case i == 0:
		return 0, j - 1
	case j == 0:
		return i - 1, 0
	case a[i-1] == b[j-1] && d[i][j] == d[i-1][j-1]:
		return i - 1, j - 1
	}
	last, col := map[rune]int{}, 0
	for k, r := range a[:i-1] {
		last[r] = k + 1
	}
	for l, r := range b[:j-1] {
		if r == a[i-1] {
			col = l + 1
		}
	}
	if k, l := m.swapped(last, a, b, i, j, col); k > 0 && d[i][j] == d[k-1][l-1]+i-k+j-l-1 {
		return k - 1, l - 1
	}
	switch d[i][j] - 1 {
	case d[i-1][j-1]:
		return i - 1, j - 1
	case d[i-1][j]:
		return i - 1, j
	}
	return i, j - 1
}

// joinKept joins neighbours that cost nothing.
func joinKept(edits []Edit) []Edit {
	joined := edits[:0]
	for _, e := range edits {
		if n := len(joined); n > 0 && e.Cost == 0 && joined[n-1].Cost == 0 {
			joined[n-1].Meant += e.Meant
			joined[n-1].Written += e.Written
		} else {
			joined = append(joined, e)
		}
	}
	return joined
}
