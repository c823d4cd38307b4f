package fuzzy

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// aligner is what pairs are aligned with before anything is learnt: vowels are
// written for vowels, and letters doubled or not, before anything else.
var aligner = func() *Costs {
	var rules []CostRule
	const vowels = "aeiouy"
	for _, a := range vowels {
		for _, b := range vowels {
			if a != b {
				rules = append(rules, CostRule{string(a), string(b), 0.7})
			}
		}
	}
	return NewCosts(EditCosts{Insert: 1, Delete: 1, Replace: 1.2, Swap: 1, Double: 0.5}, rules)
}()

// What a rule needs to be learnt.
const (
	leastSeen  = 3   // times in the pairs
	leastGain  = 0.5 // what it is cheaper by than the rules with shorter pieces
	contextTop = 2   // runes beside an edit that a rule may have
	pieceTop   = 4   // runes of a piece, marks included
)

// LearnCosts learns which errors are likely from pairs of what was meant and what
// was written instead: letters, and pieces of up to four with what stands beside
// them (Brill and Moore, 2000). Some thousand pairs are wanted; pairs that are
// more than a third apart teach nothing and are passed over. A rule needs three
// pairs to be learnt, and is left out where shorter ones say about the same.
func LearnCosts(pairs iter.Seq2[string, string]) *Costs {
	l := learner{edits: map[[2]string]float64{}, pieces: map[string]float64{}}
	for meant, written := range pairs {
		l.add(meant, written)
	}
	return l.costs()
}

type learner struct {
	edits  map[[2]string]float64 // how often one piece was written for another
	pieces map[string]float64    // how often a piece was meant
}

// add counts the pieces of a pair.
func (l *learner) add(meant, written string) {
	size := max(utf8.RuneCountInString(meant), utf8.RuneCountInString(written))
	if meant == written {
		return
	}
	if _, near := OSAAtMost(meant, written, max(1, (size+1)/3)); !near {
		return
	}
	marks := marked(nil, meant)
	for i := range marks {
		for n := 1; n <= pieceTop && i+n <= len(marks); n++ {
			l.pieces[string(marks[i:i+n])]++
		}
	}
	steps := []Edit{{Meant: "^", Written: "^"}}
	for _, e := range aligner.Align(meant, written) {
		if e.Cost > 0 {
			steps = append(steps, e)
			continue
		}
		for _, r := range e.Meant {
			steps = append(steps, Edit{Meant: string(r), Written: string(r)})
		}
	}
	steps = append(steps, Edit{Meant: "$", Written: "$"})
	for from := range steps {
		l.window(steps[from:])
	}
}

// window counts the pieces that begin with the first of some steps.
func (l *learner) window(steps []Edit) {
	var a, b strings.Builder
	kept, edits := 0, 0
	for _, e := range steps {
		a.WriteString(e.Meant)
		b.WriteString(e.Written)
		if e.Meant == e.Written {
			kept++
		} else {
			edits++
		}
		if kept > contextTop || utf8.RuneCountInString(a.String()) > pieceTop || utf8.RuneCountInString(b.String()) > pieceTop {
			return
		}
		if edits > 0 && a.Len() > 0 && b.Len() > 0 {
			l.edits[[2]string{a.String(), b.String()}]++
		}
	}
}

// costs makes rules of what was counted, short ones first.
func (l *learner) costs() *Costs {
	plain := EditCosts{Insert: 8, Delete: 8, Replace: 8.5, Swap: 6, Double: 5, First: 2}
	var rules []CostRule
	for piece, n := range l.edits {
		if n >= leastSeen {
			// Half a time less, and a few meant more: what is rare is told from what never happens.
			rules = append(rules, CostRule{piece[0], piece[1], -math.Log((n - 0.5) / (l.pieces[piece[0]] + 5))})
		}
	}
	size := func(r CostRule) int { return utf8.RuneCountInString(r.Meant) + utf8.RuneCountInString(r.Written) }
	slices.SortFunc(rules, func(a, b CostRule) int {
		return cmp.Or(cmp.Compare(size(a), size(b)), cmp.Compare(a.Meant, b.Meant), cmp.Compare(a.Written, b.Written))
	})
	c := NewCosts(plain, nil)
	var ch channel
	for from := 0; from < len(rules); {
		to := from
		for to < len(rules) && size(rules[to]) == size(rules[from]) {
			to++
		}
		var kept []CostRule
		for _, r := range rules[from:to] {
			ch.compile(c, inWord(r.Written))
			if r.Cost < float64(ch.cost(inWord(r.Meant), unreachable))-leastGain {
				kept = append(kept, r)
			}
		}
		c = NewCosts(plain, append(c.rules, kept...))
		from = to
	}
	return c
}

// inWord is a word that has the piece where its marks say, with no letters beside
// it.
func inWord(piece string) string {
	const elsewhere = "\x00"
	if word, first := strings.CutPrefix(piece, "^"); first {
		piece = word
	} else {
		piece = elsewhere + piece
	}
	if word, last := strings.CutSuffix(piece, "$"); last {
		return word
	}
	return piece + elsewhere
}
