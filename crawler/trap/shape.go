package trap

import (
	"slices"
	"strings"
)

// shape is what the spelling of a URL tells.
type shape struct {
	host    string // origin
	text    []byte // the pattern, without host
	root    int    // text[:root] is where the pattern's family begins
	open    bool   // there is a placeholder, a repetition or a query
	repeats int    // how often in a row the path says the same; 1: it does not
	id      bool   // a part looks drawn by lot
	date    bool   // year and month, or more, are part of it
	grown   bool   // a query that holds what looks like another
	again   bool   // a query that has a name more than once
	names   int    // parameters of the query, or of a segment of the path
	asked   int    // text[:asked] is what they stand behind
}

const (
	maxPeriod  = 4  // segments that repeat together
	longPath   = 5  // segments, for fewer than half of them to be told apart
	longName   = 24 // bytes of a parameter's name beyond which it is none
	longValue  = 96 // bytes of a value that holds other values
	idLength   = 8  // letters and digits of an id in hexadecimal
	wordLength = 16 // and of another
)

// shapeOf folds a URL into its pattern: runs of digits become 0, ids #, segments
// that repeat are said once with a + behind, and of a query only the names stand.
// text is appended to buf.
//
//	http://a.test/2024/05/node12.html    /0/0/node0.html
//	http://a.test/s/9f86d081884c7d65/x   /s/#/x
//	http://a.test/a/b/a/b/a/b/           /a/b/+/
//	http://a.test/find?q=x&page=2        /find?page&q
func shapeOf(url string, buf []byte) shape {
	s := shape{repeats: 1}
	at := strings.Index(url, "://")
	if at < 0 {
		return s
	}
	path := url[at+3:]
	if i := strings.IndexAny(path, "/?#"); i < 0 {
		s.host, path = url, ""
	} else {
		s.host, path = url[:at+3+i], path[i:]
	}
	path, _, _ = strings.Cut(path, "#")
	path, query, asked := strings.Cut(path, "?")
	s.text = buf
	s.path(path)
	if asked {
		s.params('?', query)
	}
	if !s.open {
		s.root = len(s.text)
	}
	return s
}

// suspicious reports whether the spelling alone makes a URL one of those that traps are
// full of.
func (s *shape) suspicious() bool {
	return s != nil && (s.repeats > 1 || s.grown || s.again || s.id || s.date || s.names > 1)
}

// begin notes that the first part which varies stands behind text[:n].
func (s *shape) begin(n int) {
	if !s.open {
		s.open, s.root = true, n
	}
}

func (s *shape) path(path string) {
	var few [24]string
	segments := few[:0]
	for path != "" {
		path = path[1:] // the slash
		end := strings.IndexByte(path, '/')
		if end < 0 {
			end = len(path)
		}
		segments = append(segments, path[:end])
		path = path[end:]
	}
	if s.crowded(segments) {
		return
	}
	numbers := 0
	for i := 0; i < len(segments); i++ {
		period, times := repetition(segments[i:])
		for _, segment := range segments[i : i+period] {
			s.text = append(s.text, '/')
			segment, matrix, _ := strings.Cut(segment, ";")
			s.segment(segment)
			if matrix != "" {
				s.params(';', matrix)
			}
			numbers += dateParts(segment, numbers)
		}
		if times > 1 {
			s.repeats = max(s.repeats, times)
			s.begin(len(s.text))
			s.text = append(s.text, "/+"...)
			i += period*times - 1
			continue
		}
	}
	s.date = s.date || numbers >= 2
}

// crowded folds a long path that has the same few segments over and over, in
// whatever order, to the list of them.
func (s *shape) crowded(segments []string) bool {
	if n := len(segments); n > 0 && segments[n-1] == "" {
		segments = segments[:n-1]
	}
	if len(segments) < longPath {
		return false
	}
	distinct := slices.Clone(segments)
	slices.Sort(distinct)
	distinct = slices.Compact(distinct)
	if len(segments) <= 2*len(distinct) || len(distinct) == 1 || once(segments) == len(distinct) {
		return false
	}
	s.begin(0)
	s.repeats = max(len(segments)/len(distinct), 3)
	for _, segment := range distinct {
		s.text = append(s.text, '/')
		s.segment(segment)
	}
	s.text = append(s.text, "/+"...)
	return true
}

