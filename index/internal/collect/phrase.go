package collect

import "github.com/webquarry/quarry/index/internal/exec"

// phrased is a phrase of an And: its words are looked up like others, and then
// where they stand. It stands in a document as often as one of its words at most
// (see bounding in exec); that word bears the rating of the phrase, the others
// have none.
type phrased struct {
	of    *exec.PhraseIterator
	words []*summand // as in the phrase
	bears *summand
	freq  uint32
}

// phrase takes a phrase apart; nil where a word has several terms.
func (g *gatherer) phrase(w *exec.PhraseIterator, weight float64) *phrased {
	p := &phrased{of: w}
	bears := 0
	for _, i := range w.Distinct {
		if len(w.Stands[i].Cursors) > 1 {
			return nil
		}
		if w.Plan.Slop == 0 && w.Stands[i].Size() < w.Stands[bears].Size() {
			bears = i
		}
	}
	for _, i := range w.Distinct {
		r := exec.NewRatings(w.Run, 0, w.Plan.Words[i])
		if i == bears {
			r = exec.NewRatings(w.Run, weight, w.Plan.Words...)
		}
		word := g.summand(w.Stands[i].Cursors[0], w.Lengths, r)
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
	return p.of.Plan.Score(p.freq, p.of.Lengths.At(doc))
}

// least lowers the tf that bounds the phrase in a document that has all words.
func (p *phrased) least() {
	if p.of.Plan.Slop > 0 {
		return
	}
	for _, w := range p.words {
		p.bears.tf = min(p.bears.tf, w.tf)
	}
}
