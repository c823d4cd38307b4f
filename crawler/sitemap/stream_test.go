package sitemap

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/webquarry/quarry/crawler/internal/keys"
	"github.com/webquarry/quarry/frontier"
)

// generated is a sitemap of n entries of some size that is made while it is read.
type generated struct {
	n, i, pad int
	buf       bytes.Buffer
	filler    string
}

func (g *generated) Read(b []byte) (int, error) {
	if g.filler == "" {
		g.filler = "</loc><lastmod>2020-02-03</lastmod><x>" + strings.Repeat("x", g.pad) + "</x></url>\n"
	}
	for g.buf.Len() < len(b) && g.i <= g.n {
		switch {
		case g.i == 0:
			g.buf.WriteString("<?xml version=\"1.0\"?><urlset>")
		default:
			g.buf.WriteString("<url><loc>https://www.example.com/" + strconv.Itoa(g.i) + g.filler)
		}
		if g.i++; g.i > g.n {
			g.buf.WriteString("</urlset>")
		}
	}
	return g.buf.Read(b)
}

// TestMemory reads a sitemap as large as the protocol allows. The heap must not
// grow with it.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("50 MB")
	}
	live := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := live()
	var peak uint64
	src := &generated{n: 50_000, pad: 900}
	n := 0
	start := time.Now()
	for e, err := range Read(src, at) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; e.URL != "https://www.example.com/"+strconv.Itoa(n) || e.Modified.IsZero() {
			t.Fatalf("entry %d: %+v", n, e)
		}
		if n%10_000 == 0 {
			peak = max(peak, live())
		}
	}
	if n != 50_000 {
		t.Errorf("%d entries", n)
	}
	extra := int64(peak) - int64(before)
	t.Logf("50,000 entries, %d MB: %d KiB more live heap at most, %v", src.pad*src.n>>20, extra>>10, time.Since(start))
	if extra > 4<<20 {
		t.Errorf("the heap grew by %d bytes", extra)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	all, err := Collect((&Reader{MaxEntries: 3}).Read(&generated{n: 4}, at))
	if len(all) != 3 || !errors.Is(err, ErrTooMany) {
		t.Errorf("%d entries, %v", len(all), err)
	}
	all, err = Collect((&Reader{MaxEntries: 4}).Read(&generated{n: 4}, at))
	if len(all) != 4 || err != nil {
		t.Errorf("%d entries, %v", len(all), err)
	}
	all, err = Collect((&Reader{MaxBytes: 10_000}).Read(&generated{n: 1000}, at))
	if len(all) < 50 || len(all) > 150 || !errors.Is(err, ErrTooLarge) || errors.Is(err, ErrTruncated) {
		t.Errorf("%d entries, %v", len(all), err)
	}
	// A bomb, packed twice.
	bomb := packed("<urlset><url><loc>https://www.example.com/a</loc></url><x>" + strings.Repeat("x", 16<<20))
	start := time.Now()
	all, err = Collect(Read(strings.NewReader(packed(bomb)), at))
	if len(all) != 1 || err == nil {
		t.Errorf("bomb: %d entries, %v", len(all), err)
	}
	t.Logf("bomb of %d bytes: %v, %v", len(bomb), err, time.Since(start))
	for name, body := range map[string]string{
		"long URL": "<urlset><url><loc>https://www.example.com/" + strings.Repeat("a", 100_000) + "</loc></url><url><loc>https://www.example.com/a</loc></url></urlset>",
		"long tag": "<urlset><url><loc>https://www.example.com/a</loc></url><x " + strings.Repeat("a", 2<<20),
		"nested":   "<urlset><url><loc>https://www.example.com/a</loc></url>" + strings.Repeat("<url>", 100_000),
		"spaces":   "<urlset><url><loc>https://www.example.com/a</loc></url>" + strings.Repeat("<a xmlns:a=b xmlns:c=d>", 10_000) + "</urlset>",
	} {
		if all, err := Collect(Read(strings.NewReader(body), at)); len(all) != 1 {
			t.Errorf("%s: %d entries, %v", name, len(all), err)
		}
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestSourceFails(t *testing.T) {
	t.Parallel()
	all, err := Collect(Read(io.MultiReader(strings.NewReader("<urlset><url><loc>https://www.example.com/a</loc></url>"), failing{}), at))
	if len(all) != 1 || !errors.Is(err, ErrRead) || !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("%d entries, %v", len(all), err)
	}
	if all, err = Collect(Read(failing{}, at)); len(all) != 0 || !errors.Is(err, ErrRead) {
		t.Errorf("%d entries, %v", len(all), err)
	}
}

func TestBreak(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		"<urlset><url><loc>/a</loc></url><url><loc>/b</loc></url><url>",
		"https://www.example.com/a\nhttps://www.example.com/b",
		`{"version":"https://jsonfeed.org/version/1","items":[{"url":"/a"},{"url":"/b"}`,
		"<feed><link rel=next href=/a /><link rel=next href=/b />",
	} {
		n := 0
		for e, err := range Read(strings.NewReader(body), at) {
			if n++; err != nil || e.URL != "https://www.example.com/a" {
				t.Errorf("%+v, %v", e, err)
			}
			break
		}
		if n != 1 {
			t.Errorf("%q: nothing", body)
		}
	}
}