// once returns how many segments there are if those that repeat are said once.
func once(segments []string) (n int) {
	for i := 0; i < len(segments); {
		period, times := repetition(segments[i:])
		n += period
		i += period * times
	}
	return n
}

// repetition returns how many segments at the start repeat, and how often;
// 1, 1 when they do not. The empty segment behind the last slash is none.
func repetition(segments []string) (period, times int) {
	for p := 1; p <= maxPeriod && 2*p <= len(segments); p++ {
		if segments[0] == "" {
			break
		}
		n := 1
		for (n+1)*p <= len(segments) && slices.Equal(segments[:p], segments[n*p:(n+1)*p]) {
			n++
		}
		if n > 2 || n == 2 && strings.Trim(segments[0], "0123456789") != "" { // 05/05 is a date
			return p, n
		}
	}
	return 1, 1
}

// segment folds one segment of a path.
func (s *shape) segment(segment string) {
	slash := len(s.text)
	for segment != "" {
		n := 0
		for n < len(segment) && alphanumeric(segment[n]) {
			n++
		}
		if n == 0 {
			s.text = append(s.text, segment[0])
			segment = segment[1:]
			continue
		}
		word := segment[:n]
		segment = segment[n:]
		if drawn(word) {
			s.begin(slash)
			s.id = true
			s.text = append(s.text, '#')
			continue
		}
		for i := 0; i < len(word); i++ {
			if word[i] < '0' || word[i] > '9' {
				s.text = append(s.text, word[i])
			} else if i == 0 || word[i-1] < '0' || word[i-1] > '9' {
				s.begin(slash)
				s.text = append(s.text, '0')
			}
		}
	}
}

// dateParts returns 1 if a segment can be the next part of a date: a year, or a
// month or day behind one. A segment that is a whole date counts as two.
func dateParts(segment string, before int) int {
	digits := strings.Trim(segment, "0123456789") == ""
	switch {
	case before == 0 && digits && len(segment) == 4:
		return 1
	case before > 0 && digits && (len(segment) == 1 || len(segment) == 2):
		return 1
	case len(segment) == 8 && segment[4] == '-' && segment[5]|0x20 == 'w' && strings.Trim(segment[:4]+segment[6:], "0123456789") == "": // a week
		return 2
	case len(segment) >= 7 && len(segment) <= 10 && segment[4] == '-' && strings.Trim(segment, "0123456789-") == "":
		return 2
	}
	return 0
}

// params folds parameters to their names, sorted: those of a query, or of a segment of
// the path, which stand behind a semicolon (RFC 3986, 3.3).
func (s *shape) params(mark byte, query string) {
	s.begin(len(s.text))
	s.asked = len(s.text)
	s.text = append(s.text, mark)
	var few [16]string
	names := few[:0]
	for query != "" {
		var pair string
		if end := strings.IndexAny(query, "&;"); end >= 0 { // a semicolon as in HTML 4.01, appendix B.2.2
			pair, query = query[:end], query[end+1:]
		} else {
			pair, query = query, ""
		}
		name, value, _ := strings.Cut(pair, "=")
		if len(name) > longName || strings.Contains(name, "%") {
			name, s.grown = "*", true
		}
		if len(value) > longValue {
			s.grown = true
		}
		s.id = s.id || drawn(value)
		s.date = s.date || dateParts(value, 0) == 2
		names = append(names, name)
	}
	all := len(names)
	slices.Sort(names)
	names = slices.Compact(names)
	s.names, s.again = len(names), all > len(names)
	s.grown = s.grown || all > 2*len(names) && all > 2
	for i, name := range names {
		if i > 0 {
			s.text = append(s.text, '&')
		}
		s.text = append(s.text, name...)
	}
}

// drawn reports whether a word looks like an id drawn by lot.
func drawn(word string) bool {
	digits, letters, turns, hex := 0, 0, 0, true
	for i := range len(word) {
		c := word[i]
		switch {
		case c >= '0' && c <= '9':
			digits++
			if i > 0 && (word[i-1] < '0' || word[i-1] > '9') {
				turns++
			}
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			letters++
			hex = hex && c|0x20 <= 'f'
		default:
			return false
		}
	}
	if hex && len(word) >= idLength && digits >= 2 && letters >= 1 {
		return turns > 0 || len(word) >= wordLength
	}
	return len(word) >= wordLength && digits >= 3 && letters >= 3 && turns >= 2
}

func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}
