package embedding

import (
	"cmp"
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Options say how vectors are learnt. The zero value is good for some hundred to some
// hundred thousand texts.
type Options struct {
	Dims     int // numbers of a vector; 0: 128, at most 1024. Fewer where there are fewer words
	Window   int // how far apart words may be that count as near; 0: 100; negative: anywhere in the same text
	MinTexts int // in how many texts a word must be; 0: 2
	MaxWords int // how many words have vectors, those in most texts; 0: 50,000
}

// Limits and defaults of Options.
const (
	presetDims     = 128
	mostDims       = 1024
	presetWindow   = 100
	presetMinTexts = 2
	presetMaxWords = 50_000
)

func (o Options) dims() int { return min(cmp.Or(max(o.Dims, 0), presetDims), mostDims) }

func (o Options) window() int {
	if o.Window < 0 {
		return math.MaxInt32
	}
	return cmp.Or(o.Window, presetWindow)
}

// ErrTooFew is returned where too few words occur in enough texts to learn anything.
var ErrTooFew = errors.New("embedding: too few words")

// Learner takes texts. It keeps four bytes for each token. It is for one goroutine.
type Learner struct {
	opt    Options
	ids    map[string]uint32
	words  []string
	texts  []int32 // by word, in how many
	last   []int32 // by word, the last text that had it
	tokens []uint32
	ends   []int // of the texts, in tokens
}

// NewLearner returns a learner that knows no text.
func NewLearner(o Options) *Learner { return &Learner{opt: o, ids: map[string]uint32{}} }

// Add adds a text: its tokens, in their order.
func (l *Learner) Add(tokens []string) {
	text := int32(len(l.ends)) + 1
	for _, t := range tokens {
		id, ok := l.ids[t]
		if !ok {
			id = uint32(len(l.words))
			l.ids[t] = id
			l.words, l.texts, l.last = append(l.words, t), append(l.texts, 0), append(l.last, 0)
		}
		if l.last[id] != text {
			l.last[id] = text
			l.texts[id]++
		}
		l.tokens = append(l.tokens, id)
	}
	l.ends = append(l.ends, len(l.tokens))
}

// Learn makes a model of the texts so far. The time grows with the tokens times the
// window, and with the pairs of words that occur near each other times the dimensions: some
// seconds for 10,000 pages. The error is that of the context, or [ErrTooFew].
func (l *Learner) Learn(ctx context.Context) (*Model, error) {
	chosen := l.choose()
	if len(chosen) < 2 {
		return nil, ErrTooFew
	}
	m, err := l.matrix(ctx, chosen)
	if err != nil {
		return nil, err
	}
	vectors, dims, err := m.factor(ctx, min(l.opt.dims(), len(chosen)))
	if err != nil {
		return nil, err
	}
	out := &Model{dims: dims, places: make(map[string]int, len(chosen))}
	for i, id := range chosen {
		v := vectors[i*dims : (i+1)*dims]
		// How long a vector is, is how much its word says: its inverse document frequency.
		scale(v, math.Log(1+float64(len(l.ends))/float64(l.texts[id])))
		for _, x := range v {
			out.vectors = append(out.vectors, float32(x))
		}
		out.places[l.words[id]] = i
		out.words = append(out.words, l.words[id])
	}
	return out, nil
}

// choose lists the words that have vectors: those in most texts first, then in the order of
// their bytes.
func (l *Learner) choose() (chosen []uint32) {
	least := int32(cmp.Or(max(l.opt.MinTexts, 0), presetMinTexts))
	for id, n := range l.texts {
		if n >= least {
			chosen = append(chosen, uint32(id))
		}
	}
	slices.SortFunc(chosen, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(l.texts[b], l.texts[a]), cmp.Compare(l.words[a], l.words[b]))
	})
	return chosen[:min(len(chosen), cmp.Or(max(l.opt.MaxWords, 0), presetMaxWords))]
}

// matrix is a symmetric matrix, of which the rows keep what is not 0.
type matrix struct {
	at     [][]uint32
	values [][]float32
}

// matrix counts which of the chosen words occur near which, and makes it how much more often
// than by chance.
func (l *Learner) matrix(ctx context.Context, chosen []uint32) (*matrix, error) {
	place := make([]int32, len(l.words)) // among the chosen, from 1; 0: not chosen
	for i, id := range chosen {
		place[id] = int32(i) + 1
	}
	// Words that are not chosen are left out, and the others move together.
	tokens, ends := make([]int32, 0, len(l.tokens)), make([]int32, 0, len(l.ends))
	from := 0
	for _, end := range l.ends {
		for _, id := range l.tokens[from:end] {
			if place[id] > 0 {
				tokens = append(tokens, place[id]-1)
			}
		}
		ends, from = append(ends, int32(len(tokens))), end
	}
	first := make([][2]int32, len(tokens)) // where the text of a token begins and ends
	start := int32(0)
	for _, end := range ends {
		for i := start; i < end; i++ {
			first[i] = [2]int32{start, end}
		}
		start = end
	}
	occurrences := make([][]int32, len(chosen))
	for i, word := range tokens {
		occurrences[word] = append(occurrences[word], int32(i))
	}
	n, window := len(chosen), l.opt.window()
	m := &matrix{make([][]uint32, n), make([][]float32, n)}
	sums := make([]float64, n)
	err := eachRow(ctx, n, func() func(int) {
		counts := make([]float32, n)
		return func(row int) {
			var touched []uint32
			for _, at := range occurrences[row] {
				from, to := int(first[at][0]), int(first[at][1])
				from, to = max(from, int(at)-window), min(to, int(at)+window+1)
				for i := from; i < to; i++ {
					if i == int(at) {
						continue
					}
					other := tokens[i]
					if counts[other] == 0 {
						touched = append(touched, uint32(other))
					}
					counts[other]++
				}
			}
			slices.Sort(touched)
			values, sum := make([]float32, len(touched)), 0.0
			for i, other := range touched {
				values[i] = counts[other]
				sum += float64(counts[other])
				counts[other] = 0
			}
			m.at[row], m.values[row], sums[row] = touched, values, sum
		}
	})
	if err != nil {
		return nil, err
	}
	total := 0.0
	for _, s := range sums {
		total += s
	}
	return m, eachRow(ctx, n, func() func(int) {
		return func(row int) {
			at, values := m.at[row][:0], m.values[row][:0]
			for i, other := range m.at[row] {
				if v := math.Log(float64(m.values[row][i]) * total / sums[row] / sums[other]); v > 0 {
					at, values = append(at, other), append(values, float32(v))
				}
			}
			m.at[row], m.values[row] = at, values
		}
	})
}

// eachRow calls functions with all rows, some at a time on each processor.
func eachRow(ctx context.Context, rows int, worker func() func(row int)) error {
	const batch = 16
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), rows/batch+1) {
		all.Go(func() {
			do := worker()
			for ctx.Err() == nil {
				from := int(next.Add(batch)) - batch
				if from >= rows {
					return
				}
				for row := from; row < min(from+batch, rows); row++ {
					do(row)
				}
			}
		})
	}
	all.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}
