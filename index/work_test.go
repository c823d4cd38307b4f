package index

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index/internal/exec"
	"github.com/webquarry/quarry/index/query"
)

// workWorld is an index of one segment whose words stand in one of so many documents, by
// chance, or in some few, spread evenly.
func workWorld(t *testing.T, docs int) *Index {
	ix, err := New(Options{Schema: Schema{{Name: "body"}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ix.Close() })
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r := rand.New(rand.NewPCG(1, uint64(docs)))
	var all []Document
	for i := range docs {
		var b strings.Builder
		for _, every := range workWords {
			if r.IntN(every) == 0 {
				fmt.Fprintf(&b, "each%d ", every)
			}
		}
		for _, times := range workRare {
			if step := docs / times; i%step == (step*times/50)%step {
				fmt.Fprintf(&b, "rare%d ", times)
			}
		}
		b.WriteString(strings.Repeat("x ", r.IntN(13)))
		all = append(all, Document{Key: fmt.Sprintf("%08d", i), Fields: []Field{{"body", b.String()}}})
	}
	if err := w.Add(t.Context(), all...); err != nil {
		t.Fatal(err)
	}
	if err := w.Merge(t.Context()); err != nil {
		t.Fatal(err)
	}
	return ix
}

var (
	workWords = []int{1, 2, 3, 10, 50}
	workRare  = []int{4, 7, 40}
)

// frequencies of the words of workWorld.
func workFrequencies(docs int) map[string]int {
	all := map[string]int{}
	for _, every := range workWords {
		all[fmt.Sprint("each", every)] = docs / every
	}
	for _, times := range workRare {
		all[fmt.Sprint("rare", times)] = times
	}
	return all
}

func workOf(t *testing.T, ix *Index, q query.Query, opt SearchOptions) exec.Work {
	var done exec.Work
	opt.test.Work = &done
	if _, err := ix.Search(t.Context(), q, opt); err != nil {
		t.Fatal(err)
	}
	return done
}

// What a query reads goes by its rarest required words, not by the frequent ones
// beside them, and not by how many documents there are: for every And of two to four
// words, counted and searched for the best, required words alone and with others that
// only add to the score or exclude.
func TestWorkGoesByWhatIsRare(t *testing.T) {
	t.Parallel()
	const docs = 20_000
	ix := workWorld(t, docs)
	freq := workFrequencies(docs)
	var names []string
	for w := range freq {
		names = append(names, w)
	}
	blocks := func(n int) int { return n/128 + 1 }
	check := func(words []string, signs string) {
		var q query.And
		extra := query.Or{query.All{}}
		rarest := docs
		for i, w := range words {
			term := query.Term{Field: "body", Text: w}
			switch signs[i] {
			case '+':
				q = append(q, term)
				rarest = min(rarest, freq[w])
			case '-':
				q = append(q, query.Not{Query: term})
			default:
				extra = append(extra, term)
			}
		}
		if len(extra) > 1 {
			q = append(q, extra)
		}
		most := 4
		for _, w := range words {
			most += min(blocks(freq[w]), 2*rarest)
		}
		if n := workOf(t, ix, q, SearchOptions{Limit: -1}).Blocks; n > most {
			t.Errorf("%s: counting reads %d blocks, more than %d", q, n, most)
		}
		if n := workOf(t, ix, q, SearchOptions{CountUpTo: 1}).Blocks; n > most {
			t.Errorf("%s: the best ten read %d blocks, more than %d", q, n, most)
		}
	}
	for _, a := range names {
		for _, b := range names {
			for _, s := range []string{"++", "+ ", "+-"} {
				check([]string{a, b}, s)
			}
			for _, c := range names {
				if a == b || b == c || a == c {
					continue
				}
				for _, s := range []string{"+++", "++ ", "+  ", "+ -", "++-"} {
					check([]string{a, b, c}, s)
				}
				check([]string{a, b, c, "each1"}, "++++")
			}
		}
	}
}

// A frequent word that is required beside rare ones that only add to the score is
// looked up where these are, once they decide.
func TestWorkOfFrequentRequired(t *testing.T) {
	t.Parallel()
	const docs = 60_000
	ix, freq := workWorld(t, docs), workFrequencies(docs)
	for _, words := range []string{"each3 each10 each2 each50", "each2 each3 each50", "each3 each2 each1 each50", "each2 each50", "each1 each10 each50"} {
		names := strings.Fields(words)
		extra := query.Or{query.All{}}
		for _, w := range names[1:] {
			extra = append(extra, query.Term{Field: "body", Text: w})
		}
		q := query.And{query.Term{Field: "body", Text: names[0]}, extra}
		if n := workOf(t, ix, q, SearchOptions{CountUpTo: 1}).Docs; 3*n > freq[names[0]] {
			t.Errorf("%s: %d documents were looked at, of %d with the word that is required", words, n, freq[names[0]])
		}
	}
}

// Words and filters of few documents cost the same however many documents there are.
func TestWorkOfRareWords(t *testing.T) {
	t.Parallel()
	var small, large []exec.Work
	for docs, all := range map[int]*[]exec.Work{10_000: &small, 160_000: &large} {
		ix := workWorld(t, docs)
		rare := func(n int) query.Term { return query.Term{Field: "body", Text: fmt.Sprint("rare", n)} }
		for _, q := range []query.Query{
			query.Or{rare(4), rare(7)}, query.Or{rare(4), rare(7), rare(40)}, query.Or{rare(4), query.Phrase{Field: "body", Text: "rare7 x", Slop: 0}}, query.And{query.Or{rare(4), rare(7)}, query.Or{rare(40), query.All{}}},
			query.And{rare(4), query.Or{query.Term{Field: "body", Text: "each3"}, query.Term{Field: "body", Text: "each2"}, query.All{}}}, query.And{query.Or{rare(4), rare(7)}, query.Not{Query: query.Term{Field: "body", Text: "each1"}}},
			query.And{rare(4), query.Prefix{Field: "body", Text: "each"}}, query.And{rare(7), query.Constant{Query: query.Prefix{Field: "body", Text: "each"}, Score: 1}},
		} {
			for _, opt := range []SearchOptions{{CountUpTo: 1}, {Limit: -1}, {}} {
				*all = append(*all, workOf(t, ix, q, opt))
			}
		}
	}
	for i, of := range large {
		if was := small[i]; of.Windows > 2*was.Windows+8 || of.Blocks > 2*was.Blocks+8 {
			t.Errorf("search %d: %+v in a small index, %+v in one of 16 times the size", i, was, of)
		}
	}
}
