package robots

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// The oracle decides by trying every rule with the plainest matcher there is.

// oracle returns the verdict of rules on a target, and how long the rule was.
func oracle(rules []rule, target string) (allowed bool, octets int) {
	allowed, octets = true, -1
	if target == robotsPath {
		return true, octets
	}
	for _, r := range rules {
		if !globs(r.pattern, target) {
			continue
		}
		if r.octets > octets || r.octets == octets && r.allow {
			allowed, octets = r.allow, r.octets
		}
	}
	return allowed, octets
}

// globs matches a pattern in any of its spellings: an escape that breaks off
// behind its first digit is the start of an escape, or a percent sign and a digit.
func globs(pattern, target string) bool {
	cut := regexp.MustCompile(`%([0-9A-Fa-f])(\*|$)`).FindStringSubmatchIndex(pattern)
	if cut == nil {
		return globsOne(pattern, target)
	}
	before, digit, after := pattern[:cut[0]], pattern[cut[2]:cut[3]], pattern[cut[4]:]
	for _, d := range "0123456789ABCDEF" {
		if globs(before+"%"+strings.ToUpper(digit)+string(d)+after, target) {
			return true
		}
	}
	return globs(before+"%25"+digit+after, target)
}

// globsOne matches a pattern by keeping the set of all places in it that a start
// of the target can lead to.
func globsOne(pattern, target string) bool {
	end := strings.HasSuffix(pattern, "$")
	pattern = strings.TrimSuffix(pattern, "$")
	at := make([]bool, len(pattern)+1)
	at[0] = true
	for i := 0; ; i++ {
		for p := range pattern { // a star may be nothing
			if at[p] && pattern[p] == '*' {
				at[p+1] = true
			}
		}
		if at[len(pattern)] && (!end || i == len(target)) {
			return true
		}
		if i == len(target) {
			return false
		}
		next := make([]bool, len(pattern)+1)
		for p := range pattern {
			if at[p] && pattern[p] == '*' {
				next[p] = true
			} else if at[p] && pattern[p] == target[i] {
				next[p+1] = true
			}
		}
		at = next
	}
}

// agree fails when verdicts differ from the oracle's, or from each other.
func agree(t *testing.T, body, agent, url string) {
	t.Helper()
	r := Parse([]byte(body), agent)
	f := read([]byte(body), Token(agent))
	want, _ := oracle(f.rules(), target(url))
	why := r.Why(url)
	if got := r.Allowed(url); got != want || why.Allowed != want {
		t.Fatalf("agent %q, URL %q: allowed %v, why %+v, want %v by\n%s", agent, url, got, why, want, body)
	}
	for i := range r.sets {
		s := &r.sets[i]
		for _, l := range s.rules {
			if got, want := match(l.pattern, target(url)), globs(l.pattern, target(url)); got != want {
				t.Fatalf("pattern %q, target %q: by hand %v, want %v", l.pattern, target(url), got, want)
			}
		}
		if ours := len(s.byHand) + len(s.plain); ours < len(s.rules) && s.engine == nil || ours > len(s.rules) {
			t.Fatalf("the engine refused %+v", s.rules)
		}
	}
	if !why.Allowed && why.Line == 0 || why.Rule == "" != (why.Line == 0) {
		t.Fatalf("URL %q: no line for %+v by\n%s", url, why, body)
	}
}

var words = []string{
	"/", "/", "a", "b", "ab", "aa", "*", "*", "**", "$", "?", "&", "=", ".", "+", "(", ")", "[", "]", "{", "}", "|", "^", `\`, `\*`, `\Q`, `\E`, `.*`,
	"%", "%", "%2", "%e", "%5", "25", "%2A", "%24", "%2f", "%41", "%e3%83%84", "ツ", "é", "\xff", "\x00", "\x01", "\x02", " ", "\t", ":", "#", "'", `"`, "<", "~", "%25", "\u2028", "\u00a0", "robots.txt",
}

func randomWords(rnd *rand.Rand, n int) string {
	var b strings.Builder
	for range rnd.IntN(n) {
		b.WriteString(words[rnd.IntN(len(words))])
	}
	return b.String()
}

func randomBody(rnd *rand.Rand) string {
	keys := []string{"Allow", "Disallow", "Disallow", "disallow ", "User-agent", "Crawl-delay", "Sitemap", "X"}
	var b strings.Builder
	for range 1 + rnd.IntN(12) {
		key := keys[rnd.IntN(len(keys))]
		value := "/" + randomWords(rnd, 6)
		if key == "User-agent" {
			value = []string{"*", "foo", "bar", "foo/1", ""}[rnd.IntN(5)]
		} else if rnd.IntN(8) == 0 {
			value = randomWords(rnd, 4)
		}
		fmt.Fprintf(&b, "%s:%s%s", key, []string{"", " "}[rnd.IntN(2)], value)
		b.WriteString([]string{"\n", "\r\n", "\r", "\n\n", " # c\n"}[rnd.IntN(5)])
	}
	return b.String()
}

