package robots

import (
	"strings"

	"github.com/temoto/robotstxt"
)

// The engine would choose between rules by the length of its regular
// expressions, the first of equal ones, so it is never asked to choose: a set
// holds rules of one length that all allow or all disallow, each written as a
// Disallow line of a file of its own. Whether any matches is then all that the
// engine decides. It does not anchor expressions either; start, a character
// that no normal form contains, stands at the start of patterns and targets.
//
// It is asked about patterns with a special character. A pattern without one is
// the start of a path, which is compared right here: most rules are of that
// kind, and to hand them to the engine took nine tenths of the time to read a file.

const (
	start  = "/\x01"
	header = "User-agent: *\n"
)

// What the engine gets is bounded, for its regular expressions are slow where
// they are many and the URL is long. engineBudget is for the patterns with a
// special character of one file: one for each, for each star, and for 16 bytes.
// Few files have as much, few URLs are as long as longTarget. What is beyond
// is matched by hand, which comes to the same and is quick.
const (
	engineBudget = 512
	longTarget   = 512
)

// set is rules of equal length and effect.
type set struct {
	allow  bool
	rules  []rule
	plain  []string         // patterns of those that are the start of a path
	engine *robotstxt.Group // matches any of rules that is neither plain nor in byHand
	byHand []rule
}

// newSet makes a set of rules, not none, and takes what the engine gets off
// budget.
func newSet(rules []rule, budget *int) set {
	s := set{allow: rules[0].allow, rules: rules}
	var b strings.Builder
	for _, r := range rules {
		cost := engineCost(r.pattern)
		switch {
		case hasSpellings(r.pattern):
			s.byHand = append(s.byHand, r)
		case cost == 0:
			s.plain = append(s.plain, r.pattern)
		case cost > *budget:
			s.byHand = append(s.byHand, r)
		default:
			*budget -= cost
			if b.Len() == 0 {
				b.WriteString(header)
			}
			b.WriteString("Disallow: " + start + r.pattern + "\n")
		}
	}
	if b.Len() == 0 {
		return s
	}
	data, err := robotstxt.FromString(b.String())
	if err != nil { // never seen, but nothing from outside may fail us
		s.plain, s.byHand = nil, rules
		return s
	}
	s.engine = data.FindGroup("*")
	return s
}

// hasSpellings reports whether a part of a pattern has several spellings, which
// the engine knows nothing of.
func hasSpellings(pattern string) bool {
	for part := range strings.SplitSeq(pattern, "*") {
		if cutDigit(part) {
			return true
		}
	}
	return false
}

func engineCost(pattern string) int {
	if !strings.ContainsAny(pattern, "*$") {
		return 0 // the start of a path
	}
	return 1 + strings.Count(pattern, "*") + len(pattern)/16
}

// match reports whether a rule of the set matches a target. probe is the
// target behind start.
func (s *set) match(target, probe string) bool {
	for _, p := range s.plain {
		if strings.HasPrefix(target, p) {
			return true
		}
	}
	byHand := s.byHand
	if s.engine == nil {
	} else if len(target) > longTarget {
		byHand = s.rules
	} else if !s.engine.Test(probe) {
		return true
	}
	for _, r := range byHand {
		if match(r.pattern, target) {
			return true
		}
	}
	return false
}
