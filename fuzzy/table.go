package fuzzy

// A table computes distances row by row. It keeps its rows for the next time.
type table struct {
	rows [3][]int
	last map[rune]int
}

// row is row i with room for n+1 cells.
func (t *table) row(i, n int) []int {
	if cap(t.rows[i]) <= n {
		t.rows[i] = make([]int, n+1, 2*n+1)
	}
	return t.rows[i][:n+1]
}

// distance is the distance of a and b, or something greater than most when
// that is greater than most. With prefix it is the least distance of a and any
// prefix of b.
func (t *table) distance(m Metric, a, b []rune, most int, prefix bool) int {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	most = min(most, len(a)+len(b))
	if prefix {
		b = b[:min(len(b), len(a)+most)]
	} else {
		for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
			a, b = a[:len(a)-1], b[:len(b)-1]
		}
	}
	switch {
	case len(a)-len(b) > most, len(b)-len(a) > most && !prefix:
		return most + 1
	case len(a) == 0 && prefix:
		return 0
	case len(a) == 0:
		return len(b)
	case len(b) == 0:
		return len(a)
	case m == MetricDamerau:
		return t.damerau(a, b, most, prefix)
	}
	return t.banded(a, b, most, prefix, m == MetricOSA)
}

// banded fills only the cells within most of the diagonal, since a path
// through any other cell costs more (Ukkonen, 1985).
func (t *table) banded(a, b []rune, most int, prefix, swaps bool) int {
	n, beyond := len(b), most+1
	before, above, row := t.row(0, n), t.row(1, n), t.row(2, n)
	for j := range min(n, most) + 1 {
		above[j] = j
	}
	if most < n {
		above[most+1] = beyond
	}
	least := 0
	for i := 1; i <= len(a); i++ {
		lo, hi := max(1, i-most), min(n, i+most)
		row[lo-1] = beyond
		if lo == 1 {
			row[0] = i
		}
		least = row[lo-1]
		for j := lo; j <= hi; j++ {
			d := above[j-1]
			if a[i-1] != b[j-1] {
				d = min(d, above[j], row[j-1]) + 1
				if swaps && i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
					d = min(d, before[j-2]+1)
				}
			}
			row[j] = d
			least = min(least, d)
		}
		if least > most {
			return beyond
		}
		if hi < n {
			row[hi+1] = beyond
		}
		before, above, row = above, row, before
	}
	if prefix {
		return least
	}
	return above[n]
}

// damerau is the unrestricted distance in linear space (Zhao and Sahni, 2020).
// A swap of a[k] and a[i] for b[l] and b[j] that both deletes runes between
// and inserts some is never the cheapest way, so one of k = i-1 and l = j-1
// holds, and single cells remembered from earlier rows are enough.
func (t *table) damerau(a, b []rune, most int, prefix bool) int {
	n, beyond := len(b), len(a)+len(b)+1
	row, above, corner := t.row(0, n), t.row(1, n), t.row(2, n)
	for j := range n + 1 {
		row[j], above[j], corner[j] = beyond, j, beyond
	}
	if t.last == nil {
		t.last = map[rune]int{}
	}
	clear(t.last)
	least := 0
	for i := 1; i <= len(a); i++ {
		col, colCorner := 0, beyond // the last column where a[i] stands, and the cell left of it two rows up
		twoUp := row[0]             // of the column before
		row[0], least = i, i
		for j := 1; j <= n; j++ {
			d := above[j-1]
			if a[i-1] == b[j-1] {
				col, colCorner = j, twoUp
				if j > 1 {
					corner[j] = above[j-2]
				}
			} else {
				d = min(d, above[j], row[j-1]) + 1
				if k := t.last[b[j-1]]; k > 0 && col > 0 {
					if col == j-1 {
						d = min(d, corner[j]+i-k)
					} else if k == i-1 {
						d = min(d, colCorner+j-col)
					}
				}
			}
			twoUp, row[j] = row[j], d
			least = min(least, d)
		}
		if least > most {
			return least
		}
		t.last[a[i-1]] = i
		row, above = above, row
	}
	if prefix {
		return least
	}
	return above[n]
}
