package charset

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	whatwg "golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

// prescanned is how much of a page is searched for its declared encoding. The
// HTML standard asks for 1024 bytes; pages with long comments declare later.
const prescanned = 4 << 10

// Text is a body as valid UTF-8 without byte order mark.
type Text struct {
	Body    []byte
	Charset string // WHATWG name of the encoding that it was in
	Flaw    string // what was wrong with the body or its declaration; empty: nothing
}

// Decode reads a body in the encoding that, in this order, its byte order mark, the
// Content-Type header, its own declaration in XML or HTML, its being valid UTF-8 and
// the statistics of its bytes speak for. language, from a Content-Language header or
// empty, is a hint for the last. What is no text in that encoding becomes U+FFFD.
func Decode(body []byte, contentType, language string) Text {
	if name, size := ByteOrderMark(body); name != "" {
		return decodeAs(name, body[size:], "")
	}
	head := body[:min(len(body), prescanned)]
	header := Name(InHeader(contentType))
	if strings.HasPrefix(header, "utf-16") && bytes.IndexByte(head, 0) < 0 {
		header = "" // no text in UTF-16 with a tag in it lacks zeros
	}
	declared := header
	if declared == "" {
		declared = metaCharset(head)
	}
	switch declared {
	case "":
		name, flaw := guessCharset(body, head, language)
		return decodeAs(name, body, flaw)
	case "utf-8":
		if name := contradicted(body, head, header != "", language); name != "" {
			return decodeAs(name, body, "charset: declared utf-8, read as "+name)
		}
	case "windows-1252": // which servers send where nobody has set anything
		if provesUTF8(body) {
			return decodeAs("utf-8", body, "charset: declared windows-1252, read as utf-8")
		}
	}
	return decodeAs(declared, body, "")
}

// decodeAs decodes body from a named encoding.
func decodeAs(name string, body []byte, flaw string) Text {
	t := Text{Body: body, Charset: name, Flaw: flaw}
	var enc encoding.Encoding = unicode.UTF8
	switch name {
	case "utf-8":
		if whole := trimPartialRune(body); utf8.Valid(whole) {
			t.Body = whole
			return t
		}
		if t.Flaw == "" {
			t.Flaw = "charset: not valid utf-8"
		}
	case "gbk":
		enc = simplifiedchinese.GB18030 // as the standard decodes it
	case "ibm855":
		enc = charmap.CodePage855
	default:
		enc, _ = whatwg.Lookup(name)
	}
	out, err := enc.NewDecoder().Bytes(body)
	if err != nil { // no decoder fails: what it cannot read it replaces
		out = bytes.ToValidUTF8(body, []byte("\uFFFD"))
	}
	t.Body = out
	return t
}

// ByteOrderMark returns the encoding that the start of body proves, and the
// length of the mark.
func ByteOrderMark(body []byte) (name string, size int) {
	switch {
	case bytes.HasPrefix(body, []byte("\xef\xbb\xbf")):
		return "utf-8", 3
	case bytes.HasPrefix(body, []byte("\xff\xfe")):
		return "utf-16le", 2
	case bytes.HasPrefix(body, []byte("\xfe\xff")):
		return "utf-16be", 2
	}
	return "", 0
}

// Name returns the WHATWG name of the encoding that a label stands
// for, and nothing for labels without a usable one.
func Name(label string) string {
	if label == "" {
		return ""
	}
	switch _, name := whatwg.Lookup(label); name {
	case "":
		return windowsName(label)
	case "replacement":
		return "" // encodings browsers refuse; bytes decide
	default:
		return name
	}
}

// windowsName is Name for names by number that browsers do not know.
func windowsName(label string) string {
	switch strings.ToLower(strings.TrimSpace(label)) {
	case "cp932":
		return "shift_jis"
	case "cp936":
		return "gbk"
	case "cp949", "uhc":
		return "euc-kr"
	case "cp950":
		return "big5"
	case "cp65001":
		return "utf-8"
	case "cp855", "ibm855":
		return "ibm855"
	}
	return ""
}

