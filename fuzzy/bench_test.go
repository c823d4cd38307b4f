package fuzzy

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// benchWords is the dictionary that the variable QUARRY_DICTIONARY names, a
// file of words and counts, or 80,000 made-up words as long as English ones.
func benchWords(b *testing.B) map[string]float64 {
	b.Helper()
	if name := os.Getenv("QUARRY_DICTIONARY"); name != "" {
		text, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		words := map[string]float64{}
		for line := range strings.Lines(string(text)) {
			var word string
			var count float64
			if _, err := fmt.Sscan(strings.TrimPrefix(line, "\ufeff"), &word, &count); err == nil {
				words[word] = count
			}
		}
		return words
	}
	r := rand.New(rand.NewPCG(1, 1))
	onsets := strings.Fields("b c d f g h l m n p r s t v w st tr pr ch sh br cl con re in de un")
	codas := strings.Fields("a e i o u ea ou er ing ion al ate on an en es")
	words := map[string]float64{}
	for len(words) < 80000 {
		var word strings.Builder
		for range 1 + r.IntN(4) {
			word.WriteString(onsets[r.IntN(len(onsets))])
			word.WriteString(codas[r.IntN(len(codas))])
		}
		words[word.String()] = float64(1 + 1e6/(1+len(words)))
	}
	return words
}

func BenchmarkNew(b *testing.B) {
	words := benchWords(b)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	g := New(pairs(words))
	runtime.GC()
	runtime.ReadMemStats(&after)
	for b.Loop() {
		g = New(pairs(words))
	}
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(g.Len()), "B/word")
}

func pairs(words map[string]float64) func(func(string, float64) bool) {
	return func(yield func(string, float64) bool) {
		for w, n := range words {
			if !yield(w, n) {
				return
			}
		}
	}
}

func BenchmarkMatch(b *testing.B) {
	g := New(pairs(benchWords(b)))
	r := rand.New(rand.NewPCG(2, 2))
	for _, dist := range []int{1, 2, 3} {
		queries := make([]string, 1000)
		for i := range queries {
			queries[i] = misspelt(r, g.words.word(r.IntN(g.Len())), alphabets[6][:26], dist)
		}
		b.Run(fmt.Sprintf("distance=%d", dist), func(b *testing.B) {
			i := 0
			for b.Loop() {
				g.Match(queries[i%len(queries)], dist, 10)
				i++
			}
		})
	}
	for _, size := range []int{4, 6, 8, 12} {
		lo, hi := g.words.window(size, size)
		queries := slices.Repeat([]string{""}, 200)
		for i := range queries {
			queries[i] = misspelt(r, g.words.word(lo+r.IntN(hi-lo)), alphabets[6][:26], 1)
		}
		b.Run(fmt.Sprintf("distance=2/runes=%d", size), func(b *testing.B) {
			i := 0
			for b.Loop() {
				g.Match(queries[i%len(queries)], 2, 10)
				i++
			}
		})
	}
	b.Run("complete", func(b *testing.B) {
		for b.Loop() {
			g.Complete("condi", 1, 10)
		}
	})
}

// BenchmarkSuggest corrects words with up to two errors.
func BenchmarkSuggest(b *testing.B) {
	words := New(pairs(benchWords(b)))
	s := English(words)
	r := rand.New(rand.NewPCG(2, 2))
	queries := make([]string, 1000)
	for i := range queries {
		queries[i] = misspelt(r, words.words.word(r.IntN(words.Len())), alphabets[6][:26], 1+r.IntN(2))
	}
	for name, suggest := range map[string]func(word string){
		"sound":    func(word string) { s.Suggest(word, 5) },
		"no sound": func(word string) { Speller{Words: words, Costs: s.Costs}.Suggest(word, 5) },
		"match":    func(word string) { words.Match(word, 2, 5) },
	} {
		b.Run(name, func(b *testing.B) {
			i := 0
			for b.Loop() {
				suggest(queries[i%len(queries)])
				i++
			}
		})
	}
}
