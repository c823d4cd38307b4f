package dynamic

import (
	"math"
	"slices"
)

// kinds are the numbers of a stream, in their order.
var kinds = [...]string{"any", "rarest", "phrase", "pairs", "window", "longest"}

const maxQueryWords = 64

// asked is a query: its words by place, and its different words.
type asked struct {
	places []int          // which of the different words stands at each place
	number map[string]int // of a different word
	idf    []float64      // of each different word
	sum    float64        // of idf
	rarest int
}

func newAsked(words []string, idf func(string) float64) *asked {
	a := &asked{number: map[string]int{}}
	for _, w := range words[:min(len(words), maxQueryWords)] {
		n, known := a.number[w]
		if !known {
			n = len(a.number)
			a.number[w] = n
			weight := 1.0
			if idf != nil {
				weight = idf(w)
			}
			if !(weight > 0) { // nor NaN
				weight = math.SmallestNonzeroFloat64
			}
			a.idf = append(a.idf, min(weight, 1e100))
			a.sum += a.idf[n]
			if a.idf[n] > a.idf[a.rarest] {
				a.rarest = n
			}
		}
		a.places = append(a.places, n)
	}
	return a
}

// occurrence is a word of the query in a stream.
type occurrence struct{ place, word int }

// match returns the numbers of a stream, given its texts, of which it looks at the first words.
func (a *asked) match(texts [][]string, first int) (out [len(kinds)]float64) {
	if len(a.places) == 0 {
		return out
	}
	var found []occurrence
	place := 0
	for _, text := range texts {
		for _, w := range text {
			if first > 0 && place >= first {
				break
			}
			if n, ok := a.number[w]; ok {
				found = append(found, occurrence{place, n})
			}
			place++
		}
		place++ // the end of a text stands between its words and those of the next
	}
	if len(found) == 0 {
		return out
	}
	count := make([]int, len(a.idf))
	for _, o := range found {
		count[o.word]++
	}
	for n, c := range count {
		if c > 0 {
			out[0] += a.idf[n] / a.sum
		}
	}
	out[0] = min(out[0], 1)
	tf := float64(count[a.rarest])
	out[1] = tf / (tf + 1)
	if a.phrase(found) {
		out[2] = 1
	}
	out[3] = a.pairs(found)
	out[4] = out[0] * near(found, count)
	out[5] = a.longest(found)
	return out
}

// phrase reports whether the words of the query stand side by side, in its order.
func (a *asked) phrase(found []occurrence) bool {
	for i := 0; i+len(a.places) <= len(found); i++ {
		run := found[i : i+len(a.places)]
		if run[len(run)-1].place-run[0].place != len(run)-1 {
			continue
		}
		if slices.EqualFunc(run, a.places, func(o occurrence, word int) bool { return o.word == word }) {
			return true
		}
	}
	return false
}

// pairs is how many of the neighbours in the query, as a part of all, are neighbours in the stream.
func (a *asked) pairs(found []occurrence) float64 {
	there := map[[2]int]bool{}
	for i := 1; i < len(found); i++ {
		if found[i].place == found[i-1].place+1 {
			there[[2]int{found[i-1].word, found[i].word}] = true
		}
	}
	n := 0.0
	for i := 1; i < len(a.places); i++ {
		if there[[2]int{a.places[i-1], a.places[i]}] {
			n++
		}
	}
	return n / max(float64(len(a.places)-1), 1)
}

// near is how close to each other all words that are there come: 1 if they are neighbours.
func near(found []occurrence, count []int) float64 {
	different := 0
	for _, c := range count {
		if c > 0 {
			different++
		}
	}
	if different < 2 {
		return 0
	}
	width, inside, missing, from := math.MaxInt, make([]int, len(count)), different, 0
	for _, o := range found {
		if inside[o.word]++; inside[o.word] == 1 {
			missing--
		}
		for ; missing == 0; from++ {
			width = min(width, o.place-found[from].place)
			if inside[found[from].word]--; inside[found[from].word] == 0 {
				missing++
			}
		}
	}
	return float64(different-1) / float64(width)
}

// longest is the length of the longest common subsequence of query and stream, as part of the query.
func (a *asked) longest(found []occurrence) float64 {
	best := make([]int, len(a.places)+1) // of so many words of the query, with the stream so far
	for _, o := range found {
		diagonal := 0
		for i, word := range a.places {
			above := best[i+1]
			switch {
			case word == o.word:
				best[i+1] = diagonal + 1
			case best[i] > above:
				best[i+1] = best[i]
			}
			diagonal = above
		}
		if best[len(a.places)] == len(a.places) {
			break
		}
	}
	return float64(best[len(a.places)]) / float64(len(a.places))
}
