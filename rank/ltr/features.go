package ltr

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/webquarry/quarry/rank"
)

// Extractor makes features of a query and hits, from the texts and numbers that the hits carry. An analyzer and statistics come from
// the index that they were found in; docs/guides/learning-to-rank.md shows how. It costs about the analysis of the texts.
//
// The features of each text field, whose names begin with that of the field and a dot, are
//
//	bm25, in_expb2, lm   the scores of rank.BM25, rank.InExpB2 and rank.Dirichlet in this field
//	tf_sum, tf_min, tf_max, tf_share  occurrences of the query's words: all, of the rarest and commonest in the document, by length
//	idf, coverage        the sum of the idf of the words that stand there; what part that is of all
//	length               in words
//	first                place of the first word of the query; missing if there is none
//	span                 words in the shortest stretch that holds all words of the query that the field holds; missing if there are less than two
//	pairs                the part of the query's neighbours that are neighbours there, in order
//
// and those of the whole
//
//	score                 of the stage before
//	bm25f, in_expb2, lm   the scores over all fields
//	coverage              the part of the idf of the query that stands in any field
//	rm3                   the score by words of the best ten of the hits (rank.RM3)
//	like                  the cosine with the best ten of the hits together, by tf-idf among the hits
//	score_rel, bm25f_rel, in_expb2_rel, rm3_rel, like_rel  those divided by the greatest among the hits
//	place                 1 / place in the ranking of the stage before, from 1 up
//	query_length, query_idf  words of the query, the sum of their idf
//
// and the numbers, by the names of their fields.
type Extractor struct {
	Fields  []Field  // of text
	Numbers []string // fields with numbers or times; these in seconds since 1970. A hit without one has NaN
	// Analyze makes words of a text as the index does, in order, of the query too.
	Analyze func(text string) []string
	// Stats returns the statistics of a word in a field, with CollFreq. It is called once for each word and query.
	Stats func(field, word string) (rank.Stats, error)
}

// Field is a text field.
type Field struct {
	Name   string
	Weight float64 // of an occurrence, in scores over all fields; 0: 1
}

var (
	fieldFeatures = []string{"bm25", "in_expb2", "lm", "tf_sum", "tf_min", "tf_max", "tf_share", "idf", "coverage", "length", "first", "span", "pairs"}
	wholeFeatures = []string{"score", "bm25f", "in_expb2", "lm", "coverage", "rm3", "like"}
	relFeatures   = []string{"score", "bm25f", "in_expb2", "rm3", "like"}
	queryFeatures = []string{"place", "query_length", "query_idf"}
)

// feedbackDocs is how many of the best hits are taken to be relevant.
const feedbackDocs = 10

// Features returns the names of the features, in the order in which Extract has them.
func (x *Extractor) Features() (names []string) {
	for _, f := range x.Fields {
		for _, name := range fieldFeatures {
			names = append(names, f.Name+"."+name)
		}
	}
	names = append(names, wholeFeatures...)
	for _, name := range relFeatures {
		names = append(names, name+"_rel")
	}
	return slices.Concat(names, queryFeatures, x.Numbers)
}

// Extract returns the features of each hit. The hits are all that were found, or the best of them, the best first: some features
// are about what a hit is among them. When ctx ends, it returns the cause.
func (x *Extractor) Extract(ctx context.Context, query string, hits []rank.Hit) ([][]float64, error) {
	q := &extraction{Extractor: x, known: map[string]word{}}
	if err := q.ask(query); err != nil {
		return nil, err
	}
	docs := make([]document, len(hits))
	for i, h := range hits {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		docs[i] = x.read(h)
	}
	best := docs[:min(len(docs), feedbackDocs)]
	rm3, err := q.feedback(rank.RM3{}, best)
	if err != nil {
		return nil, err
	}
	like := likeness(docs)
	out := make([][]float64, len(hits))
	wholes := make([][]float64, len(hits))
	for i := range docs {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		d := &docs[i]
		for n := range x.Fields {
			out[i] = append(out[i], q.field(n, d)...)
		}
		whole := append([]float64{hits[i].Score}, q.whole(d)...)
		wholes[i] = append(whole, q.weighted(rm3, d), like[i])
	}
	greatest := make([]float64, len(wholeFeatures))
	for _, whole := range wholes {
		for j, v := range whole {
			greatest[j] = max(greatest[j], v)
		}
	}
	for i, whole := range wholes {
		out[i] = append(out[i], whole...)
		for _, name := range relFeatures {
			j := slices.Index(wholeFeatures, name)
			rel := 0.0
			switch {
			case whole[j] == greatest[j] && greatest[j] > 0: // infinite ones too
				rel = 1
			case greatest[j] > 0:
				rel = whole[j] / greatest[j]
			}
			out[i] = append(out[i], rel)
		}
		out[i] = append(out[i], 1/float64(i+1), float64(len(q.words)), q.idf)
		for _, name := range x.Numbers {
			out[i] = append(out[i], number(hits[i].Fields[name]))
		}
	}
	return out, nil
}

