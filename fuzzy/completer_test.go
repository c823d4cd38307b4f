package fuzzy

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

func entriesOf(texts ...string) func(func(Entry) bool) {
	return func(yield func(Entry) bool) {
		for i, text := range texts {
			if !yield(Entry{text, float64(len(texts) - i), uint64(i)}) {
				return
			}
		}
	}
}

func completions(c *Completer, typed string, opt CompleteOptions) (texts []string) {
	for _, e := range c.Complete(typed, opt) {
		texts = append(texts, e.Text)
	}
	return texts
}

func TestCompleter(t *testing.T) {
	t.Parallel()
	c := NewCompleter(entriesOf("New York City", "The New Yorker", "York Minster", "new york times", "Newark", "Müller & Söhne", "北京天气预报", "东京天气", "C++ in a Nutshell", "the pole star", "O'Reilly", "naïve Bayes"))
	for _, test := range []struct {
		typed string
		opt   CompleteOptions
		want  string
	}{
		{"new y", CompleteOptions{}, "New York City|new york times|The New Yorker"},
		{"NEW Y", CompleteOptions{Limit: 1}, "New York City"},
		{"york", CompleteOptions{}, "York Minster|New York City|The New Yorker|new york times"},
		{"york", CompleteOptions{Prefix: true}, "York Minster"},
		{"york ", CompleteOptions{}, "York Minster|New York City|new york times"},
		{"new yrok", CompleteOptions{}, "New York City|new york times|The New Yorker"},
		{"nwe york", CompleteOptions{}, "New York City|new york times|The New Yorker"},
		{"new yrok", CompleteOptions{Exactly: true}, ""},
		{"muller so", CompleteOptions{}, "Müller & Söhne"},
		{"天气", CompleteOptions{}, "北京天气预报|东京天气"},
		{"京", CompleteOptions{}, "北京天气预报|东京天气"},
		{"nut", CompleteOptions{}, "C++ in a Nutshell"},
		{"c++ in", CompleteOptions{}, "C++ in a Nutshell"},
		{"pole", CompleteOptions{}, "the pole star"},
		{"o'r", CompleteOptions{}, "O'Reilly"},
		{"naive ba", CompleteOptions{}, "naïve Bayes"},
		{"zzz", CompleteOptions{}, ""},
		{"--", CompleteOptions{}, ""},
		{"", CompleteOptions{Limit: 2}, "New York City|The New Yorker"},
		{" ", CompleteOptions{Limit: 1}, "New York City"},
		{"new", CompleteOptions{Limit: -1}, ""},
		{"", CompleteOptions{Filter: func(p uint64) bool { return p >= 10 }}, "O'Reilly|naïve Bayes"},
	} {
		if got := strings.Join(completions(c, test.typed, test.opt), "|"); got != test.want {
			t.Errorf("%q, %+v: %s, want %s", test.typed, test.opt, got, test.want)
		}
	}
	if e := c.Complete("new yrok", CompleteOptions{Limit: 3})[2]; !e.Inside || e.Distance != 1 || e.Payload != 1 {
		t.Errorf("%+v", e)
	}
}

// slowComplete looks at every entry.
func slowComplete(entries map[string]Entry, typed string, opt CompleteOptions) []string {
	key := completionKey(typed)
	if key == "" && strings.TrimSpace(typed) != "" {
		return nil
	}
	type ranked struct {
		Entry
		rank int
	}
	var all []ranked
	for _, e := range entries {
		if opt.Filter != nil && !opt.Filter(e.Payload) {
			continue
		}
		own := strings.TrimSuffix(completionKey(e.Text), " ")
		if own == "" {
			continue
		}
		rank, before := 9, ' '
		for i, r := range own {
			if i == 0 || beginsWord(before, r) && !opt.Prefix {
				inside := min(i, 1)
				if strings.HasPrefix(own[i:]+"\x00", key) {
					rank = min(rank, inside)
				} else if oneEdit(key, own[i:]) {
					rank = min(rank, 2+inside)
				}
			}
			before = r
		}
		if opt.Exactly && rank > 1 {
			rank = 9
		}
		if rank < 9 {
			all = append(all, ranked{e, rank})
		}
	}
	slices.SortFunc(all, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Text, b.Text))
	})
	var texts []string
	for _, e := range all[:min(len(all), opt.Limit)] {
		texts = append(texts, e.Text)
	}
	return texts
}

// oneEdit reports whether text begins with key when one edit is made in one of its
// words, behind the first rune.
func oneEdit(key, text string) bool {
	words, own := strings.SplitAfter(key, " "), strings.SplitAfter(text, " ")
	if len(own) < len(words) {
		return false
	}
	edits := 0
	for i, word := range words {
		typed, is := []rune(strings.TrimSuffix(word, " ")), []rune(strings.TrimSuffix(own[i], " "))
		d := slowDistance(MetricOSA, string(typed), string(is), i+1 == len(words))
		if i+1 < len(words) && !strings.HasSuffix(own[i], " ") {
			return false
		}
		if d == 0 {
			continue
		}
		if edits += d; len(typed) < 3 || len(is) == 0 || typed[0] != is[0] {
			return false
		}
		// The first rune stays, and no edit before it makes up for that.
		if slowDistance(MetricOSA, string(typed[1:]), string(is[1:]), i+1 == len(words)) > 1 {
			return false
		}
	}
	return edits == 1
}

