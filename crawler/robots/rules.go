package robots

import (
	"cmp"
	"slices"
	"time"
)

// Rules are the rules of a robots.txt for one crawler. The zero value allows
// everything. Rules may be used by many goroutines.
type Rules struct {
	Delay    time.Duration // Crawl-delay: the gap asked for between visits; zero when absent
	Sitemaps []string      // as they stand in the file, each once; relative ones happen

	sets []set // the longest rules first
	size int   // bytes of the file and of the patterns
}

// Verdict is what Rules say about a URL.
type Verdict struct {
	Allowed bool
	Rule    string // the line that decided, as in "Disallow: /private/"; empty when none matched
	Line    int    // its number in the file, from 1
}

// Parse reads a robots.txt for the crawler of a name: a product token like
// "foobot", or a whole User-Agent header with one. It never fails: what it does
// not understand is skipped, as the RFC demands. The groups for that very token
// count, regardless of case, or else those for "*". Beyond 500 KiB, which are
// read to the last full line, the file is ignored. It takes linear time.
func Parse(body []byte, agent string) *Rules {
	f := read(body, Token(agent))
	r := &Rules{Delay: f.delay(), Sitemaps: f.sitemaps, size: min(len(body), maxBody)} // parts of the file keep all of it
	rules := f.rules()
	slices.SortStableFunc(rules, func(a, b rule) int {
		if a.octets != b.octets {
			return cmp.Compare(b.octets, a.octets)
		}
		return cmp.Compare(b.rank(), a.rank()) // what allows first
	})
	budget := engineBudget
	for len(rules) > 0 {
		n := 1
		for n < len(rules) && rules[n].octets == rules[0].octets && rules[n].allow == rules[0].allow {
			n++
		}
		r.sets = append(r.sets, newSet(rules[:n:n], &budget))
		for _, l := range rules[:n] {
			r.size += len(l.pattern)
		}
		rules = rules[n:]
	}
	return r
}

// Allowed reports whether a URL may be fetched. Of the rules that match its
// path and query the longest decides, of equally long ones one that allows.
// /robots.txt is always allowed.
func (r *Rules) Allowed(rawurl string) bool {
	target := target(rawurl)
	s := r.decide(target)
	return s == nil || s.allow
}

// Why is Allowed with the rule that decided. It is slower.
func (r *Rules) Why(rawurl string) Verdict {
	target := target(rawurl)
	s := r.decide(target)
	if s == nil {
		return Verdict{Allowed: true}
	}
	i := slices.IndexFunc(s.rules, func(l rule) bool { return match(l.pattern, target) })
	if i < 0 {
		return Verdict{Allowed: s.allow}
	}
	return Verdict{s.allow, s.rules[i].String(), s.rules[i].line}
}

// Closed returns the rule that forbids everything but /robots.txt, if one does and
// no longer one may allow any of it.
func (r *Rules) Closed() (v Verdict, closed bool) {
	for _, s := range r.sets {
		if s.allow {
			return v, false
		}
		for _, l := range s.rules {
			if l.pattern == "/" || l.pattern == "" {
				return Verdict{Rule: l.String(), Line: l.line}, true
			}
		}
	}
	return v, false
}

// decide returns the set of the longest matching rules, nil when none match.
func (r *Rules) decide(target string) *set {
	if target == robotsPath {
		return nil
	}
	probe := start + target
	for i := range r.sets {
		if r.sets[i].match(target, probe) {
			return &r.sets[i]
		}
	}
	return nil
}

// memory estimates the bytes that r takes: strings, regular expressions, and what
// surrounds them.
func (r *Rules) memory() int {
	n := r.size + 64*len(r.Sitemaps) + 192*len(r.sets)
	for i := range r.sets {
		n += 96 * len(r.sets[i].rules)
		if r.sets[i].engine == nil {
			continue
		}
		n += 1024
		for _, l := range r.sets[i].rules {
			n += 2048 * min(engineCost(l.pattern), 16)
		}
	}
	return n
}
