package fuzzy

import (
	"bufio"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// How well words are corrected is measured with data that is too big to bring along:
//
//	QUARRY_SPELLING  a folder with symspell/frequency_dictionary_en_82_765.txt and
//	                 norvig/spell-testset1.txt and 2
//	QUARRY_CORPUS    texts as JSON lines with a body, packed with zstd, of which
//	                 words and pairs are counted
//
// The pairs of the test sets were left out when english.tsv was learnt.

func spellingData(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("QUARRY_SPELLING")
	if dir == "" {
		t.Skip("QUARRY_SPELLING names no folder of dictionaries and misspellings")
	}
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func bigDictionary(t *testing.T) *QGrams {
	t.Helper()
	words, err := Read(strings.NewReader(spellingData(t, "symspell/frequency_dictionary_en_82_765.txt")))
	if err != nil {
		t.Fatal(err)
	}
	return words
}

// misspellings reads a set of Norvig's: 'right': 'wrong wrong', ...
func misspellings(t *testing.T, name string) (pairs [][2]string) {
	t.Helper()
	for _, m := range regexp.MustCompile(`'([^']+)':\s*'([^']+)'`).FindAllStringSubmatch(strings.ReplaceAll(spellingData(t, name), "\"", "'"), -1) {
		for wrong := range strings.FieldsSeq(m[2]) {
			pairs = append(pairs, [2]string{strings.ToLower(wrong), strings.ToLower(m[1])})
		}
	}
	if len(pairs) < 250 {
		t.Fatalf("%s has %d pairs", name, len(pairs))
	}
	return pairs
}

// corpus is what was counted in three of four texts, and sentences of the fourth.
type corpus struct {
	words     *QGrams
	pairs     *Pairs
	sentences [][]string
}

var theCorpus = sync.OnceValues(func() (*corpus, error) {
	file, err := os.Open(os.Getenv("QUARRY_CORPUS"))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	packed, err := zstd.NewReader(file)
	if err != nil {
		return nil, err
	}
	defer packed.Close()
	lines := bufio.NewReaderSize(packed, 1<<20)
	sentence, word := regexp.MustCompile(`[^.!?\n;:()"]+`), regexp.MustCompile(`[a-z]+(?:'[a-z]+)?`)
	plain := regexp.MustCompile(`^[A-Za-z' ,]+$`)
	count, follow, c := map[string]int{}, map[[2]string]int{}, new(corpus)
	for n := range 8000 {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		var doc struct{ Body string }
		if err := json.Unmarshal(line, &doc); err != nil {
			return nil, err
		}
		if n%4 == 3 && n%40 != 3 {
			continue
		}
		for _, s := range sentence.FindAllString(doc.Body, -1) {
			words := word.FindAllString(strings.ToLower(s), -1)
			if n%4 == 3 {
				if len(words) >= 5 && len(words) <= 20 && plain.MatchString(strings.TrimSpace(s)) {
					c.sentences = append(c.sentences, words)
				}
				continue
			}
			for i, w := range words {
				count[w]++
				if i > 0 {
					follow[[2]string{words[i-1], w}]++
				}
			}
		}
	}
	c.words = New(func(yield func(string, int) bool) {
		for w, n := range count {
			if n >= 3 && !yield(w, n) {
				return
			}
		}
	})
	c.pairs = NewPairs(func(yield func([2]string, int) bool) {
		for w, n := range follow {
			if n >= 2 && !yield(w, n) {
				return
			}
		}
	})
	return c, nil
})

func readCorpus(t *testing.T) *corpus {
	t.Helper()
	if os.Getenv("QUARRY_CORPUS") == "" {
		t.Skip("QUARRY_CORPUS names no texts")
	}
	c, err := theCorpus()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *corpus) speller() Speller {
	s := English(c.words)
	s.Pairs = c.pairs
	return s
}

// atLeast reports a share, and fails when it is too small.
func atLeast(t *testing.T, what string, n, of int, want float64) {
	t.Helper()
	got := float64(n) / float64(of)
	t.Logf("%s: %d of %d, %.4f", what, n, of, got)
	if got < want {
		t.Errorf("%s: %.4f, want %.4f", what, got, want)
	}
}

func TestAccuracyNorvig(t *testing.T) {
	sets := map[string]*QGrams{"dictionary": bigDictionary(t)}
	if os.Getenv("QUARRY_CORPUS") != "" {
		sets["corpus"] = readCorpus(t).words
	}
	for name, words := range sets {
		s := English(words)
		for file, want := range map[string]float64{"norvig/spell-testset1.txt": 0.80, "norvig/spell-testset2.txt": 0.76} {
			pairs := misspellings(t, file)
			var top1, top5 int
			for _, p := range pairs {
				at := slices.IndexFunc(s.Suggest(p[0], 5), func(m Match) bool { return m.Text == p[1] })
				if at == 0 {
					top1++
				}
				if at >= 0 {
					top5++
				}
			}
			atLeast(t, name+" "+file+" first", top1, len(pairs), want)
			atLeast(t, name+" "+file+" first five", top5, len(pairs), 0.93)
		}
	}
}

// Words that are right stay: 10,000 of the dictionary, and 10,000 of running text.
func TestAccuracyRightWords(t *testing.T) {
	words := bigDictionary(t)
	s := English(words)
	r := rand.New(rand.NewPCG(1, 1))
	stay := 0
	for range 10_000 {
		word := words.words.word(r.IntN(words.Len()))
		if better, changed := s.Correct(word, nil); !changed {
			stay++
		} else if stay%50 == 0 {
			t.Log(word, "becomes", better)
		}
	}
	atLeast(t, "words of the dictionary stay", stay, 10_000, 0.997)
	c := readCorpus(t)
	stay, s = 0, c.speller()
	n := 0
	for _, sentence := range c.sentences {
		if !knows(c.words, sentence...) {
			continue
		}
		if n >= 10_000 {
			break
		}
		n += len(sentence)
		better, changed := s.Correct(strings.Join(sentence, " "), nil)
		if !changed {
			stay += len(sentence)
			continue
		}
		words := strings.Fields(better)
		changes := 1
		if len(words) == len(sentence) {
			changes = 0
			for i, w := range words {
				if w != sentence[i] {
					changes++
					t.Log(sentence[i], "becomes", w, "in", sentence)
				}
			}
		} else {
			t.Log(sentence, "becomes", words)
		}
		stay += len(sentence) - changes
	}
	atLeast(t, "words of texts stay", stay, n, 0.997)
}

// Two words of a text written as one that is no word are taken apart, and a word
// with a space in it is put together.
func TestAccuracySpaces(t *testing.T) {
	c := readCorpus(t)
	r := rand.New(rand.NewPCG(1, 2))
	for name, s := range map[string]Speller{"with pairs": c.speller(), "without": English(c.words)} {
		split, joined, splits, joins := 0, 0, 0, 0
		for splits < 1000 || joins < 1000 {
			sentence := c.sentences[r.IntN(len(c.sentences))]
			i := r.IntN(len(sentence) - 1)
			a, b := sentence[i], sentence[i+1]
			if _, known := c.words.Weight(a + b); !known && splits < 1000 && knows(c.words, a, b) {
				splits++
				if got, _ := s.Correct(a+b, nil); got == a+" "+b {
					split++
				} else if splits%20 == 0 {
					t.Log(a+b, "becomes", got)
				}
			}
			if len(a) >= 6 && joins < 1000 && knows(c.words, a) {
				joins++
				cut := 2 + r.IntN(len(a)-3)
				if got, _ := s.Correct(a[:cut]+" "+a[cut:], nil); got == a {
					joined++
				} else if joins%20 == 0 {
					t.Log(a[:cut], a[cut:], "becomes", got)
				}
			}
		}
		want := 0.95
		if s.Pairs == nil {
			want = 0.5
		}
		atLeast(t, name+": words taken apart", split, splits, want)
		atLeast(t, name+": words put together", joined, joins, want)
	}
}

func knows(words *QGrams, list ...string) bool {
	for _, w := range list {
		if _, known := words.Weight(w); !known {
			return false
		}
	}
	return true
}

// Of words that are another word by mistake, some are noticed by what stands beside
// them; right ones are spoilt rarely.
func TestAccuracyContext(t *testing.T) {
	c := readCorpus(t)
	s := c.speller()
	r := rand.New(rand.NewPCG(1, 3))
	n, mended, spoilt, words := 0, 0, 0, 0
	for n < 300 {
		sentence := slices.Clone(c.sentences[r.IntN(len(c.sentences))])
		i := r.IntN(len(sentence))
		right := sentence[i]
		if len(right) < 4 || !knows(c.words, sentence...) {
			continue
		}
		// The likeliest slips that are words, too.
		slips := slices.DeleteFunc(s.Suggest(right, 20), func(m Match) bool {
			return m.Distance > 1 || m.Weight < 20 || s.Costs.Distance(right, m.Text) > 6
		})
		if len(slips) == 0 {
			continue
		}
		n++
		sentence[i] = slips[r.IntN(len(slips))].Text
		better, _ := s.Correct(strings.Join(sentence, " "), nil)
		if better == "" {
			better = strings.Join(sentence, " ")
		}
		got := strings.Fields(better)
		if len(got) != len(sentence) {
			spoilt++
			continue
		}
		for k, w := range got {
			words++
			switch {
			case k == i && w == right:
				mended++
			case k != i && w != sentence[k]:
				spoilt++
			}
		}
	}
	atLeast(t, "real-word errors mended", mended, n, 0.3)
	atLeast(t, "words beside them left alone", words-spoilt, words, 0.995)
}

// British and American forms find each other.
func TestAccuracyBritish(t *testing.T) {
	words := bigDictionary(t)
	s := English(words)
	n, found := 0, 0
	for pair := range strings.FieldsSeq(`colour/color honour/honor labour/labor neighbour/neighbor favourite/favorite centre/center theatre/theater
		metre/meter litre/liter fibre/fiber organise/organize realise/realize analyse/analyze catalogue/catalog dialogue/dialog traveller/traveler
		cancelled/canceled jewellery/jewelry defence/defense licence/license offence/offense grey/gray tyre/tire programme/program cheque/check
		plough/plow mould/mold aluminium/aluminum aeroplane/airplane encyclopaedia/encyclopedia paediatric/pediatric anaemia/anemia oestrogen/estrogen
		foetus/fetus manoeuvre/maneuver skilful/skillful fulfil/fulfill enrol/enroll instalment/installment ageing/aging judgement/judgment
		sceptical/skeptical storey/story kerb/curb pyjamas/pajamas moustache/mustache draught/draft whisky/whiskey cosy/cozy behaviour/behavior`) {
		british, american, _ := strings.Cut(pair, "/")
		for _, p := range [][2]string{{british, american}, {american, british}} {
			if !knows(words, p[1]) {
				continue
			}
			n++
			if slices.ContainsFunc(s.Suggest(p[0], 10), func(m Match) bool { return m.Text == p[1] }) {
				found++
			} else {
				t.Log(p[0], "does not find", p[1])
			}
		}
	}
	atLeast(t, "British and American forms found in ten suggestions", found, n, 0.93)
}
