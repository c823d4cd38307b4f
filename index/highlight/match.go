package highlight

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/internal/automaton"
	"github.com/webquarry/quarry/index/internal/wordruns"
	"github.com/webquarry/quarry/index/query"
)

// wanted is a word or phrase of a query.
type wanted struct {
	slots []analysis.Slot
	slop  int
	begin bool                     // the last slot holds beginnings of terms
	near  [][]*automaton.Automaton // by slot, instead of terms; nil: terms
}

// matcher finds the words and phrases of a query in a text.
type matcher struct {
	analyzer analysis.Analyzer
	field    string
	expander query.Expander // nil: none
	typos    query.Typos
	wanted   []wanted
	known    map[string]bool   // what wanted holds, printed
	places   map[string][]slot // by term
	begins   []beginning
	patterns []pattern
	first    [256]bool // bytes with which the terms and beginnings begin
}

// slot is a slot of one of wanted.
type slot struct{ want, slot int }

type beginning struct {
	text string
	slot slot
}

type pattern struct {
	terms *automaton.Automaton
	slot  slot
}

// hit is a match in a text.
type hit struct {
	start, end int
	want       int
	first      int // where its first grapheme cluster ends, set by wholeClusters
}

func newMatcher(q query.Query, a analysis.Analyzer, opt Options) *matcher {
	if a == nil {
		a = analysis.Standard{}
	}
	m := &matcher{analyzer: a, field: opt.Field, expander: opt.Expander, typos: opt.Typos, known: map[string]bool{}, places: map[string][]slot{}}
	leaves := slices.Collect(query.Leaves(q))
	for _, leaf := range leaves {
		m.collect(leaf)
	}
	m.collectTogether(leaves)
	for i, w := range m.wanted {
		for j, any := range w.near {
			for _, a := range any {
				m.patterns = append(m.patterns, pattern{a, slot{i, j}})
				for b := range m.first {
					m.first[b] = m.first[b] || a.Begins(byte(b))
				}
			}
		}
		if w.near != nil {
			continue
		}
		for j, s := range w.slots {
			for _, term := range s.Terms {
				if term == "" {
					continue
				}
				m.first[term[0]] = true
				if w.begin && j == len(w.slots)-1 {
					m.begins = append(m.begins, beginning{term, slot{i, j}})
				} else {
					m.places[term] = append(m.places[term], slot{i, j})
				}
			}
		}
	}
	return m
}

// collect adds what a leaf searches for in the field.
func (m *matcher) collect(leaf query.Query) {
	switch q := leaf.(type) {
	case query.Term:
		if q.Text != "" {
			m.want(q.Field, q, wanted{slots: []analysis.Slot{{Terms: []string{q.Text}}}})
		}
	case query.Match:
		for word := range strings.FieldsSeq(q.Text) {
			if near, ok := m.typos.Fuzzy(query.Match{Field: q.Field, Text: word}); ok {
				m.collect(near)
			}
			m.want(q.Field, query.Match{Text: word}, wanted{slots: m.expanded(analysis.Slots(m.analyzer, word))})
			for _, v := range analysis.Variants(m.analyzer, word) {
				m.want(q.Field, query.Match{Text: v}, wanted{slots: analysis.Slots(m.analyzer, v)})
			}
			for _, piece := range analysis.Pieces(m.analyzer, word) {
				m.want(q.Field, query.Match{Text: piece}, wanted{slots: analysis.Slots(m.analyzer, piece)})
			}
		}
	case query.Phrase:
		m.want(q.Field, q, wanted{slots: analysis.Slots(m.analyzer, q.Text), slop: q.Slop})
	case query.Prefix:
		m.want(q.Field, q, wanted{slots: analysis.Slots(m.analyzer, q.Text), begin: true})
	case query.Wildcard:
		a, err := automaton.Wildcard(q.Pattern, func(s string) string { return analysis.Fold(m.analyzer, s) })
		m.pattern(q.Field, q, a, err)
	case query.Regexp:
		a, err := automaton.Regexp(q.Pattern, true)
		m.pattern(q.Field, q, a, err)
	case query.Fuzzy:
		w := wanted{slots: analysis.Slots(m.analyzer, q.Text), near: [][]*automaton.Automaton{}}
		for _, s := range w.slots {
			var any []*automaton.Automaton
			for _, term := range s.Terms {
				any = append(any, automaton.Fuzzy(term, q.DistanceOf(term), q.Prefix))
			}
			w.near = append(w.near, any)
		}
		m.want(q.Field, q, w)
	}
}

// expanded adds the terms that may stand for a word of a single term.
func (m *matcher) expanded(word []analysis.Slot) []analysis.Slot {
	if m.expander == nil || len(word) != 1 || len(word[0].Terms) != 1 {
		return word
	}
	terms := slices.Clone(word[0].Terms)
	for other := range m.expander.Expand(terms[0]) {
		if !slices.Contains(terms, other) {
			terms = append(terms, other)
		}
	}
	return []analysis.Slot{{Pos: word[0].Pos, Terms: terms}}
}