// What is found is what a look at every entry finds, whatever was added and removed.
func TestCompleterEqualsTwin(t *testing.T) {
	t.Parallel()
	for round := range uint64(30) {
		r := rand.New(rand.NewPCG(round, 7))
		alphabet := []string{"ab", "abcdé", "абв", "ab 北京"}[r.IntN(4)]
		text := func() string {
			var words []string
			for range 1 + r.IntN(4) {
				words = append(words, randomWord(r, alphabet, 5))
			}
			return strings.Join(words, " ")
		}
		c, entries := new(Completer), map[string]Entry{}
		for range 60 {
			switch r.IntN(4) {
			case 0: // remove
				for name := range entries {
					if delete(entries, name); !c.Remove(name) {
						t.Fatalf("%q is not there", name)
					}
					break
				}
			case 1:
				c.Add(entriesOf("---", "")) // nothing typed leads to them
				if name := text() + "x"; c.Remove(name) {
					t.Fatalf("%q was there", name)
				}
			default:
				var list []Entry
				for range 1 + r.IntN(10) {
					e := Entry{text(), r.Float64(), uint64(r.IntN(3))}
					list = append(list, e)
					if strings.TrimSpace(completionKey(e.Text)) != "" {
						entries[e.Text] = e
					}
				}
				c.Add(slices.Values(list))
			}
			if got := c.Len(); got != len(entries) {
				t.Fatalf("round %d: %d entries, want %d", round, got, len(entries))
			}
			typed := text()
			typed = string([]rune(typed)[:r.IntN(len([]rune(typed))+1)])
			opt := CompleteOptions{Limit: 1 + r.IntN(12), Exactly: r.IntN(2) == 0, Prefix: r.IntN(3) == 0}
			if r.IntN(3) == 0 {
				opt.Filter = func(p uint64) bool { return p > 0 }
			}
			got, want := completions(c, typed, opt), slowComplete(entries, typed, opt)
			if !slices.Equal(got, want) {
				t.Fatalf("round %d, %q, %+v:\n got %q\nwant %q", round, typed, opt, got, want)
			}
		}
	}
}

func TestCompleterChanges(t *testing.T) {
	t.Parallel()
	c := NewCompleter(entriesOf("pole star", "pole vault"))
	var looking sync.WaitGroup
	done := make(chan bool)
	for range 3 {
		looking.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					if got := completions(c, "pole", CompleteOptions{Limit: 500}); !slices.Contains(got, "pole star") {
						t.Errorf("pole star is gone: %q", got)
						return
					}
				}
			}
		})
	}
	for i := range 300 {
		c.Add(entriesOf(fmt.Sprint("pole ", i), "pole star"))
		if i%3 == 0 {
			c.Remove(fmt.Sprint("pole ", i))
		}
	}
	close(done)
	looking.Wait()
	if c.Len() != 202 {
		t.Errorf("%d entries, want 202", c.Len())
	}
	if n := len(c.load()); n > 12 {
		t.Errorf("%d shelves", n)
	}
}

// TestCompleterSpeed completes among made-up titles, as many as QUARRY_TITLES says,
// else 20,000, and tells times. Those of a million are in docs/guides/fuzzy.md.
func TestCompleterSpeed(t *testing.T) {
	n := 20_000
	if testing.Short() {
		n = 2000
	}
	if s := os.Getenv("QUARRY_TITLES"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	r := rand.New(rand.NewPCG(6, 6))
	onsets := strings.Fields("b c d f g h l m n p r s t v w st tr pr ch sh br cl con re in de un")
	codas := strings.Fields("a e i o u ea ou er ing ion al ate on an en es")
	words := make([]string, 100_000)
	for i := range words {
		for range 1 + r.IntN(4) {
			words[i] += onsets[r.IntN(len(onsets))] + codas[r.IntN(len(codas))]
		}
	}
	zipf := rand.NewZipf(r, 1.1, 20, uint64(len(words)-1))
	titles := make([]Entry, n)
	for i := range titles {
		var title []string
		for range 2 + r.IntN(5) {
			title = append(title, words[zipf.Uint64()])
		}
		titles[i] = Entry{strings.Join(title, " "), float64(r.IntN(1_000_000)), uint64(i)}
	}
	start := time.Now()
	c := NewCompleter(slices.Values(titles))
	t.Logf("%d titles in %v", c.Len(), time.Since(start))
	for _, wrong := range []bool{false, true} {
		var all []time.Duration
		for size := range 16 {
			var times []time.Duration
			for range 300 {
				typed := []rune(titles[r.IntN(len(titles))].Text)
				typed = typed[:min(size, len(typed))]
				if wrong && len(typed) >= 3 {
					typed[1+r.IntN(len(typed)-1)] = 'q'
				}
				start := time.Now()
				got := c.Complete(string(typed), CompleteOptions{Exactly: !wrong})
				times = append(times, time.Since(start))
				if !wrong && len(got) == 0 {
					t.Fatalf("%q finds nothing", string(typed))
				}
			}
			slices.Sort(times)
			t.Logf("errors %v, %d runes: mean of middle %v, p99 %v", wrong, size, times[150], times[297])
			all = append(all, times...)
		}
		slices.Sort(all)
		t.Logf("errors %v: median %v, p99 %v", wrong, all[len(all)/2], all[len(all)*99/100])
	}
	typed := titles[7].Text
	for i := range min(len(typed), 12) {
		t.Logf("%-14q %q", typed[:i], completions(c, typed[:i], CompleteOptions{Limit: 3}))
	}
}
