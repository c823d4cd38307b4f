package content

import (
	"bytes"
	"strings"

	"golang.org/x/text/encoding/unicode"

	"github.com/webquarry/quarry/crawler"
)

// inUTF8 returns a body of XML or JSON in UTF-8, without byte order mark and
// without the XML declaration, which would speak of another encoding, and what
// was wrong with its bytes.
func inUTF8(resp *crawler.Response) (body []byte, flaws []string) {
	body = resp.Body
	switch head := body[:min(len(body), 4)]; {
	case len(head) == 4 && head[0] != 0 && head[1] == 0 && head[3] == 0 && head[0] != 0xff:
		body, _ = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder().Bytes(body) // it does not fail
	case len(head) == 4 && head[0] == 0 && head[1] != 0 && head[2] == 0:
		body, _ = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder().Bytes(body)
	default:
		contentType := resp.Header.Get("Content-Type")
		if label := declaredInXML(body); label != "" && !strings.Contains(strings.ToLower(contentType), "charset") {
			contentType = "application/xml; charset=" + label
		}
		language := resp.Header.Get("Content-Language")
		if strings.Contains(language, ",") {
			language = ""
		}
		var flaw string
		if body, flaw = crawler.ToUTF8(body, contentType, language); flaw != "" {
			flaws = append(flaws, flaw)
		}
	}
	if rest := bytes.TrimLeft(body, " \t\r\n\ufeff"); bytes.HasPrefix(rest, []byte("<?xml")) {
		if _, after, ok := bytes.Cut(rest, []byte("?>")); ok {
			body = after
		}
	}
	return body, flaws
}

// declaredInXML returns the encoding that an XML declaration names.
func declaredInXML(body []byte) string {
	head := strings.TrimLeft(string(body[:min(len(body), 1024)]), " \t\r\n\ufeff")
	if !strings.HasPrefix(head, "<?xml") {
		return ""
	}
	head, _, _ = strings.Cut(head, "?>")
	_, after, _ := strings.Cut(head, "encoding")
	after = strings.TrimLeft(after, " \t\r\n=")
	if after == "" || after[0] != '"' && after[0] != '\'' {
		return ""
	}
	label, _, _ := strings.Cut(after[1:], after[:1])
	return strings.Trim(label, " ;")
}

// xmlText replaces the characters that XML does not have, which its readers stop
// at.
func xmlText(body []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff {
			return ' '
		}
		return r
	}, body)
}
