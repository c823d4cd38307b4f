package index

// phrased is a phrase of an And: its words are looked up like others, and then
// where they stand. It stands in a document as often as one of its words at most
// (see phraseWalk.bounding); that word bears the rating of the phrase, the others
// have none.
type phrased struct {
	of    *phraseWalk
	words []*summand // as in the phrase
	bears *summand
	freq  uint32
}

// phrase takes a phrase apart; nil where a word has several terms.
func (g *gatherer) phrase(w *phraseWalk, weight float64) *phrased {
	p := &phrased{of: w}
	bears := 0
	for _, i := range w.distinct {
		if len(w.stands[i].cursors) > 1 {
			return nil
		}
		if w.plan.slop == 0 && w.stands[i].size() < w.stands[bears].size() {
			bears = i
		}
	}
	for _, i := range w.distinct {
		r := newRatings(w.run, 0, w.plan.words[i])
		if i == bears {
			r = newRatings(w.run, weight, w.plan.words...)
		}
		word := newSummand(w.run, w.stands[i].cursors[0], w.lengths, r)
		if word.idle = i != bears; !word.idle {
			p.bears = word
		}
		p.words = append(p.words, word)
	}
	g.scored = g.scored || weight > 0
	g.nodes += len(p.words)
	return p
}

func (p *phrased) value(doc uint32) float64 {
	return p.of.plan.score(p.freq, p.of.lengths.At(doc))
}

// least lowers the tf that bounds the phrase in a document that has all words.
func (p *phrased) least() {
	if p.of.plan.slop > 0 {
		return
	}
	for _, w := range p.words {
		p.bears.tf = min(p.bears.tf, w.tf)
	}
}
