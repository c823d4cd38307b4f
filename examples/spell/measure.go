package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/webquarry/quarry/fuzzy"
)

// dictionary corrects, and knows what that takes.
type dictionary struct {
	fuzzy.Speller
	bytes uint64 // of memory, all together
}

// readDictionary reads words, which are kept folded and suggested as they are
// written most often.
func readDictionary(r io.Reader, costs *fuzzy.Costs) (*dictionary, error) {
	words, err := fuzzy.Read(r)
	if err != nil {
		return nil, err
	}
	written := map[string]string{} // of folded words, where that differs
	weight := map[string]float64{}
	folded := map[string]float64{}
	for word, w := range words.All() {
		plain := fuzzy.Fold(word)
		folded[plain] += w
		if w >= weight[plain] {
			weight[plain] = w
			delete(written, plain)
			if word != plain {
				written[plain] = word
			}
		}
	}
	words, weight = nil, nil
	before := heap()
	words = fuzzy.New(func(yield func(string, float64) bool) {
		for word, w := range folded {
			if !yield(word, w) {
				return
			}
		}
	})
	d := &dictionary{Speller: fuzzy.Speller{Words: words, Sounds: fuzzy.NewSounds(words, fuzzy.EnglishSound), Costs: costs}}
	d.Written = func(word string) string {
		if w, ok := written[word]; ok {
			return w
		}
		return word
	}
	after := heap()
	runtime.KeepAlive(folded)
	d.bytes = after - min(before, after)
	return d, nil
}

// heap is the memory in use, without garbage.
func heap() uint64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC() // what was pooled goes with the second
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// figures is what is measured.
type figures struct {
	N            int      `json:"n"`             // lines
	Top1         *float64 `json:"top1"`          // share of pairs whose right word came first; none without pairs
	Top5         *float64 `json:"top5"`          // or among the first five
	USPerLookup  float64  `json:"us_per_lookup"` // microseconds
	DictWords    int      `json:"dict_words"`
	BytesPerWord float64  `json:"bytes_per_word"`
}

// answer says for each line of input what may be meant, and at the end how often
// that was right.
func (d *dictionary) answer(o options, input io.Reader, out io.Writer) error {
	w := bufio.NewWriter(out)
	defer w.Flush()
	f := figures{DictWords: d.Words.Len()}
	if f.DictWords > 0 {
		f.BytesPerWord = float64(d.bytes) / float64(f.DictWords)
	}
	var pairs, first, five int
	var took time.Duration
	err := lines(input, func(line string) error {
		written, meant, paired := strings.Cut(line, "\t")
		start := time.Now()
		list := d.suggest(written, max(o.limit, 5))
		took += time.Since(start)
		f.N++
		if paired {
			pairs++
			at := slices.IndexFunc(list, func(s string) bool { return fuzzy.Fold(s) == fuzzy.Fold(meant) })
			if at == 0 {
				first++
			}
			if at >= 0 && at < 5 {
				five++
			}
		}
		if !o.json {
			fmt.Fprintf(w, "%s\t%s\n", written, strings.Join(list[:min(len(list), o.limit)], ", "))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if f.N > 0 {
		f.USPerLookup = float64(took.Nanoseconds()) / 1000 / float64(f.N)
	}
	if pairs > 0 {
		f.Top1, f.Top5 = share(first, pairs), share(five, pairs)
	}
	if o.json {
		return json.NewEncoder(w).Encode(f)
	}
	if pairs > 0 {
		fmt.Fprintf(w, "\nof %d misspellings %.1f %% are corrected by the first suggestion, %.1f %% by one of the first five\n", pairs, 100**f.Top1, 100**f.Top5)
	}
	return nil
}

func share(n, of int) *float64 {
	x := float64(n) / float64(of)
	return &x
}

// suggest gives words for a word, and the corrected query for more than one.
func (d *dictionary) suggest(written string, limit int) []string {
	var list []string
	if strings.Contains(strings.TrimSpace(written), " ") {
		if better, ok := d.Correct(written, nil); ok {
			list = append(list, better)
		}
		return list
	}
	for _, m := range d.Suggest(written, limit) {
		list = append(list, m.Text)
	}
	return list
}

// lines calls f for each line that is not empty.
func lines(r io.Reader, f func(line string) error) error {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		line := strings.TrimRight(scanner.Text(), "\r")
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := f(line); err != nil {
			return err
		}
	}
	return scanner.Err()
}
