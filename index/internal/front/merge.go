package front

import "bytes"

// Merge walks several tables as one, from before their first strings; a nil Iter
// is an empty table. In the order of the strings it calls f for each one that
// wanted lets through, with the table in which it stands at that moment; first
// is true once for each different string. With an error comes the table that it
// is of.
func Merge(walks []*Iter, wanted func(table int) bool, f func(table int, first bool)) (table int, err error) {
	next := func(i int) bool {
		for walks[i].Next() {
			if wanted(i) {
				return true
			}
		}
		return false
	}
	var open []int
	for i, w := range walks {
		if w == nil {
			continue
		}
		if next(i) {
			open = append(open, i)
		} else if err := w.Err(); err != nil {
			return i, err
		}
	}
	var text []byte
	for len(open) > 0 {
		least := walks[open[0]].Text()
		for _, i := range open[1:] {
			if t := walks[i].Text(); bytes.Compare(t, least) < 0 {
				least = t
			}
		}
		text = append(text[:0], least...)
		first, rest := true, open[:0]
		for _, i := range open {
			if bytes.Equal(walks[i].Text(), text) {
				f(i, first)
				first = false
				if !next(i) {
					if err := walks[i].Err(); err != nil {
						return i, err
					}
					continue
				}
			}
			rest = append(rest, i)
		}
		open = rest
	}
	return 0, nil
}
