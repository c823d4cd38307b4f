package embedding

import (
	"cmp"
	"math"
	"slices"
)

// Model is vectors of words. It does not change, and may be used from many goroutines.
type Model struct {
	dims    int
	words   []string
	places  map[string]int
	vectors []float32
}

// Dims is how many numbers a vector has.
func (m *Model) Dims() int { return m.dims }

// Words lists the words that have vectors, the most frequent first where the model was learnt.
func (m *Model) Words() []string { return slices.Clone(m.words) }

func (m *Model) row(i int) []float32 { return m.vectors[i*m.dims : (i+1)*m.dims] }

// Word returns the vector of a word; nil: it has none. Its length is how much the word
// says, where the model was learnt: its inverse document frequency.
func (m *Model) Word(word string) []float32 {
	i, ok := m.places[word]
	if !ok {
		return nil
	}
	return slices.Clone(m.row(i))
}

// Text returns the vector of a text, 1 long: the sum of the vectors of its words, of which those that
// occur n times count 1 + ln n times. It is nil when none of its words has a vector.
func (m *Model) Text(tokens []string) []float32 {
	counts := make(map[int]int, len(tokens))
	var order []int
	for _, t := range tokens {
		if i, ok := m.places[t]; ok {
			if counts[i] == 0 {
				order = append(order, i)
			}
			counts[i]++
		}
	}
	slices.Sort(order) // so that the order of words does not change how the sum is rounded
	sum := make([]float64, m.dims)
	for _, i := range order {
		by := 1 + math.Log(float64(counts[i]))
		for j, x := range m.row(i) {
			sum[j] += float64(by * float64(x))
		}
	}
	scale(sum, 1)
	out, some := make([]float32, m.dims), false
	for i, x := range sum {
		out[i] = float32(x)
		some = some || out[i] != 0
	}
	if !some {
		return nil
	}
	return out
}

// Neighbour is a word near in meaning.
type Neighbour struct {
	Word   string
	Cosine float64 // of the angle between the vectors, at most 1
}

// Near returns the k words whose vectors are nearest in direction to a vector, the nearest
// first; those of a word are Near(m.Word(word), k+1) without the first, which is the word itself. A
// vector of another number of dimensions has none. All words are compared.
func (m *Model) Near(v []float32, k int) (out []Neighbour) {
	length := squares(v)
	if len(v) != m.dims || length == 0 || k <= 0 {
		return nil
	}
	for i, word := range m.words {
		row := m.row(i)
		dot, sq := 0.0, squares(row)
		for j, x := range row {
			dot += float64(float64(x) * float64(v[j]))
		}
		if sq > 0 {
			out = append(out, Neighbour{word, min(dot/math.Sqrt(float64(sq*length)), 1)})
		}
	}
	slices.SortFunc(out, func(a, b Neighbour) int {
		return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(a.Word, b.Word))
	})
	return out[:min(len(out), k)]
}

func squares(v []float32) (sum float64) {
	for _, x := range v {
		sum += float64(float64(x) * float64(x))
	}
	return sum
}