// document is the words of a hit.
type document struct {
	fields []text
}

type text struct {
	words  []string
	counts map[string]int
}

func (x *Extractor) read(h rank.Hit) document {
	d := document{fields: make([]text, len(x.Fields))}
	for i, f := range x.Fields {
		t := text{words: x.Analyze(textOf(h.Fields[f.Name])), counts: map[string]int{}}
		for _, w := range t.words {
			t.counts[w]++
		}
		d.fields[i] = t
	}
	return d
}

// textOf is a value of a field as text.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []string:
		return strings.Join(v, "\n")
	}
	return ""
}

// number is a value of a field as a number.
func number(v any) float64 {
	switch v := v.(type) {
	case float64:
		return v
	case int64:
		return float64(v)
	case int:
		return float64(v)
	case time.Time:
		return float64(v.UnixMicro()) / 1e6
	}
	return math.NaN()
}

// word is a word with what is needed to score it.
type word struct {
	text  string
	idf   float64
	stats rank.Stats // over all fields
	field []wordScores
	bm25f rank.Combined
	expb2 rank.Combined
}

type wordScores struct{ bm25, expb2, lm rank.Score }

// extraction is the work on one query.
type extraction struct {
	*Extractor
	words []word   // of the query, each once
	order []string // all words, in order
	idf   float64  // the sum
	known map[string]word
}

func (q *extraction) ask(query string) error {
	q.order = q.Analyze(query)
	for i, w := range q.order {
		if slices.Contains(q.order[:i], w) {
			continue
		}
		of, err := q.word(w)
		if err != nil {
			return err
		}
		q.words = append(q.words, of)
		q.idf += of.idf
	}
	return nil
}

// word asks for the statistics of a word.
func (q *extraction) word(w string) (word, error) {
	if of, ok := q.known[w]; ok {
		return of, nil
	}
	of := word{text: w}
	var fields []rank.FieldStats
	for _, f := range q.Fields {
		s, err := q.Stats(f.Name, w)
		if err != nil {
			return of, fmt.Errorf("ltr: statistics of %q in %s: %w", w, f.Name, err)
		}
		of.field = append(of.field, wordScores{rank.BM25{}.Term(s), rank.InExpB2{}.Term(s), rank.Dirichlet{Mu: max(1, 2*s.AvgLen)}.Term(s)})
		weight := f.Weight
		if weight == 0 {
			weight = 1
		}
		fields = append(fields, rank.FieldStats{Name: f.Name, Weight: weight, AvgLen: s.AvgLen})
		of.stats.Docs, of.stats.DocFreq = max(of.stats.Docs, s.Docs), max(of.stats.DocFreq, s.DocFreq)
		of.stats.CollFreq += s.CollFreq
		of.stats.AvgLen += s.AvgLen
	}
	of.idf = rank.Probabilistic.Weight(of.stats.Docs, of.stats.DocFreq)
	of.bm25f, of.expb2 = rank.BM25F{}.Combine(of.stats, fields), rank.InExpB2{}.Combine(of.stats, fields)
	q.known[w] = of
	return of, nil
}

// combined is the score of a word over all fields.
func combined(c rank.Combined, w string, d *document) float64 {
	sum := 0.0
	for i, f := range d.fields {
		sum += c.Frequency[i](uint32(f.counts[w]), uint32(len(f.words)))
	}
	return c.Score(sum)
}

// field returns the features of one field, as fieldFeatures names them.
func (q *extraction) field(n int, d *document) []float64 {
	t := d.fields[n]
	var bm25, expb2, lm, sum, least, most, idf float64
	for _, w := range q.words {
		tf, length := uint32(t.counts[w.text]), uint32(len(t.words))
		bm25 += w.field[n].bm25(tf, length)
		expb2 += w.field[n].expb2(tf, length)
		lm += w.field[n].lm(tf, length)
		if tf > 0 {
			if sum == 0 || float64(tf) < least {
				least = float64(tf)
			}
			sum += float64(tf)
			most = max(most, float64(tf))
			idf += w.idf
		}
	}
	coverage := 0.0
	if q.idf > 0 {
		coverage = idf / q.idf
	}
	first, span := q.near(t.words)
	return []float64{bm25, expb2, lm, sum, least, most, sum / float64(max(1, len(t.words))), idf, coverage, float64(len(t.words)), first, span, q.pairs(t.words)}
}

// near returns the place of the first word of the query, and the length of the shortest stretch of the text
// that holds all of the query's words that it holds at all; NaN for what there is not.
func (q *extraction) near(words []string) (first, span float64) {
	first, span = math.NaN(), math.NaN()
	type at struct{ place, word int }
	var places []at
	held := map[int]int{}
	for place, w := range words {
		if i := slices.IndexFunc(q.words, func(of word) bool { return of.text == w }); i >= 0 {
			places = append(places, at{place, i})
			held[i] = 0
		}
	}
	if len(places) == 0 {
		return first, span
	}
	first = float64(places[0].place)
	if len(held) < 2 {
		return first, span
	}
	left, missing, best := 0, len(held), len(words)
	for _, p := range places {
		if held[p.word]++; held[p.word] == 1 {
			missing--
		}
		for missing == 0 {
			best = min(best, p.place-places[left].place+1)
			if held[places[left].word]--; held[places[left].word] == 0 {
				missing++
			}
			left++
		}
	}
	return first, float64(best)
}