func TestOracle(t *testing.T) {
	t.Parallel()
	rounds := 1_000
	if testing.Short() {
		rounds /= 4
	}
	rnd := rand.New(rand.NewPCG(5, 6))
	denied := 0
	for range rounds {
		body := "User-agent: *\n" + randomBody(rnd)
		for range 4 {
			url := "http://e.example/" + randomWords(rnd, 6)
			agree(t, body, "foo", url)
			if !Parse([]byte(body), "foo").Allowed(url) {
				denied++
			}
		}
	}
	if denied < rounds/4 || denied > rounds*3 {
		t.Errorf("%d of %d verdicts deny", denied, 4*rounds)
	}
}

// TestCutAnywhere makes sure that a pattern which is the start of a URL, or
// what is between two stars in it, matches that URL wherever it was cut.
func TestCutAnywhere(t *testing.T) {
	t.Parallel()
	pieces := []string{"%", "%2", "%e", "%zz", "%25", "%2F", "%2f", "%C3%A9", "%c3", "%20", "%3D", "a", "5", "F", "g", "/", "?", "&", "=", "+", ";", "é", " ", "\xff", "{", "|"}
	rnd := rand.New(rand.NewPCG(11, 12))
	for range 2_000 {
		path := "/"
		for range 1 + rnd.IntN(8) {
			path += pieces[rnd.IntN(len(pieces))]
		}
		// What stands behind a percent sign of its own may make an escape of it.
		for escaped := path; strings.Contains(escaped, "%"); {
			_, escaped, _ = strings.Cut(escaped, "%")
			if len(escaped) > 1 && hex(escaped[0]) && hex(escaped[1]) && unreserved(unhex(escaped[0])<<4|unhex(escaped[1])) {
				path = "/%"
			}
		}
		from, to := rnd.IntN(len(path)), 1+rnd.IntN(len(path))
		if from > to {
			from, to = to, from
		}
		inEscape := func(i int) bool { // the start of a pattern within an escape is no part of it
			return i >= 1 && path[i-1] == '%' || i >= 2 && path[i-2] == '%'
		}
		patterns := []string{path[:to], path[:to] + "*", path + "$"}
		if !inEscape(from) {
			patterns = append(patterns, "/*"+path[max(from, 1):max(to, 1)]+"*", "/*"+path[max(from, 1):max(to, 1)])
		}
		for _, p := range patterns {
			if trim(p) != p {
				continue
			}
			if Parse([]byte("User-agent: *\nDisallow: "+p), "foo").Allowed("http://e.example" + path) {
				t.Fatalf("%q allows %q", p, path)
			}
		}
	}
}

// TestBeyondBudget makes sure that what is matched by hand gets the same
// verdicts as what the engine matches.
func TestBeyondBudget(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(7, 8))
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for range 400 {
		fmt.Fprintf(&b, "%s: /%s\n", []string{"Allow", "Disallow"}[rnd.IntN(2)], strings.ReplaceAll(randomWords(rnd, 5)+"*"+randomWords(rnd, 5), "#", "a"))
	}
	r := Parse([]byte(b.String()), "foo")
	hand := 0
	for _, s := range r.sets {
		hand += len(s.byHand)
	}
	if hand < 100 {
		t.Fatalf("only %d rules beyond the budget", hand)
	}
	for range 10 {
		agree(t, b.String(), "foo", "http://e.example/"+randomWords(rnd, 9))
	}
}

func FuzzParse(f *testing.F) {
	f.Add("User-agent: *\nDisallow: /a*b$\nAllow: /%zz\x00", "foobot", "http://e.example/aXb")
	f.Add("\xef\xbb\xbfuser-agent foo\rdisallow /\r\nSitemap:x\nCrawl-delay: 1e999", "foo/1.0 (compatible; bar)", "/robots.txt")
	f.Add("User-agent: *\nDisallow: /"+strings.Repeat("*a", 600), "", "//h"+strings.Repeat("/a", 600))
	f.Add("\xfe\xff\x00U\x00s", "", "%")
	rnd := rand.New(rand.NewPCG(9, 10))
	for range 20 {
		f.Add(randomBody(rnd), "foo", "http://e.example/"+randomWords(rnd, 6))
	}
	f.Fuzz(func(t *testing.T, body, agent, url string) {
		if len(body) < 1<<16 && len(url) < 1<<12 {
			agree(t, body, agent, url)
		}
	})
}
