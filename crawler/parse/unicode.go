package parse

import (
	"bytes"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/unicode"

	"github.com/webquarry/quarry/crawler"
)

// inUTF8 returns a body of XML or JSON in UTF-8 without byte order mark, and
// whether it was made so, whatever the body itself declares: from UTF-16, or,
// where it is not UTF-8 and declares nothing, from what the Content-Type says or
// else windows-1252.
func inUTF8(resp *crawler.Response) (body []byte, made bool) {
	body = resp.Body
	from := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	switch head := body[:min(len(body), 4)]; {
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
	case len(head) == 4 && head[0] != 0 && head[1] == 0 && head[3] == 0:
	case len(head) == 4 && head[0] == 0 && head[1] != 0 && head[2] == 0:
		from = unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	default:
		body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
		if utf8.Valid(body) || bytes.Contains(body[:min(len(body), 200)], []byte("encoding=")) {
			return body, false
		}
		_, params, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
		enc, name := charset.Lookup(params["charset"])
		if enc == nil || name == "utf-8" || name == "replacement" || strings.HasPrefix(name, "utf-16") {
			enc, _ = charset.Lookup("windows-1252")
		}
		from = enc
	}
	out, err := from.NewDecoder().Bytes(body)
	if err != nil {
		return body, false
	}
	return out, true
}
