package content_test

import (
	"net/http"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/content"
)

func sixteen(s string, big bool) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		if big {
			b.WriteString(string([]byte{byte(u >> 8), byte(u)}))
		} else {
			b.WriteString(string([]byte{byte(u), byte(u >> 8)}))
		}
	}
	return b.String()
}

// TestEncodings: XML and JSON are read in whatever encoding they come.
func TestEncodings(t *testing.T) {
	t.Parallel()
	doc := `<?xml version="1.0" encoding="UTF-16"?><r><t>Grüße</t></r>`
	for name, c := range map[string]struct{ media, body string }{
		"XML, UTF-16LE with mark":   {"application/xml", sixteen("\ufeff"+doc, false)},
		"XML, UTF-16BE with mark":   {"application/xml", sixteen("\ufeff"+doc, true)},
		"XML, UTF-16LE":             {"application/xml", sixteen(doc, false)},
		"XML, UTF-16BE":             {"application/xml", sixteen(doc, true)},
		"XML, by header":            {"application/xml; charset=iso-8859-1", "<r><t>Gr\xfc\xdfe</t></r>"},
		"XML, undeclared":           {"application/xml", "<r><t>Gr\xfc\xdfe</t></r>"},
		"XML, declared":             {"application/xml", "<?xml version=\"1.0\" encoding=\"iso-8859-1\"?><r><t>Gr\xfc\xdfe</t></r>"},
		"XML, UTF-8 with mark":      {"application/xml", "\ufeff<r><t>Grüße</t></r>"},
		"JSON, UTF-16LE with mark":  {"application/json", sixteen("\ufeff[\"Grüße\"]", false)},
		"JSON, UTF-16BE":            {"application/json", sixteen("[\"Grüße\"]", true)},
		"JSON, UTF-8 with mark":     {"application/json", "\ufeff[\"Grüße\"]"},
		"JSON, in Western European": {"application/json; charset=windows-1252", "[\"Gr\xfc\xdfe\"]"},
	} {
		p := &content.ByType{}
		page, err := p.Parse(t.Context(), &crawler.Response{URL: "http://a.test/x", Status: 200, Header: http.Header{"Content-Type": {c.media}}, Body: []byte(c.body)})
		if err != nil || page.Text != "Grüße" {
			t.Errorf("%s: %v, %v", name, page, err)
		}
	}
}

// TestPDFWithoutPages has a tree of pages that holds none.
func TestPDFWithoutPages(t *testing.T) {
	t.Parallel()
	const body = "%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[2 0 R]/Count 1>>\nendobj\n" +
		"xref\n0 3\n0000000000 65535 f \n0000000009 00000 n \n0000000054 00000 n \ntrailer<</Size 3/Root 1 0 R>>\nstartxref\n105\n%%EOF"
	_, err := (&content.ByType{}).Parse(t.Context(), &crawler.Response{URL: "http://a.test/x", Status: 200, Header: http.Header{"Content-Type": {"application/pdf"}}, Body: []byte(body)})
	if err == nil || strings.Contains(err.Error(), "%!") || !strings.Contains(err.Error(), "page tree has none") {
		t.Errorf("%v", err)
	}
}
