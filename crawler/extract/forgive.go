package extract

import (
	"bytes"
	"strings"
)

// forgive makes JSON of what people write for it: without comments, commas
// before a closing bracket, marks of CDATA and HTML comments, semicolons
// between values, control characters and wrong escapes in strings. What is JSON
// stays the same value.
func forgive(s string) []byte {
	f := forgiver{in: strings.TrimPrefix(s, "\ufeff"), out: make([]byte, 0, len(s))}
	for f.at < len(f.in) {
		f.step()
	}
	return f.out
}

type forgiver struct {
	in  string
	at  int
	out []byte
}

// step copies or skips what comes next.
func (f *forgiver) step() {
	rest := f.in[f.at:]
	if end := strings.Index(rest, "-->"); end > 0 && strings.HasPrefix(rest, "<!--") && !strings.ContainsAny(rest[:end], "{[") { // a comment, and not the JSON in one
		f.at += end + len("-->")
		return
	}
	for _, m := range []string{"<![CDATA[", "]]>", "<!--", "-->"} {
		if strings.HasPrefix(rest, m) {
			f.at += len(m)
			return
		}
	}
	switch c := rest[0]; {
	case c == '"':
		f.text()
	case strings.HasPrefix(rest, "//"):
		f.skipTo("\n")
	case strings.HasPrefix(rest, "/*"):
		f.skipTo("*/")
	case c == ']' || c == '}':
		f.dropComma()
		f.out = append(f.out, c)
		f.at++
	case c == ';' || c < ' ':
		f.out = append(f.out, ' ')
		f.at++
	default:
		f.out = append(f.out, c)
		f.at++
	}
}

func (f *forgiver) skipTo(end string) {
	i := strings.Index(f.in[f.at:], end)
	if i < 0 {
		f.at = len(f.in)
		return
	}
	f.at += i + len(end)
}

// dropComma takes back a comma with nothing but space after it.
func (f *forgiver) dropComma() {
	if t := bytes.TrimRight(f.out, " "); bytes.HasSuffix(t, []byte{','}) {
		f.out = t[:len(t)-1]
	}
}

// text copies a string.
func (f *forgiver) text() {
	f.out = append(f.out, '"')
	for f.at++; f.at < len(f.in); f.at++ {
		switch c := f.in[f.at]; {
		case c == '"':
			f.out = append(f.out, c)
			f.at++
			return
		case c == '\\':
			f.escape()
		case c == '\n' || c == '\r' || c == '\t':
			f.out = append(f.out, '\\', map[byte]byte{'\n': 'n', '\r': 'r', '\t': 't'}[c])
		case c < ' ':
		default:
			f.out = append(f.out, c)
		}
	}
}

// escape copies an escape, or what an unknown one stands for.
func (f *forgiver) escape() {
	if f.at+1 == len(f.in) {
		return
	}
	f.at++
	switch c := f.in[f.at]; {
	case strings.IndexByte(`"\/bfnrt`, c) >= 0, c == 'u' && hex4(f.in[f.at+1:]):
		f.out = append(f.out, '\\', c)
	case c == '\n' || c == '\r' || c < ' ':
	default:
		f.out = append(f.out, c)
	}
}

func hex4(s string) bool {
	if len(s) < 4 {
		return false
	}
	for _, c := range []byte(s[:4]) {
		if !strings.ContainsRune("0123456789abcdefABCDEF", rune(c)) {
			return false
		}
	}
	return true
}
