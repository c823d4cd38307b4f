package urlnorm

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
)

// encodeQuery percent-encodes the characters of ref's query that are not
// ASCII by the encoding of the page it stands on. A path is always UTF-8.
func encodeQuery(ref, charset string) string {
	head, query, ok := strings.Cut(ref, "?")
	if !ok || ascii(query) {
		return ref
	}
	enc, err := htmlindex.Get(charset)
	if err != nil {
		return ref
	}
	switch label, _ := htmlindex.Name(enc); label {
	case "utf-8", "utf-16be", "utf-16le", "replacement": // written as UTF-8
		return ref
	}
	var b strings.Builder
	b.WriteString(head)
	b.WriteByte('?')
	encoder := enc.NewEncoder()
	for query != "" {
		n := encodable(encoder, query)
		writeEncoded(&b, encoder, query[:n])
		if query = query[n:]; query == "" {
			break
		}
		r, size := utf8.DecodeRuneInString(query)
		fmt.Fprintf(&b, "%%26%%23%d%%3B", r) // &#1234; as a form would send it
		query = query[size:]
	}
	return b.String()
}

// encodable returns the length of the start of s that enc can write.
func encodable(enc *encoding.Encoder, s string) int {
	for i, r := range s {
		if r < 0x80 {
			continue
		}
		if _, err := enc.String(string(r)); err != nil {
			return i
		}
	}
	return len(s)
}

// writeEncoded writes s by enc, as the parser expects a query.
func writeEncoded(b *strings.Builder, enc *encoding.Encoder, s string) {
	out, err := enc.String(s)
	if err != nil { // cannot be: each rune was tried
		out = s
	}
	for i := 0; i < len(out); i++ {
		if c := out[i]; c < 0x80 && c != '#' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(b, "%%%02X", c)
		}
	}
}
