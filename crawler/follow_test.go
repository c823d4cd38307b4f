package crawler

import (
	"fmt"
	"testing"

	"github.com/webquarry/quarry/crawler/urlnorm"
	"github.com/webquarry/quarry/frontier"
)

func TestFollow(t *testing.T) {
	t.Parallel()
	all := func(*Page, Link) (float64, bool) { return 1, true }
	at := func(depth int) *Page {
		return &Page{Response: &Response{Request: frontier.Request{Depth: depth}}}
	}
	tests := map[string]struct {
		follow   Follow
		from     *Page
		yes, not []string
	}{
		"host": {SameHost("HTTP://WWW.Example.com:80/docs/", "http://[::1]:8080/"), nil,
			[]string{"http://www.example.com/", "https://www.example.com/x?y", "http://[::1]:8080/a"},
			[]string{"http://example.com/", "http://www.example.com:8080/", "http://www.example.com.evil.test/", "http://[::1]/"}},
		"site": {SameSite("http://www.shop.example.co.uk/", "http://127.0.0.1:8080/", "http://x.github.io"), nil,
			[]string{"https://example.co.uk/", "http://a.b.example.co.uk:81/", "http://127.0.0.1:9/", "http://x.github.io/y"},
			[]string{"http://other.co.uk/", "http://y.github.io/", "http://example.com/", "http://127.0.0.2/"}},
		"no usable seed": {SameSite("mailto:a@b.example", ""), nil, nil, []string{"http://b.example/", "http://example.com/"}},
		"prefix": {Prefix("HTTP://Example.com/docs/", "https://example.com/api"), nil,
			[]string{"http://example.com/docs/", "http://example.com/docs/a", "https://example.com/api-old"},
			[]string{"http://example.com/docs", "https://example.com/docs/", "http://example.com/Docs/"}},
		"depth, within": {MaxDepth(all, 2), at(1), []string{"http://a.test/"}, nil},
		"depth, beyond": {MaxDepth(all, 2), at(2), nil, []string{"http://a.test/"}},
		"include": {Include(SameHost("http://a.test"), "/docs/*", "*.pdf", "http://a.test/exact", "/*x*y*?q=*"), nil,
			[]string{"http://a.test/docs/", "http://a.test/x.pdf", "http://a.test/exact", "http://a.test/axbyc?q=1", "http://a.test/xy?q="},
			[]string{"http://a.test/docs", "http://b.test/docs/", "http://a.test/x.pdf?y", "http://a.test/exact/", "http://a.test/yx?q=1"}},
		"exclude": {Exclude(all, "/cal/*", "*/print", "/a?b"), nil,
			[]string{"http://a.test/cal", "http://a.test/print/", "http://a.test/axb"},
			[]string{"http://a.test/cal/2", "http://a.test/x/print", "http://a.test/a?b"}},
		"include deep": {Include(all, "/docs/**/index.html", "/a/**", "http://*.b.test/**", "print/*", "/straße/x y*"), nil,
			[]string{"http://a.test/docs/index.html", "http://a.test/docs/x/y/index.html", "http://a.test/a/", "http://a.test/a/b/c?d/e", "http://x.b.test/", "http://x.y.b.test/z/z",
				"http://a.test/print/1", "http://a.test/x/print/1?q", "http://a.test/stra%c3%9fe/x%20yz", "HTTP://A.test:80/z/../a/b"},
			[]string{"http://a.test/docs/index.htm", "http://a.test/xdocs/index.html", "http://a.test/a", "http://b.test/", "http://a.test/x?u=http://x.b.test/",
				"http://a.test/sprint/1", "http://a.test/print/1/2", "http://a.test/x?u=/print/1", "mailto:a@a.test", "", "/a/b"}},
		"exclude levels": {Exclude(all, "/cal/*", "*.pdf", "/x?q=*"), nil,
			[]string{"http://a.test/cal/1/2", "http://a.test/x.pdf/y", "http://a.test/x.pdfs", "http://a.test/xy"},
			[]string{"http://a.test/cal/1", "http://a.test/d/x.pdf", "http://a.test/x?q=1", "http://a.test/y/../cal/1", "http://[::1/", "nonsense"}},
		"prefix of what is meant": {Prefix("http://a.test/docs/"), nil,
			[]string{"http://a.test/docs/x/../y", "HTTP://A.TEST:80/docs/", "http://a.test/%64ocs/"},
			[]string{"http://a.test/docs/../admin", "http://a.test/docs/%2e%2e/admin", "http://a.test", "http://user@evil.test/docs/"}},
		"host spelt otherwise": {SameHost("http://a.test"), nil,
			[]string{"HTTP://A.test:80/", "https://a.test:443/", "http://a.test./", "http://user:pw@a.test/"},
			[]string{"http://a.test@evil.test/", "http://a.test:81/", "http://a.test.evil.test/", "//a.test/", "ftp://a.test/", ""}},
		"no seeds": {SameHost(), nil, nil, []string{"http://a.test/", "", "mailto:x"}},
		"any":      {Any, nil, []string{"http://a.test/", "https://b.test/x"}, []string{"", "mailto:a@b.test", "/x"}},
		"files": {SkipFiles(Any), nil,
			[]string{"http://a.test/", "http://a.test/a.html", "http://a.test/a.pdf", "http://a.test/zip", "http://a.test/a.zip/b", "http://a.test/x?f=a.zip", "http://a.zip", "http://a.test/a.php#x.zip", "http://a.test/.."},
			[]string{"http://a.test/a.zip", "http://a.test/b/A.JPG", "http://a.test/a.tar.gz?v=1", "http://a.test/a.css#x", "http://a.test/.zip"}},
		"files given": {SkipFiles(Any, "pdf", ".DOC"), nil,
			[]string{"http://a.test/a.zip", "http://a.test/pdf"}, []string{"http://a.test/a.pdf", "http://a.test/a.Doc"}},
		"composed": {SkipFiles(Exclude(Include(MaxDepth(SameSite("http://www.a.test"), 3), "/docs/**"), "/docs/old/**")), at(2),
			[]string{"https://a.test/docs/x"}, []string{"https://a.test/x", "https://a.test/docs/old/x", "https://a.test/docs/x.png", "https://b.test/docs/x"}},
		"include nothing": {Include(all), nil, nil, []string{"http://a.test/"}},
		"exclude nothing": {Exclude(all), nil, []string{"http://a.test/"}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, u := range tt.yes {
				if _, ok := tt.follow(tt.from, Link{URL: u}); !ok {
					t.Errorf("%s is not followed", u)
				}
			}
			for _, u := range tt.not {
				if _, ok := tt.follow(tt.from, Link{URL: u}); ok {
					t.Errorf("%s is followed", u)
				}
			}
		})
	}
	if p, _ := Exclude(MaxDepth(all, 9))(at(0), Link{URL: "http://a.test/"}); p != 1 {
		t.Errorf("priority %v, want what the inner Follow gives", p)
	}
}

