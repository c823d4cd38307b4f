package automaton

import "strings"

// Fuzzy makes an automaton of the strings that begin with the first prefix runes of text
// and are within dist edits of it: a rune
// put in, left out, replaced, or changed with its neighbour (optimal string
// alignment: no part is edited twice). It is made of the rows of the usual
// table of distances, of which few differ (Schulz and Mihov, 2002).
func Fuzzy(text string, dist, prefix int) *Automaton {
	m := fuzzy{text: []rune(text), most: dist}
	m.prefix = min(prefix, len(m.text))
	bounds := make([]rune, 0, 2*len(m.text))
	for _, r := range m.text {
		bounds = append(bounds, r, r+1)
	}
	return newAutomaton(m, bounds)
}

// fuzzy is a machine. A state is two rows, a byte for each place in text from
// before the first rune on: the distance of what was read from the text up to
// there; and what it is if the next rune is the one before there, the last one
// having been the one behind that. Above most all are the same.
type fuzzy struct {
	text   []rune
	most   int
	prefix int // runes that have to be the same
}

// same returns how many runes of the prefix were read, as long as it is less than all of
// them: only there is the distance 0.
func (m fuzzy) same(state string) (n int, all bool) {
	n = strings.IndexByte(state[:m.prefix], 0)
	return n, n < 0
}

func (m fuzzy) start() string {
	n := len(m.text) + 1
	row := make([]byte, 2*n)
	for j := range n {
		row[j] = m.capped(j)
		row[n+j] = m.capped(m.most + 1)
	}
	return string(row)
}

func (m fuzzy) capped(d int) byte { return byte(min(d, m.most+1)) }

func (m fuzzy) step(state string, r rune) string {
	n := len(m.text) + 1
	was, swap := state[:n], state[n:]
	if i, all := m.same(state); !all && m.text[i] != r {
		return ""
	}
	out := make([]byte, 2*n)
	out[0] = m.capped(int(was[0]) + 1)
	least := out[0]
	for j := 1; j < n; j++ {
		d := min(int(was[j])+1, int(out[j-1])+1)
		if m.text[j-1] == r {
			d = min(d, int(was[j-1]))
		} else {
			d = min(d, int(was[j-1])+1)
		}
		if j > 1 && m.text[j-2] == r {
			d = min(d, int(swap[j]))
		}
		out[j] = m.capped(d)
		least = min(least, out[j])
	}
	if int(least) > m.most {
		return ""
	}
	// Place j+1 may be reached by the runes j+1 and j of text, in this order.
	out[n] = m.capped(m.most + 1)
	for j := 1; j < n; j++ {
		out[n+j] = m.capped(m.most + 1)
	}
	for j := 1; j < len(m.text); j++ {
		if m.text[j] == r {
			out[n+j+1] = m.capped(int(was[j-1]) + 1)
		}
	}
	return string(out)
}

func (m fuzzy) accepts(state string) int {
	_, all := m.same(state)
	if d := int(state[len(m.text)]); all && d <= m.most {
		return d
	}
	return -1
}