// InHeader finds the label in a Content-Type header, in which quotes may be
// without end and hold backslashes (WHATWG MIME Sniffing, 4.4).
func InHeader(s string) string {
	if i := indexFold(s, "charset="); i >= 0 {
		if quoted, ok := strings.CutPrefix(s[i+len("charset="):], "\""); ok {
			var label strings.Builder
			for i := 0; i < len(quoted) && quoted[i] != '"'; i++ {
				if quoted[i] == '\\' && i+1 < len(quoted) {
					i++
				}
				label.WriteByte(quoted[i])
			}
			return label.String()
		}
	}
	return charsetParam(s)
}

// charsetParam finds the label after "charset=" in a media type, as the HTML
// standard does for the content of meta elements.
func charsetParam(s string) string {
	for {
		i := indexFold(s, "charset")
		if i < 0 {
			return ""
		}
		s = strings.TrimLeft(s[i+len("charset"):], space)
		if !strings.HasPrefix(s, "=") {
			continue
		}
		s = strings.TrimLeft(s[1:], space)
		if s == "" {
			return ""
		}
		if q := s[0]; q == '"' || q == '\'' {
			label, _, closed := strings.Cut(s[1:], s[:1])
			if !closed {
				return ""
			}
			return label
		}
		if end := strings.IndexAny(s, ";"+space); end >= 0 {
			s = s[:end]
		}
		return s
	}
}

// metaCharset searches the start of a page for an encoding declared in a meta
// element or an XML declaration.
func metaCharset(head []byte) string {
	z := html.NewTokenizer(bytes.NewReader(head))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return xmlCharset(head)
		case html.StartTagToken, html.SelfClosingTagToken:
			z.NextIsNotRawText() // a browser's prescan knows no scripts either
			name, more := z.TagName()
			if string(name) != "meta" {
				continue
			}
			if name := metaDeclaration(z, more); name != "" {
				return name
			}
		}
	}
}

// metaDeclaration reads the attributes of a meta element.
func metaDeclaration(z *html.Tokenizer, more bool) string {
	var direct, content string
	var seen, pragma bool
	for more {
		var key, val []byte
		key, val, more = z.TagAttr()
		switch string(key) {
		case "http-equiv":
			pragma = pragma || strings.EqualFold(string(val), "content-type")
		case "content":
			if content == "" {
				content = charsetParam(string(val))
			}
		case "charset":
			if !seen {
				direct, seen = string(val), true
			}
		}
	}
	if !seen && pragma {
		direct = content
	}
	switch name := Name(direct); name {
	case "utf-16le", "utf-16be": // it was read as ASCII
		return "utf-8"
	case "x-user-defined":
		return "windows-1252"
	default:
		return name
	}
}

// xmlCharset reads the encoding of an XML declaration.
func xmlCharset(head []byte) string {
	if !bytes.HasPrefix(head, []byte("<?xml")) {
		return ""
	}
	decl, _, ok := bytes.Cut(head, []byte(">"))
	_, after, found := strings.Cut(string(decl), "encoding")
	after = strings.TrimLeft(after, space)
	if !ok || !found || !strings.HasPrefix(after, "=") {
		return ""
	}
	after = strings.TrimLeft(after[1:], space)
	if after == "" || after[0] != '"' && after[0] != '\'' {
		return ""
	}
	label, _, _ := strings.Cut(after[1:], after[:1])
	name := Name(label)
	if strings.HasPrefix(name, "utf-16") {
		return "utf-8"
	}
	return name
}

// space are the characters that HTML takes for white space.
const space = " \t\n\f\r"

// indexFold is strings.Index that takes upper and lower case of ASCII for the
// same. low must be in lower case.
func indexFold(s, low string) int {
	for i := 0; i+len(low) <= len(s); i++ {
		if s[i]|0x20 == low[0] && strings.EqualFold(s[i:i+len(low)], low) {
			return i
		}
	}
	return -1
}