// TestMemo: what is remembered of an origin is what its key would be, for every
// URL that looks as if it were of that origin.
func TestMemo(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]func(string) string{"site": urlnorm.Site, "host": hostPort} {
		m := memo{key: key}
		for range 2 { // unknown, then known
			for _, u := range []string{
				"http://a.test/", "http://a.test/x?http://b.test/", "https://a.test/", "http://a.test:80/", "http://a.test:8080/", "http://www.a.test./",
				"http://a.test", "http://a.test?x", "http://a.test#/", "http://a.test\\.b.test/", "http://a.test@b.test/", "http://a.test:x@b.test/",
				"http://A.test/", "HTTP://a.test/", "http:///a.test/", "http:////b.test/", "http://a.test\t.b/", "http://%61.test/", "http://xn--bcher-kva.test/",
				"http://127.0.0.1/", "http://2130706433/", "http://[::1]/", "http://[::1/", "http://a:99999/", "http://a..test/", "http://-/", "/x", "", "mailto:a@a.test",
				"http://user.github.io/", "http://github.io/", "http://co.uk/", "https://", "http:/a.test/",
			} {
				if got, want := m.of(u), key(u); got != want {
					t.Errorf("%s of %q: %q, want %q", name, u, got, want)
				}
			}
		}
	}
	m := memo{key: urlnorm.Site}
	for n := range 3 * maxMemo {
		m.of(fmt.Sprintf("http://h%d.test/", n))
	}
	n := 0
	for range m.all.Range {
		n++
	}
	if n > maxMemo {
		t.Errorf("%d origins are remembered", n)
	}
}

func BenchmarkSameSite(b *testing.B) {
	follow := SameSite("https://docs.example.co.uk/")
	link := Link{URL: "https://www.docs.example.co.uk/3/library/functions.html"}
	b.ReportAllocs()
	for b.Loop() {
		follow(nil, link)
	}
}