// pairs is the part of the pairs of neighbours in the query that are neighbours in the text.
func (q *extraction) pairs(words []string) float64 {
	if len(q.order) < 2 {
		return 0
	}
	there := make([]bool, len(q.order))
	for i := 1; i < len(words); i++ {
		for j := 1; j < len(q.order); j++ {
			if words[i] == q.order[j] && words[i-1] == q.order[j-1] {
				there[j] = true
			}
		}
	}
	n := 0
	for _, ok := range there {
		if ok {
			n++
		}
	}
	return float64(n) / float64(len(q.order)-1)
}

// whole returns the features over all fields that are of the document and the query alone: those of
// wholeFeatures from bm25f to coverage.
func (q *extraction) whole(d *document) []float64 {
	var bm25f, expb2, lm, idf float64
	for _, w := range q.words {
		bm25f += combined(w.bm25f, w.text, d)
		expb2 += combined(w.expb2, w.text, d)
		held := false
		for i, f := range d.fields {
			lm += w.field[i].lm(uint32(f.counts[w.text]), uint32(len(f.words)))
			held = held || f.counts[w.text] > 0
		}
		if held {
			idf += w.idf
		}
	}
	coverage := 0.0
	if q.idf > 0 {
		coverage = idf / q.idf
	}
	return []float64{bm25f, expb2, lm, coverage}
}

// expanded is a query with words that were added.
type expanded struct {
	words   []word
	weights []float64
}

// feedback adds words of the best documents to the query.
func (q *extraction) feedback(by rank.Feedback, best []document) (out expanded, err error) {
	docs := make([]rank.FeedbackDoc, len(best))
	for i, d := range best {
		docs[i] = rank.FeedbackDoc{Score: q.whole(&d)[0], Terms: d.counts()}
	}
	words, keep := by.Expand(docs, func(w string) rank.Stats {
		of, e := q.word(w)
		if e != nil {
			err = e
		}
		return of.stats
	})
	if err != nil {
		return out, err
	}
	for _, w := range q.words {
		out.words, out.weights = append(out.words, w), append(out.weights, keep/float64(len(q.words)))
	}
	for _, w := range words {
		of, err := q.word(w.Word)
		if err != nil {
			return out, err
		}
		out.words, out.weights = append(out.words, of), append(out.weights, (1-keep)*w.Weight)
	}
	return out, nil
}

// weighted is the score of a document for a query with added words.
func (q *extraction) weighted(x expanded, d *document) (sum float64) {
	for i, w := range x.words {
		sum += x.weights[i] * combined(w.expb2, w.text, d)
	}
	return sum
}

// likeness returns the cosine of each document with the best ones together, by tf-idf; the idf is that among
// the documents themselves.
func likeness(docs []document) []float64 {
	numbers := map[string]int{} // of words, in the order in which they are met
	var docFreq []int
	vectors := make([][]entry, len(docs))
	for i, d := range docs {
		counts := map[int]int{}
		for _, f := range d.fields {
			for _, w := range f.words {
				n, ok := numbers[w]
				if !ok {
					n = len(numbers)
					numbers[w] = n
					docFreq = append(docFreq, 0)
				}
				if counts[n]++; counts[n] == 1 {
					docFreq[n]++
					vectors[i] = append(vectors[i], entry{word: n})
				}
			}
		}
		for j := range vectors[i] {
			vectors[i][j].weight = 1 + math.Log(float64(counts[vectors[i][j].word]))
		}
	}
	middle := make([]float64, len(numbers))
	lengths := make([]float64, len(docs))
	for i, v := range vectors {
		squares := 0.0
		for j := range v {
			v[j].weight *= rank.Probabilistic.Weight(len(docs), docFreq[v[j].word])
			squares += v[j].weight * v[j].weight
		}
		lengths[i] = math.Sqrt(squares)
		if i < feedbackDocs && squares > 0 {
			for _, e := range v {
				middle[e.word] += e.weight / lengths[i]
			}
		}
	}
	whole := 0.0
	for _, w := range middle {
		whole += w * w
	}
	out := make([]float64, len(docs))
	for i, v := range vectors {
		if lengths[i] == 0 || whole == 0 {
			continue
		}
		for _, e := range v {
			out[i] += e.weight * middle[e.word]
		}
		out[i] /= lengths[i] * math.Sqrt(whole)
	}
	return out
}

// entry is a word of a vector.
type entry struct {
	word   int
	weight float64
}

// counts is how often words occur in all fields.
func (d *document) counts() map[string]int {
	counts := map[string]int{}
	for _, f := range d.fields {
		for w, n := range f.counts {
			counts[w] += n
		}
	}
	return counts
}