func TestSniff(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]Format{
		"<urlset>":                    URLSet,
		packed("<sitemapindex>"):      Index,
		"<rss>":                       RSS,
		"<rdf:RDF>":                   RSS,
		"<?xml?><!-- x --><feed>":     Atom,
		"https://a.example/\n":        Text,
		"hello https://a.example/":    NotSitemap,
		"<!doctype html><urlset>":     NotSitemap,
		"<html>":                      NotSitemap,
		"":                            NotSitemap,
		"<":                           NotSitemap,
		"\x1f\x8b":                    NotSitemap,
		`{"a":1}`:                     NotSitemap,
		"\x89PNG\r\n\x1a\n\x00\x00IH": NotSitemap,
		`{"version":"https://jsonfeed.org/version/1.1"}`: JSONFeed,
	} {
		if got := Sniff([]byte(body)); got != want {
			t.Errorf("Sniff(%q) = %q, want %q", body, got, want)
		}
	}
}

func TestMark(t *testing.T) {
	t.Parallel()
	others := frontier.Meta{}.With("shop.price", "3")
	for value, want := range map[string]string{"0": "0 []", "2": "2 []", "0 a.example b.example": "0 [a.example b.example]", "": "no", "x": "no", "-1": "no"} {
		m := others.With(keys.Sitemap, value)
		depth, hosts, ok := Marked(m)
		got := fmt.Sprint(depth, " ", hosts)
		if !ok {
			got = "no"
		} else if Mark(others, depth, hosts...) != m {
			t.Errorf("Mark gives %v for %q", Mark(others, depth, hosts...), value)
		}
		if got != want {
			t.Errorf("Marked of %q = %s, want %s", value, got, want)
		}
	}
}

func TestAgain(t *testing.T) {
	t.Parallel()
	visited := time.Date(2020, 2, 3, 0, 0, 0, 0, time.UTC)
	day := 24 * time.Hour
	for name, tt := range map[string]struct {
		entry   Entry
		visited time.Time
		want    time.Time
		ok      bool
	}{
		"never visited":          {Entry{Modified: visited.Add(-day)}, time.Time{}, time.Time{}, true},
		"modified since":         {Entry{Modified: visited.Add(day)}, visited, time.Time{}, true},
		"not modified":           {Entry{Modified: visited.Add(-day)}, visited, time.Time{}, false},
		"weekly":                 {Entry{Modified: visited.Add(-day), Change: "weekly"}, visited, visited.Add(7 * day), true},
		"weekly, modified since": {Entry{Modified: visited.Add(day), Change: "weekly"}, visited, time.Time{}, true},
		"never changes":          {Entry{Change: "never"}, visited, time.Time{}, false},
		"nothing said":           {Entry{}, visited, time.Time{}, false},
	} {
		tt.entry.URL, tt.entry.Priority = at, 0.9
		req, ok := tt.entry.Request(tt.visited)
		if ok != tt.ok || !req.Due.Equal(tt.want) || req.URL != at || req.Priority < 0.39 || req.Priority > 0.41 || req.Meta != (frontier.Meta{}) {
			t.Errorf("%s: %+v, %v", name, req, ok)
		}
	}
	if req, ok := (&Entry{URL: at, Sitemap: true}).Request(time.Time{}); !ok || req.Meta != Mark(frontier.Meta{}, 0) || req.Priority != First {
		t.Errorf("sitemap: %+v, %v", req, ok)
	}
}

func FuzzRead(f *testing.F) {
	for _, body := range []string{
		`<urlset xmlns:i="sitemap-image"><url><loc>/a</loc><lastmod>2020-02-03</lastmod><i:image><i:loc>/b</i:loc></i:image></url></urlset>`,
		`<sitemapindex><sitemap><loc>https://www.example.com/a</loc>`,
		`<feed><entry><link href=a /><content><content/></content></entry></feed>`,
		`<rss><channel><item><link>/a</link></item></channel></rss>`,
		"https://www.example.com/a\n\nx",
		`{"version":"https://jsonfeed.org/version/1","items":[{"url":"/a"}]}`,
		packed("<urlset><url><loc>/a</loc></url></urlset>"),
		"\xff\xfe<\x00u\x00r\x00l\x00s\x00e\x00t\x00>\x00",
		"<!DOCTYPE urlset [<!ENTITY a 'b'>]><urlset><url><loc>&a;",
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		Sniff([]byte(body))
		n := 0
		for e, err := range (&Reader{MaxEntries: 100, MaxBytes: 1 << 20}).Read(strings.NewReader(body), at) {
			if err != nil {
				if _, ok := errors.AsType[*Error](err); !ok {
					t.Fatalf("untyped error %v", err)
				}
				continue
			}
			if n++; !hasScheme(e.URL) || len(e.URL) > 2*longestURL+len(at) || e.Priority < 0 || e.Priority > 1 {
				t.Fatalf("entry %+v", e)
			}
		}
		if n > 100 {
			t.Fatalf("%d entries", n)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	body, _ := io.ReadAll(&generated{n: 10_000, pad: 20})
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range Read(bytes.NewReader(body), at) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
