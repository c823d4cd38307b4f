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
	engine *robotstxt.Group // matches any of rules that is not in byHand
	byHand []rule
}

// newSet makes a set of rules, not none, and takes what the engine gets off
// budget.
func newSet(rules []rule, budget *int) set {
	s := set{allow: rules[0].allow, rules: rules}
	var b strings.Builder
	b.WriteString(header)
	for _, r := range rules {
		cost := engineCost(r.pattern)
		if cost > *budget || hasSpellings(r.pattern) {
			s.byHand = append(s.byHand, r)
			continue
		}
		*budget -= cost
		b.WriteString("Disallow: " + start + r.pattern + "\n")
	}
	if len(s.byHand) == len(rules) {
		return s
	}
	data, err := robotstxt.FromString(b.String())
	if err != nil { // never seen, but nothing from outside may fail us
		s.byHand = rules
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
		return 0 // compared as a prefix
	}
	return 1 + strings.Count(pattern, "*") + len(pattern)/16
}

// match reports whether a rule of the set matches a target. probe is the
// target behind start.
func (s *set) match(target, probe string) bool {
	byHand := s.byHand
	if len(target) > longTarget {
		byHand = s.rules
	} else if s.engine != nil && !s.engine.Test(probe) {
		return true
	}
	for _, r := range byHand {
		if match(r.pattern, target) {
			return true
		}
	}
	return false
}
