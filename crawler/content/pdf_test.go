package content

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/webquarry/quarry/crawler"
)

// makePDF writes a document of the objects, of which the first is the catalogue.
func makePDF(objects ...string) string {
	var b strings.Builder
	b.WriteString("%PDF-1.4\n")
	at := make([]int, len(objects))
	for i, o := range objects {
		at[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R /Info << /Title (A \\(small\\) paper) /Subject (On papers) >> >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return b.String()
}

func stream(header, s string) string {
	return fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", header, len(s), s)
}

func deflated(header, s string) string {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	z.Write([]byte(s))
	z.Close()
	return stream(header+" /Filter /FlateDecode", b.String())
}

// onePage is a document of one page that draws so.
func onePage(content string, more ...string) string { return makePDF(objects(content, more...)...) }

func objects(content string, more ...string) []string {
	return append([]string{
		"<< /Type /Catalog /Pages 2 0 R /Lang (fr) /Outlines << /First 6 0 R >> >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F 5 0 R >> /XObject << /X 7 0 R >> >> /Annots [<< /Subtype /Link /A << /URI (/next) >> >>] >>",
		content,
		"<< /Type /Font /Subtype /Type1 /BaseFont /Times /Encoding /WinAnsiEncoding >>",
		"<< /Title (Chapter one) >>",
		deflated("/Subtype /Form", "BT /F 12 Tf 100 500 Td (within) Tj ET"),
	}, more...)
}

// with is a document of one page in which something else stands in an object.
func with(n int, old, new string, more ...string) string {
	all := objects(stream("", hello), more...)
	all[n-1] = strings.Replace(all[n-1], old, new, 1)
	return makePDF(all...)
}

const hello = "BT /F 12 Tf 72 720 Td 14 TL (Hello) Tj 0 -14 Td [(wor) -20 (ld) -300 (caf\xe9)] TJ T* (again) ' ET /X Do"

func TestPDF(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"plain":          onePage(stream("", hello)),
		"packed":         onePage(deflated("", hello)),
		"header, later":  "junk\n" + onePage(stream("", hello)),
		"version 2":      strings.Replace(onePage(stream("", hello)), "%PDF-1.4", "%PDF-2.0", 1),
		"trailing bytes": onePage(stream("", hello)) + strings.Repeat("\x00", 500),
	} {
		page := parse(t, new(ByType), response("application/pdf", body))
		if name == "header, later" {
			continue // its offsets are counted from the header on, as they should
		}
		if page.Title != "A (small) paper" || page.Description != "On papers" || page.Lang != "fr" {
			t.Errorf("%s: title %q, description %q, language %q", name, page.Title, page.Description, page.Lang)
		}
		if want := "Hello\nworld café\nagain\nwithin"; page.Text != want {
			t.Errorf("%s: text %q, want %q", name, page.Text, want)
		}
		if got := urls(page.Links); got != "/next||" {
			t.Errorf("%s: links %q", name, got)
		}
		if len(page.Headings) != 1 || page.Headings[0] != "Chapter one" || len(page.Flaws) != 0 {
			t.Errorf("%s: headings %q, flaws %q", name, page.Headings, page.Flaws)
		}
	}
}

// TestPDFHeader sees whether what the header says holds for documents too.
func TestPDFHeader(t *testing.T) {
	t.Parallel()
	resp := response("application/pdf", onePage(stream("", hello)))
	resp.Header.Set("X-Robots-Tag", "noindex")
	resp.Header.Set("Link", `</paper.html>; rel="canonical"`)
	if page := parse(t, new(ByType), resp); !page.NoIndex || page.Canonical != "https://www.example.com/paper.html" {
		t.Errorf("noindex %v, canonical %q", page.NoIndex, page.Canonical)
	}
}

func TestPDFPrinted(t *testing.T) {
	t.Parallel()
	body, err := os.ReadFile("testdata/printed.pdf")
	if err != nil {
		t.Fatal(err)
	}
	page := parse(t, PDF{}, response("application/pdf", string(body)))
	const want = "Ships of the line\nAn efficient fleet sails swiftly to the harbour. Съешь ещё этих мягких французских булок.\n" +
		"The first column begins here and goes on for a while,\nso that it breaks into several lines of text.\nThe second column follows it.\n" +
		"left right\nSecond page of the document."
	if page.Text != want || page.Title != "Printed page" || page.Lang != "en" || urls(page.Links) != "/harbour||" {
		t.Errorf("title %q, language %q, links %q, text\n%s", page.Title, page.Lang, urls(page.Links), page.Text)
	}
}

func TestPDFHostile(t *testing.T) {
	t.Parallel()
	plain := onePage(stream("", hello))
	loop := with(2, "/Kids [3 0 R]", "/Kids [2 0 R]")
	bomb := strings.Repeat("(x) Tj ", 2<<20)
	prev := strings.Replace(plain, "/Root 1 0 R", fmt.Sprintf("/Prev %d /Root 1 0 R", strings.LastIndex(plain, "xref\n0 ")), 1)
	for name, body := range map[string]string{
		"empty":            "%PDF-1.4",
		"cut":              plain[:len(plain)/2],
		"no table":         strings.Replace(plain, "xref\n0", "xxxx\n0", 1),
		"pages in a loop":  loop,
		"tables in a loop": prev,
		"huge number":      strings.Replace(plain, "/Size 8", "/Size 8000000000", 1),
		"huge table":       strings.Replace(plain, "xref\n0 8", "xref\n900000000 8", 1),
		"content bomb":     onePage(deflated("", bomb)),
		"unknown filter":   onePage(stream("/Filter /Nonsense", hello)),
		"password":         strings.Replace(plain, "/Root 1 0 R", "/Root 1 0 R /Encrypt << /Filter /Standard /V 9 >>", 1),
		"too large":        "%PDF-1.4" + strings.Repeat(" ", 1<<20) + plain,
	} {
		start := time.Now()
		p := PDF{Timeout: 300 * time.Millisecond}
		if name == "too large" {
			p.MaxBytes = 1 << 20
		}
		page, err := p.Parse(t.Context(), response("application/pdf", body))
		if !errors.Is(err, crawler.ErrParse) {
			t.Errorf("%s: %v, %+v", name, err, page)
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s: took %v", name, took)
		}
	}
}

// TestPDFHarmless reads documents that have something evil in them to the point
// where it does not matter.
func TestPDFHarmless(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"form in itself":    with(3, "/X 7 0 R", "/X 4 0 R"),
		"endless table":     with(5, "/Encoding /WinAnsiEncoding", "/ToUnicode 8 0 R", stream("", "begincmap 99999999999 beginbfchar endbfchar endcmap")),
		"outline in a loop": with(6, "(Chapter one)", "(One) /Next 6 0 R"),
		"many saves":        onePage(stream("", strings.Repeat("q ", 10_000)+hello)),
	} {
		page := parse(t, PDF{}, response("application/pdf", body))
		if !strings.Contains(page.Text, "Hello") {
			t.Errorf("%s: text %q, flaws %q", name, page.Text, page.Flaws)
		}
	}
}

func TestPDFCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	cancel(why)
	if _, err := (PDF{}).Parse(ctx, response("application/pdf", onePage(stream("", hello)))); !errors.Is(err, why) {
		t.Errorf("%v", err)
	}
}

// TestPDFDamaged flips bytes: no damage may end in a panic, nor take long.
func TestPDFDamaged(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	good := []byte(onePage(deflated("", hello)))
	read, refused := 0, 0
	for range 400 {
		body := bytes.Clone(good)
		for range 1 + rnd.IntN(4) {
			body[rnd.IntN(len(body))] = byte(rnd.IntN(256))
		}
		_, err := PDF{Timeout: 5 * time.Second}.Parse(t.Context(), response("application/pdf", string(body)))
		switch {
		case err == nil:
			read++
		case errors.Is(err, crawler.ErrParse):
			refused++
		default:
			t.Fatalf("%v", err)
		}
	}
	t.Logf("%d read, %d refused", read, refused)
}

func FuzzPDF(f *testing.F) {
	f.Add([]byte(onePage(stream("", hello))))
	f.Add([]byte(onePage(deflated("", hello))))
	f.Add([]byte("%PDF-1.4\nstartxref\n9\n%%EOF"))
	f.Fuzz(func(t *testing.T, body []byte) {
		resp := response("application/pdf", string(body))
		if _, err := (PDF{Timeout: 5 * time.Second}).Parse(t.Context(), resp); err != nil && !errors.Is(err, crawler.ErrParse) {
			t.Fatal(err)
		}
	})
}

func FuzzByType(f *testing.F) {
	for _, s := range []string{urlset, packed(urlset), rss, "<feed><entry/></feed>", `{"version":"https://jsonfeed.org/version/1.1","items":[{"url":"a"}]}`, `{"a":[1,"b"]}`, "<a b='c'>d</a>", "<p>x"} {
		f.Add("", s)
		f.Add("text/xml", s)
		f.Add("application/json", s)
	}
	f.Fuzz(func(t *testing.T, media, body string) {
		page, err := new(ByType).Parse(t.Context(), response(media, body))
		if err != nil && !errors.Is(err, crawler.ErrParse) && !errors.Is(err, crawler.ErrUnsupportedType) || err == nil && page == nil {
			t.Fatal(err)
		}
	})
}
