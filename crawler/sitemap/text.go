package sitemap

import (
	"bufio"
	"bytes"
	"errors"
	"strconv"
	"strings"
)

// hopeless is how many lines that are no URL show that a text is no sitemap.
const hopeless = 100

// readText reads a list of one URL a line.
func (w *walk) readText() {
	lines := bufio.NewScanner(w.in)
	lines.Buffer(make([]byte, 0, 4<<10), maxToken)
	lines.Split(splitLines)
	bad := 0
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		switch {
		case line == "":
		case hasScheme(line):
			if !w.give(Entry{URL: line, Priority: 0.5}) {
				return
			}
		default:
			if bad++; bad == 1 && w.count > 0 {
				w.note(ErrMalformed, errors.New("no URL: "+clip(line, 80)))
			} else if bad == hopeless && w.count == 0 {
				w.note(ErrNotSitemap, errors.New("text without URLs"))
				return
			}
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		w.note(ErrMalformed, err)
	case err != nil:
		w.failed(err)
	case w.count == 0 && len(w.trouble) == 0:
		w.note(ErrNotSitemap, errors.New("text without URLs"))
	}
}

// splitLines is bufio.ScanLines for any line end.
func splitLines(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if i := bytes.IndexAny(data, "\r\n"); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

// appendText appends the text that a run of XML stands for. References to
// characters and the five entities that XML has are replaced; an ampersand that
// begins none of them stands for itself.
func appendText(dst, raw []byte) []byte {
	if rest, ok := bytes.CutPrefix(raw, []byte("<![CDATA[")); ok {
		return append(dst, bytes.TrimSuffix(rest, []byte("]]>"))...)
	}
	for {
		i := bytes.IndexByte(raw, '&')
		if i < 0 {
			return append(dst, raw...)
		}
		dst = append(dst, raw[:i]...)
		raw = raw[i:]
		end := bytes.IndexByte(raw[:min(len(raw), 12)], ';')
		var ok bool
		if end > 0 {
			dst, ok = appendReference(dst, string(raw[1:end]))
		}
		if ok {
			raw = raw[end+1:]
		} else {
			dst = append(dst, '&')
			raw = raw[1:]
		}
	}
}

func appendReference(dst []byte, name string) ([]byte, bool) {
	switch name {
	case "amp":
		return append(dst, '&'), true
	case "lt":
		return append(dst, '<'), true
	case "gt":
		return append(dst, '>'), true
	case "quot":
		return append(dst, '"'), true
	case "apos":
		return append(dst, '\''), true
	}
	number, ok := strings.CutPrefix(name, "#")
	if !ok {
		return dst, false
	}
	base := 10
	if hex, ok := strings.CutPrefix(strings.ToLower(number), "x"); ok {
		number, base = hex, 16
	}
	n, err := strconv.ParseUint(number, base, 21)
	if err != nil || n == 0 {
		return dst, false
	}
	return append(dst, string(rune(n))...), true
}
