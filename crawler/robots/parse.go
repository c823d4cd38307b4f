package robots

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
)

// maxBody is how much of a robots.txt is read; the RFC demands as much.
const maxBody = 500 << 10

// maxDelay is the longest Crawl-delay that is believed.
const maxDelay = 24 * time.Hour

// rule is an Allow or Disallow line.
type rule struct {
	allow   bool
	pattern string // normalised, see pattern.go
	octets  int    // its length, by which rules take precedence
	value   string // as it stood in the file
	line    int
}

// String is the line that the rule stands for.
func (r rule) String() string {
	if r.allow {
		return "Allow: " + r.value
	}
	return "Disallow: " + r.value
}

func (r rule) rank() int {
	if r.allow {
		return 1
	}
	return 0
}

// group is what a file says to one kind of crawler, its groups merged.
type group struct {
	named bool // there is a User-agent line for it
	open  bool // the lines being read are for it
	rules []rule
	delay time.Duration
}

// file is a robots.txt as read for one product token.
type file struct {
	mine, all group // for our token, for "*"
	sitemaps  []string
	seen      map[string]bool
	agents    bool // the last line that counts was User-agent
}

func (f *file) group() *group {
	if f.mine.named {
		return &f.mine
	}
	return &f.all
}

func (f *file) rules() []rule        { return f.group().rules }
func (f *file) delay() time.Duration { return f.group().delay }

// read reads a robots.txt for a product token in lower case.
func read(body []byte, token string) *file {
	f := &file{seen: make(map[string]bool)}
	text := decode(body)
	for n := 1; text != ""; n++ {
		line := text
		if i := strings.IndexAny(text, "\r\n"); i >= 0 {
			line = text[:i]
			if strings.HasPrefix(text[i:], "\r\n") {
				i++
			}
			text = text[i+1:]
		} else {
			text = ""
		}
		f.readLine(line, n, token)
	}
	return f
}

// readLine takes in one line.
func (f *file) readLine(line string, n int, token string) {
	key, value := split(line)
	var small [maxField]byte
	switch string(lower(small[:], key)) { // which takes no memory
	case "user-agent", "useragent", "user agent":
		if !f.agents {
			f.mine.open, f.all.open = false, false
		}
		f.agents = true
		for name := range strings.SplitSeq(value, ",") { // there is one on a line, but some name several
			f.addAgent(trim(name), token)
		}
	case "allow":
		f.addRule(true, value, n)
	case "disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw":
		f.addRule(false, value, n)
	case "crawl-delay", "crawldelay":
		f.addDelay(value)
	case "sitemap", "site-map":
		if value != "" && !f.seen[value] {
			f.seen[value] = true
			f.sitemaps = append(f.sitemaps, value)
		}
	}
}

// maxField is how long the key of a line is at most.
const maxField = 64

// lower writes s to a buffer, with the letters of ASCII in lower case.
func lower(buf []byte, s string) []byte {
	buf = buf[:copy(buf, s)]
	for i, c := range buf {
		if c >= 'A' && c <= 'Z' {
			buf[i] = c | 0x20
		}
	}
	return buf
}

// split returns the key of a line and its value. A missing
// colon is forgiven where there are two words.
func split(line string) (key, value string) {
	line, _, _ = strings.Cut(line, "#")
	key, value, ok := strings.Cut(line, ":")
	if !ok {
		words := strings.Fields(line)
		if len(words) != 2 {
			return "", ""
		}
		key, value = words[0], words[1]
	}
	if len(key) > maxField { // no key we know
		return "", ""
	}
	return trim(key), trim(value)
}

func trim(s string) string { return strings.Trim(s, " \t\v\f\x00") }

func (f *file) addAgent(value, token string) {
	if value == "*" || strings.HasPrefix(value, "*") && strings.ContainsAny(value[1:2], " \t") {
		f.all.open, f.all.named = true, true
	} else if name := product(value); name != "" && strings.EqualFold(name, token) {
		f.mine.open, f.mine.named = true, true
	}
}

// addRule takes in a rule. Those without a value, and those that do not start
// as a path does, match nothing.
func (f *file) addRule(allow bool, value string, n int) {
	f.agents = false
	if value == "" || value[0] != '/' && value[0] != '*' || !f.mine.open && !f.all.open {
		return
	}
	pattern, octets := normalPattern(value)
	r := rule{allow: allow, pattern: pattern, octets: octets, value: value, line: n}
	for _, g := range []*group{&f.mine, &f.all} {
		if g.open {
			g.rules = append(g.rules, r)
		}
	}
}

// addDelay takes in a Crawl-delay in seconds. Of several the longest counts. What
// follows a number, as in "10s" and "1,5", is not read.
func (f *file) addDelay(value string) {
	seconds, err := strconv.ParseFloat(value, 64)
	if end := strings.IndexFunc(value, func(r rune) bool { return r != '.' && (r < '0' || r > '9') }); err != nil && end > 0 {
		seconds, err = strconv.ParseFloat(value[:end], 64)
	}
	if err != nil || !(seconds >= 0) {
		return
	}
	delay := maxDelay
	if seconds < maxDelay.Seconds() {
		delay = time.Duration(seconds * float64(time.Second))
	}
	for _, g := range []*group{&f.mine, &f.all} {
		if g.open {
			g.delay = max(g.delay, delay)
		}
	}
}

// product returns the product token that s starts with. The RFC has letters,
// "-" and "_" in it; digits and letters of other scripts, which happen, count
// too, or agent1 and agent2 would be one.
func product(s string) string {
	for i := range len(s) {
		if c := s[i]; !(c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c >= 0x80) {
			return s[:i]
		}
	}
	return s
}

// Token returns the product token of a crawler, which robots.txt and robots
// directives in pages know it by, given it or a User-Agent header: the first in
// it, or the one behind "compatible;". It is in lower case, and empty where there
// is none.
func Token(agent string) string {
	if _, after, ok := strings.Cut(agent, "compatible;"); ok {
		agent = after
	}
	return strings.ToLower(product(strings.TrimSpace(agent)))
}

// decode cuts a body to size and returns it as UTF-8 without byte order mark.
// Marks that were cut themselves happen.
func decode(body []byte) string {
	if len(body) > maxBody {
		body = body[:maxBody]
		body = body[:bytes.LastIndexAny(body, "\r\n")+1]
	}
	if order, mark := sixteenBit(body); order != nil {
		var units []uint16
		for pair := range slices.Chunk(body[mark:], 2) {
			if len(pair) == 2 {
				units = append(units, order.Uint16(pair))
			}
		}
		return string(utf16.Decode(units))
	}
	for _, mark := range []string{"\xef\xbb\xbf", "\xef\xbb", "\xef"} {
		if rest, ok := bytes.CutPrefix(body, []byte(mark)); ok {
			return string(rest)
		}
	}
	return string(body)
}

// sixteenBit tells UTF-16 by its byte order mark, of which it returns the length, or
// by the zeros of its first two characters. order is nil for all else.
func sixteenBit(body []byte) (order binary.ByteOrder, mark int) {
	switch {
	case bytes.HasPrefix(body, []byte("\xfe\xff")):
		return binary.BigEndian, 2
	case bytes.HasPrefix(body, []byte("\xff\xfe")):
		return binary.LittleEndian, 2
	case len(body) < 4:
		return nil, 0
	case body[0] != 0 && body[1] == 0 && body[2] != 0 && body[3] == 0:
		return binary.LittleEndian, 0
	case body[0] == 0 && body[1] != 0 && body[2] == 0 && body[3] != 0:
		return binary.BigEndian, 0
	}
	return nil, 0
}
