package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/webquarry/quarry/fuzzy"
)

// same is the weight of clauses that score 1 where they match.
const same = -1

// oracle answers queries by reading all texts: BM25 as the textbooks have it.
type oracle struct {
	docs [][]string
	avg  float64
}

func newOracle(texts []string) *oracle {
	o := &oracle{}
	for _, text := range texts {
		words := strings.Fields(text)
		o.docs = append(o.docs, words)
		o.avg += float64(len(words)) / float64(len(texts))
	}
	return o
}

// clause returns how often it stands in each document, and what it weighs.
func (o *oracle) clause(c string) (tfs []int, idf float64) {
	tfs = make([]int, len(o.docs))
	if kind, of, ok := strings.Cut(c, ":"); ok {
		near := func(w string) bool { return strings.HasPrefix(w, of) }
		if kind != "pre" {
			most := int(kind[3] - '0')
			near = func(w string) bool { return fuzzy.OSA(w, of) <= most }
		}
		for i, words := range o.docs {
			if slices.ContainsFunc(words, near) {
				tfs[i] = 1
			}
		}
		return tfs, same
	}
	phrase := strings.Fields(strings.Trim(c, `"`))
	for i, words := range o.docs {
		for j := range words {
			if len(words)-j >= len(phrase) && slices.Equal(words[j:j+len(phrase)], phrase) {
				tfs[i]++
			}
		}
	}
	for _, w := range phrase {
		df := 0.0
		for _, words := range o.docs {
			if slices.Contains(words, w) {
				df++
			}
		}
		idf += math.Log(1 + (float64(len(o.docs))-df+0.5)/(df+0.5))
	}
	return tfs, idf
}

// split parts a query into its clauses.
func split(query string) (clauses []string) {
	for i, part := range strings.Split(query, `"`) {
		if i%2 == 1 { // a phrase, after its sign
			clauses[len(clauses)-1] += `"` + part + `"`
			continue
		}
		if i > 0 {
			part = strings.TrimPrefix(part, " ")
		}
		clauses = append(clauses, strings.Split(part, " ")...)
	}
	return slices.DeleteFunc(clauses, func(c string) bool { return c == "" })
}

// scores returns what each match scores.
func (o *oracle) scores(query string) map[int]float64 {
	must := strings.HasPrefix(query, "+") || strings.Contains(query, " +")
	scores := map[int]float64{}
	wanted, excluded := make([]bool, len(o.docs)), make([]bool, len(o.docs))
	for i := range wanted {
		wanted[i] = must
	}
	sums := make([]float64, len(o.docs))
	for _, c := range split(query) {
		sign := c[0]
		tfs, idf := o.clause(strings.TrimLeft(c, "+-"))
		for i, tf := range tfs {
			switch {
			case sign == '-':
				excluded[i] = excluded[i] || tf > 0
				continue
			case sign == '+':
				wanted[i] = wanted[i] && tf > 0
			case !must:
				wanted[i] = wanted[i] || tf > 0
			}
			f := float64(tf)
			if idf == same {
				sums[i] += f
				continue
			}
			sums[i] += idf * f * 2.2 / (f + 1.2*(0.25+0.75*float64(len(o.docs[i]))/o.avg))
		}
	}
	for i := range o.docs {
		if wanted[i] && !excluded[i] {
			scores[i] = sums[i]
		}
	}
	return scores
}

// check compares an answer.
func (o *oracle) check(query, answer string) error {
	want := o.scores(query)
	count, hits, _ := strings.Cut(answer, "\t")
	if count != strconv.Itoa(len(want)) {
		return fmt.Errorf("counts %s, not %d", count, len(want))
	}
	var best []float64
	for _, s := range want {
		best = append(best, s)
	}
	slices.Sort(best)
	slices.Reverse(best)
	got := strings.Fields(hits)
	if len(got) != min(shownHits, len(want)) {
		return fmt.Errorf("%d hits of %d", len(got), len(want))
	}
	for i, h := range got {
		key, text, _ := strings.Cut(h, ":")
		doc, _ := strconv.Atoi(key)
		score, err := strconv.ParseFloat(text, 64)
		if err != nil || math.Abs(score-best[i]) > 1e-5 || math.Abs(score-want[doc]) > 1e-5 {
			return fmt.Errorf("hit %d is %s; the %d. best score is %g, that of the document %g", i, h, i+1, best[i], want[doc])
		}
	}
	return nil
}