// collectTogether adds what words side by side stand for together.
func (m *matcher) collectTogether(leaves []query.Query) {
	for from, to := range wordruns.Of(leaves) {
		of := wordruns.Join(leaves[from:to])
		words := strings.Fields(of.Text)
		for _, j := range analysis.Joints(m.analyzer, words) {
			m.want(of.Field, query.Match{Text: strings.Join(words[j.From:j.To], " ")}, wanted{slots: []analysis.Slot{{Terms: []string{j.Term}}}})
		}
	}
}

// pattern adds the words that an automaton accepts.
func (m *matcher) pattern(field string, leaf query.Query, a *automaton.Automaton, err error) {
	if err == nil {
		m.want(field, leaf, wanted{slots: make([]analysis.Slot, 1), near: [][]*automaton.Automaton{{a}}})
	}
}

func (m *matcher) want(field string, leaf query.Query, w wanted) {
	inField := field == "" || m.field == "" || field == m.field
	if text := leaf.String(); inField && len(w.slots) > 0 && !m.known[text] {
		m.known[text] = true
		m.wanted = append(m.wanted, w)
	}
}

// settled is how far a text is read on when all lone words of a query were
// seen.
const settled = 8 << 10

// hits returns the matches in a text in order: if all, each of them, else those up
// to some way behind the place where each lone word was seen.
func (m *matcher) hits(text string, all bool) []hit {
	var hits []hit
	seen := make([][][]analysis.Token, len(m.wanted)) // of phrases, by slot
	count, missing, last := make([]int, len(m.wanted)), len(m.wanted), 0
	note := func(s slot, t analysis.Token) {
		if n := len(m.wanted[s.want].slots); n > 1 {
			if seen[s.want] == nil {
				seen[s.want] = make([][]analysis.Token, n)
			}
			tokens := &seen[s.want][s.slot]
			if n := len(*tokens); n == 0 || (*tokens)[n-1].Pos != t.Pos { // any term of a place will do
				*tokens = append(*tokens, t)
			}
			return
		}
		if count[s.want]++; count[s.want] == 1 {
			missing, last = missing-1, t.Start
		}
		hits = append(hits, hit{start: t.Start, end: t.End, want: s.want})
	}
	if missing == 0 {
		return nil
	}
	for t := range m.analyzer.Tokens(text) {
		if !all && missing == 0 && t.Start > last+settled {
			break
		}
		if t.Text == "" || !m.first[t.Text[0]] {
			continue
		}
		for _, s := range m.places[t.Text] {
			note(s, t)
		}
		for _, b := range m.begins {
			if strings.HasPrefix(t.Text, b.text) {
				note(b.slot, t)
			}
		}
		for _, p := range m.patterns {
			if p.terms.Match([]byte(t.Text)) >= 0 {
				note(p.slot, t)
			}
		}
	}
	for i, tokens := range seen {
		if tokens != nil {
			hits = append(hits, m.phrases(i, tokens)...)
		}
	}
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Or(a.start-b.start, a.end-b.end, a.want-b.want) })
	return hits
}

// phrases returns the places where phrase i stands: as a whole when its words
// are neighbours, or word by word.
func (m *matcher) phrases(i int, tokens [][]analysis.Token) (hits []hit) {
	w := m.wanted[i]
	w.slop = min(w.slop, math.MaxInt32) // positions are less
	p := phraseFinder{w: w, tokens: tokens}
	for _, first := range tokens[0] {
		p.chosen, p.steps = append(p.chosen[:0], first), mostSteps
		if !p.find() {
			continue
		}
		if w.slop == 0 && w.slots[len(w.slots)-1].Pos == len(w.slots)-1 {
			hits = append(hits, hit{start: first.Start, end: max(first.End, p.chosen[len(p.chosen)-1].End), want: i})
			continue
		}
		for _, t := range p.chosen {
			hits = append(hits, hit{start: t.Start, end: t.End, want: i})
		}
	}
	return hits
}

// mostSteps is how many tokens are looked at for an occurrence of a loose phrase.
// One without slop takes a step a word.
const mostSteps = 1000

// phraseFinder chooses a token for each slot of a phrase, such that they stand
// as the phrase wants.
type phraseFinder struct {
	w      wanted
	tokens [][]analysis.Token // by slot, by position
	chosen []analysis.Token
	steps  int // left of mostSteps
}

func (p *phraseFinder) find() bool {
	n := len(p.chosen)
	if n == len(p.w.slots) {
		return true
	}
	lo, hi := p.chosen[0].Pos, p.chosen[0].Pos // of the chosen, moved back
	for i, t := range p.chosen {
		lo, hi = min(lo, t.Pos-p.w.slots[i].Pos), max(hi, t.Pos-p.w.slots[i].Pos)
	}
	place, tokens := p.w.slots[n].Pos, p.tokens[n]
	from := sort.Search(len(tokens), func(i int) bool { return tokens[i].Pos-place >= hi-p.w.slop })
	for _, t := range tokens[from:] {
		if p.steps--; p.steps < 0 || t.Pos-place > lo+p.w.slop {
			return false
		}
		if slices.ContainsFunc(p.chosen, func(c analysis.Token) bool { return c.Pos == t.Pos }) {
			continue
		}
		p.chosen = append(p.chosen[:n], t)
		if p.find() {
			return true
		}
		p.chosen = p.chosen[:n]
	}
	return false
}
