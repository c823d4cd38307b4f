package charset

import (
	"bytes"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/wlynxg/chardet"
)

const (
	sampled  = 32 << 10 // how much of a body the detector looks at
	searched = 64 << 10 // how far a late declaration is looked for, before guessing
)

// guessCharset names the encoding of a body that declares none. head is its
// start.
func guessCharset(body, head []byte, language string) (name, flaw string) {
	if name := SixteenBit(head); name != "" {
		return name, ""
	}
	first := firstHigh(body)
	switch {
	case first == len(body) && japanese7(body):
		return "iso-2022-jp", ""
	case first == len(body):
		return "windows-1252", "" // plain ASCII: the standard's name for it
	case utf8.Valid(trimPartialRune(body)):
		return "utf-8", ""
	}
	name = metaCharset(body[:min(len(body), searched)])
	if name == "" {
		name = malformedMeta(head)
	}
	if name == "" || name == "utf-8" {
		if good, bad := countUTF8(body); good > bad {
			return "utf-8", "charset: not valid utf-8"
		}
		name = detectCharset(body[first:], head, language)
	}
	return name, "charset: undeclared, read as " + name
}

// contradicted names the encoding to read a body in that is declared as
// UTF-8 but is so little of it that the declaration must be wrong. It is empty
// when the declaration may stand, be it with some damage.
func contradicted(body, head []byte, byHeader bool, language string) string {
	const damage = 8 // so few broken bytes prove nothing
	first := firstHigh(body)
	if first == len(body) {
		if japanese7(body) {
			return "iso-2022-jp"
		}
		return ""
	}
	if utf8.Valid(trimPartialRune(body)) {
		return ""
	}
	if good, bad := countUTF8(body); bad < damage || good > bad {
		return ""
	}
	if byHeader {
		if name := metaCharset(head); name != "" && name != "utf-8" {
			return name
		}
	}
	return detectCharset(body[first:], head, language)
}

// provesUTF8 reports whether a body is UTF-8, and with so many characters beyond
// ASCII that it is nothing else: as Windows-1252 they would be pairs of signs that
// nobody writes.
func provesUTF8(body []byte) bool {
	const proof = 2
	body = trimPartialRune(body)
	if firstHigh(body) == len(body) || !utf8.Valid(body) {
		return false
	}
	good, _ := countUTF8(body)
	return good >= proof
}

// countUTF8 counts the characters beyond ASCII and the bytes that are part of
// none.
func countUTF8(body []byte) (good, bad int) {
	for {
		body = body[firstHigh(body):]
		if len(body) == 0 {
			return good, bad
		}
		r, size := utf8.DecodeRune(body)
		if r == utf8.RuneError && size == 1 {
			bad++
		} else {
			good++
		}
		body = body[size:]
	}
}

// japanese7 recognises the escapes of ISO-2022-JP in what looks like ASCII.
func japanese7(body []byte) bool {
	return bytes.Contains(body, []byte("\x1b$B")) || bytes.Contains(body, []byte("\x1b$@"))
}

// SixteenBit recognises UTF-16 without byte order mark by the zeros of its
// first ASCII characters.
func SixteenBit(head []byte) string {
	head = head[:min(len(head), 32)&^1]
	if len(head) < 4 {
		return ""
	}
	var even, odd int
	for i := 0; i < len(head); i += 2 {
		if head[i] == 0 && head[i+1] != 0 {
			even++
		}
		if head[i+1] == 0 && head[i] != 0 {
			odd++
		}
	}
	switch most := len(head) / 2 * 3 / 4; {
	case even > most && odd == 0:
		return "utf-16be"
	case odd > most && even == 0:
		return "utf-16le"
	}
	return ""
}

// malformedMeta finds the encoding in a meta element that is too broken to
// count as a declaration, but says "charset=" all the same.
func malformedMeta(head []byte) string {
	s := string(head)
	for {
		i := indexFold(s, "<meta")
		if i < 0 {
			return ""
		}
		s = s[i+len("<meta"):]
		tag, _, _ := strings.Cut(s, ">")
		label := strings.Trim(charsetParam(tag), `"'/`)
		if name := Name(label); name != "" && !strings.HasPrefix(name, "utf-16") {
			return name
		}
	}
}

// detectCharset judges by the statistics of the bytes. high starts with the
// first byte that is not ASCII.
func detectCharset(high, head []byte, language string) string {
	sample := high[:min(len(high), sampled)]
	if language == "" {
		language = langAttribute(head)
	}
	language, _, _ = strings.Cut(strings.ToLower(language), "-")
	found := chardet.Detect(sample)
	name, certain := Name(found.Charset), found.Confidence >= 0.5
	switch name {
	case "windows-1251", "koi8-r", "iso-8859-5", "x-mac-cyrillic", "ibm866":
		name = inScript(sample, math.Inf(-1))
	case "", "utf-8", "macintosh", "windows-1252", "iso-8859-2", "windows-1250", "iso-8859-9", "windows-1254", "utf-16le", "utf-16be":
		certain = false
	}
	if certain {
		return name
	}
	if dense(sample) {
		if name := inScript(sample, 0); name != "" {
			return name
		}
	}
	if name := regional(language); name != "" {
		return name
	}
	return latin(sample, language)
}

// regional returns the encoding that browsers assume for undeclared pages in a
// language (HTML standard, "determining the character encoding"), but for those
// in Latin script, which [latin] tells apart.
func regional(language string) string {
	switch language {
	case "ru", "uk", "be", "bg", "mk", "sr", "ky", "tg", "mn":
		return "windows-1251"
	case "el":
		return "iso-8859-7"
	case "he", "yi":
		return "windows-1255"
	case "ar", "fa", "ur":
		return "windows-1256"
	case "vi":
		return "windows-1258"
	case "th":
		return "windows-874"
	}
	return ""
}

// langAttribute returns the lang attribute of the html element.
func langAttribute(head []byte) string {
	s := string(head)
	i := indexFold(s, "<html")
	if i < 0 {
		return ""
	}
	tag, _, _ := strings.Cut(s[i:], ">")
	if i = indexFold(tag, "lang="); i < 0 {
		return ""
	}
	value := strings.TrimLeft(tag[i+len("lang="):], `"'`)
	if end := strings.IndexAny(value, `"'/`+space); end >= 0 {
		value = value[:end]
	}
	return value
}

// firstHigh returns the index of the first byte that is not ASCII.
func firstHigh(body []byte) int {
	for i, c := range body {
		if c >= utf8.RuneSelf {
			return i
		}
	}
	return len(body)
}

// trimPartialRune drops a last character that was cut in the middle.
func trimPartialRune(body []byte) []byte {
	for i := 1; i <= min(len(body), utf8.UTFMax-1); i++ {
		if c := body[len(body)-i]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(body[len(body)-i:]) {
				return body[:len(body)-i]
			}
			break
		}
	}
	return body
}
