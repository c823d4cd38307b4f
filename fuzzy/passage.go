package fuzzy

import (
	"cmp"
	"math"
	"slices"
	"unicode/utf8"
)

// What writing down words costs beside the errors in them, in natural logarithms
// of how rare it is. The numbers come from trying on real misspellings and on words
// of texts that were put together and taken apart; near them little changes.
const (
	costSplit    = 3   // a space is missing
	costJoin     = 3   // a space is too many
	costSound    = 12  // what sounds the same costs no more, however it is written
	costUnknown  = 12  // a word is right although the vocabulary does not have it
	easySlip     = 4   // an error up to which a known word may be another that was meant
	pairShare    = 0.7 // how far a pair of words is believed
	contextDoubt = 2   // a known word is an error although what stands beside it is known
	options      = 6   // words that each may be
)

// reading is one way to read a word, or two as one: a state of the search for the
// likeliest way to read a passage.
type reading struct {
	words  []string // what is meant
	takes  int      // words that were written
	cost   float64  // of the errors
	same   bool     // nothing is changed
	total  float64  // of the likeliest way up to here
	before *reading
}

// passage is a run of words that follow each other in a query.
type passage struct {
	speller   Speller
	gathering *gathering
	written   []string // in normal form
	reach     float64  // total weight of the vocabulary
	ends      [][]*reading
}

// read gives the likeliest reading of each word of a passage, in order; words that
// are read as one have one.
func (s Speller) read(written []string) []*reading {
	g := gatherings.Get().(*gathering)
	defer gatherings.Put(g)
	p := &passage{speller: s, gathering: g, written: written, reach: max(s.Words.total, 1), ends: make([][]*reading, len(written)+1)}
	for i := range written {
		for _, r := range p.readings(i) {
			p.follow(r, p.ends[i])
			p.ends[i+r.takes] = append(p.ends[i+r.takes], r)
		}
	}
	var last *reading
	for _, r := range p.ends[len(written)] {
		if last == nil || r.total < last.total {
			last = r
		}
	}
	list := make([]*reading, 0, len(written))
	for ; last != nil; last = last.before {
		list = append(list, last)
	}
	slices.Reverse(list)
	return list
}

// follow has r go on from the likeliest of the readings before it.
func (p *passage) follow(r *reading, before []*reading) {
	own := r.cost
	for i, word := range r.words[1:] {
		own += p.surprise(r.words[i], word)
	}
	if len(before) == 0 {
		r.total = own + p.surprise("", r.words[0])
		return
	}
	r.total = math.Inf(1)
	for _, b := range before {
		if total := b.total + p.surprise(b.words[len(b.words)-1], r.words[0]) + own; total < r.total {
			r.total, r.before = total, b
		}
	}
}

// surprise is the cost of a word after another.
func (p *passage) surprise(before, word string) float64 {
	weight, known := p.speller.Words.Weight(word)
	if !known {
		return priorShare*math.Log(p.reach) + costUnknown
	}
	likely := (max(weight, 0) + 0.5) / p.reach
	if next := p.speller.Pairs.Next(before); next > 0 {
		likely = (1-pairShare)*likely + pairShare*p.speller.Pairs.Count(before, word)/next
	}
	return -priorShare * math.Log(min(likely, 1))
}

// readings is the ways to read the word at i.
func (p *passage) readings(i int) []*reading {
	word := p.written[i]
	weight, known := p.speller.Words.Weight(word)
	list := []*reading{{words: []string{word}, takes: 1, same: true}}
	doubt := 0.0 // what it costs that a known word is an error
	if known && p.speller.Pairs != nil {
		doubt = contextDoubt
	} else if known {
		doubt = priorShare * math.Log(p.rarer())
	}
	size := utf8.RuneCountInString(word)
	for _, c := range p.gathering.candidates(&p.speller, word, options) {
		if known && !p.mayBe(c, weight) || !known && c.distance > p.tolerance(word, size, c) {
			continue
		}
		cost := float64(c.error)
		if c.sound == sameSound {
			cost = min(cost, costSound)
		}
		if known && p.speller.Pairs == nil {
			cost = 0 // that it is far more frequent is enough
		}
		list = append(list, &reading{words: []string{p.gathering.words.words.word(c.word)}, takes: 1, cost: doubt + cost})
	}
	if !known {
		if parts := p.split(word); len(parts) > 1 {
			list = append(list, &reading{words: parts, takes: 1, cost: costSplit * float64(len(parts)-1)})
		}
	}
	if i+1 < len(p.written) {
		if joined := word + p.written[i+1]; p.joins(word, p.written[i+1], joined) {
			_, nextKnown := p.speller.Words.Weight(p.written[i+1])
			cost := float64(costJoin)
			if known && nextKnown && p.speller.Pairs == nil {
				cost += doubt
			}
			list = append(list, &reading{words: []string{joined}, takes: 2, cost: cost})
		}
	}
	return list
}

// tolerance is how many edits an unknown word may be from one that it becomes.
func (p *passage) tolerance(word string, size int, c candidate) int {
	most := max(AutoDistance(word), size/3)
	if c.sound == sameSound {
		most = max(most, (size+1)/2)
	}
	return most
}

// mayBe reports whether a known word of that weight may be a slip for another.
func (p *passage) mayBe(c candidate, weight float64) bool {
	if p.speller.Pairs != nil {
		return c.distance <= 2
	}
	return c.distance == 1 && c.error <= easySlip && p.gathering.words.words.weights[c.word] >= weight*p.rarer()
}

func (p *passage) rarer() float64 { return cmp.Or(max(p.speller.Rarer, 0), farRarer) }

// joins reports whether two written words may be one: a word of three runes at
// least.
func (p *passage) joins(a, b, joined string) bool {
	_, known := p.speller.Words.Weight(joined)
	return known && utf8.RuneCountInString(joined) > 2
}

// The words that one is split into.
const (
	longestRun  = 64   // runes of the word
	longestPart = 24   // runes of a part
	rarePart    = 1e-4 // the share of all weight that a part of one or two runes needs
)

// split gives the likeliest words that word is if spaces are missing, or nil.
func (p *passage) split(word string) []string {
	runes := []rune(word)
	if len(runes) < 3 || len(runes) > longestRun {
		return nil
	}
	at := make([]int, 1, len(runes)+1) // where runes begin
	for _, r := range runes {
		at = append(at, at[len(at)-1]+utf8.RuneLen(r))
	}
	type cut struct {
		from int
		cost float64
	}
	best := make([]cut, len(runes)+1)
	for to := 1; to <= len(runes); to++ {
		best[to].cost = math.Inf(1)
		for from := max(0, to-longestPart); from < to; from++ {
			if to-from == len(runes) || math.IsInf(best[from].cost, 1) {
				continue
			}
			part := word[at[from]:at[to]]
			weight, known := p.speller.Words.Weight(part)
			if !known || to-from < 3 && weight < p.reach*rarePart {
				continue
			}
			before := ""
			if from > 0 {
				before = word[at[best[from].from]:at[from]]
			}
			if cost := best[from].cost + costSplit + p.surprise(before, part); cost < best[to].cost {
				best[to] = cut{from, cost}
			}
		}
	}
	if math.IsInf(best[len(runes)].cost, 1) {
		return nil
	}
	var parts []string
	for to := len(runes); to > 0; to = best[to].from {
		parts = append(parts, word[at[best[to].from]:at[to]])
	}
	slices.Reverse(parts)
	return parts
}
