package urlnorm_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/webquarry/quarry/crawler/urlnorm"
)

// TestSpellings writes links in all the spellings that mean one page.
func TestSpellings(t *testing.T) {
	t.Parallel()
	for _, path := range []string{
		"/", "/p/17.html", "/words/garden-5.html", "/article?id=3", "/docs/rain/8/", "/~jo/9.html",
		"/caf%C3%A9/x-1", "/%E6%96%87%E6%9B%B8/x-2", "/a%C3%B1o/", "/list?cat=rain&page=4",
	} {
		want := "http://graph-0.example" + path
		for form, ref := range spellings(path) {
			got, err := urlnorm.URL("http://graph-0.example/dir/page.html?x", ref)
			if err != nil || got != want {
				t.Errorf("%s: URL(%q) = %q, %v, want %q", form, ref, got, err, want)
			}
		}
	}
}

// spellings returns references from /dir/page.html to a canonical path.
func spellings(path string) map[string]string {
	const host = "http://graph-0.example"
	name, query, hasQuery := strings.Cut(path, "?")
	sep := "?"
	if hasQuery {
		query, sep = "?"+query, "&"
	}
	raw, _ := url.PathUnescape(path)
	all := map[string]string{
		"absolute":      host + path,
		"rooted":        path,
		"relative":      ".." + path,
		"dot relative":  "./../" + path[1:],
		"no scheme":     "//graph-0.example" + path,
		"upper case":    "HTTP://GRAPH-0.EXAMPLE" + path,
		"default port":  host + ":80" + path,
		"empty port":    host + ":" + path,
		"dot segments":  host + "/up/../." + path,
		"escaped dots":  host + "/up/%2E%2e" + path,
		"lower escapes": host + lowerEscapes(path),
		"raw":           host + raw,
		"tracking":      path + sep + "utm_source=feed&utm_medium=rss&utm_campaign=c3",
		"fragment":      path + "#sec-2",
		"both":          path + sep + "utm_source=x#sec-1",
		"path session":  name + ";jsessionid=5af3107a4000" + query,
		"query session": path + sep + "PHPSESSID=9c1e0b7f",
		"space around":  " " + path + " \n",
		"newline in it": host + path[:1] + "\n" + path[1:],
		"root dot":      "http://graph-0.example." + path,
		"backslash":     `http:\\graph-0.example` + path,
		"repeated":      path + sep + query[min(1, len(query)):],
	}
	if len(path) > 1 && path[1] != '%' {
		all["escaped"] = fmt.Sprintf("%s/%%%02X%s", host, path[1], path[2:])
		all["escaped lower"] = fmt.Sprintf("%s/%%%02x%s", host, path[1], path[2:])
	}
	return all
}

func lowerEscapes(path string) string {
	b := []byte(path)
	for i := range b {
		if (i > 0 && b[i-1] == '%' || i > 1 && b[i-2] == '%') && b[i] >= 'A' && b[i] <= 'F' {
			b[i] |= 0x20
		}
	}
	return string(b)
}

// TestKeptApart lists what servers may tell apart.
func TestKeptApart(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{"/a%2Fb", "/a/b"}, {"/a//b", "/a/b"}, {"/a?q=x+y", "/a?q=x%20y"}, {"/a?q=x+y", "/a?q=x%2By"},
		{"/Path", "/path"}, {"/a/", "/a"}, {"/a?q", "/a?q="}, {"/a?q=1&r=2", "/a?r=2&q=1"}, {"/a?q=A", "/a?q=a"},
		{"/a%3Fb", "/a?b"}, {"/a%23b", "/a"}, {"/a%25", "/a%"}, {"/a%26b", "/a&b"}, {"/a;v=1", "/a"}, {"/a%5Cb", "/a/b"},
		{"/a?id=1&id=2", "/a?id=1"}, {"/a?sid=7", "/a"}, {"/index.html", "/"}, {"https://example.com/", "http://example.com/"},
		{"http://www.example.com/", "http://example.com/"}, {"http://example.com:8080/", "http://example.com/"},
	} {
		var got [2]string
		for i, ref := range pair {
			var err error
			if got[i], err = urlnorm.URL("http://example.com/", ref); err != nil {
				t.Error(err)
			}
		}
		if got[0] == got[1] {
			t.Errorf("%q and %q are both %q", pair[0], pair[1], got[0])
		}
	}
}

func TestProfile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		p         urlnorm.Profile
		ref, want string
	}{
		{urlnorm.Profile{Fragments: urlnorm.KeepRoutes}, "http://example.com/#/topic/1", "http://example.com/#/topic/1"},
		{urlnorm.Profile{Fragments: urlnorm.KeepRoutes}, "http://example.com/#!/x y", "http://example.com/#!/x%20y"},
		{urlnorm.Profile{Fragments: urlnorm.KeepRoutes}, "http://example.com/#top", "http://example.com/"},
		{urlnorm.Profile{Fragments: urlnorm.KeepFragments}, "http://example.com/#top", "http://example.com/#top"},
		{urlnorm.Profile{Fragments: urlnorm.KeepFragments}, "http://example.com/#", "http://example.com/"},
		{urlnorm.Profile{KeepEscapes: true}, "http://example.com/%7e%c3%a9", "http://example.com/%7e%c3%a9"},
		{urlnorm.Profile{KeepUserinfo: true}, "http://jo:pw@example.com/", "http://jo:pw@example.com/"},
		{urlnorm.Profile{KeepRootDot: true}, "http://example.com./", "http://example.com./"},
		{urlnorm.Profile{KeepEmpty: true}, "http://example.com/?", "http://example.com/?"},
		{urlnorm.Profile{KeepEmpty: true}, "http://example.com/?&a=1&&", "http://example.com/?&a=1&&"},
		{urlnorm.Profile{KeepDuplicates: true}, "http://example.com/?a=1&a=1", "http://example.com/?a=1&a=1"},
		{urlnorm.Profile{KeepSessions: true}, "http://example.com/a;jsessionid=1?PHPSESSID=2", "http://example.com/a;jsessionid=1?PHPSESSID=2"},
		{urlnorm.Profile{KeepTracking: true}, "http://example.com/?utm_source=x", "http://example.com/?utm_source=x"},
		{urlnorm.Profile{SortQuery: true}, "http://example.com/?b=2&a=2&a=1&c", "http://example.com/?a=2&a=1&b=2&c"},
		{urlnorm.Profile{Drop: []string{"ref", "x_*"}}, "http://example.com/?REF=1&x_y=2&x=3&refs=4", "http://example.com/?x=3&refs=4"},
		{urlnorm.Profile{Keep: []string{"phpsessid"}}, "http://example.com/?PHPSESSID=2", "http://example.com/?PHPSESSID=2"},
	} {
		if got, err := tt.p.URL("", tt.ref); err != nil || got != tt.want {
			t.Errorf("%+v of %q is %q, %v, want %q", tt.p, tt.ref, got, err, tt.want)
		}
	}
	short := urlnorm.Profile{MaxLen: 30}
	if _, err := short.URL("", "http://example.com/"+strings.Repeat("x", 12)); err == nil {
		t.Error("no error beyond MaxLen")
	}
}

// TestManyParameters makes sure that hostile queries take no quadratic time.
func TestManyParameters(t *testing.T) {
	t.Parallel()
	p := urlnorm.Profile{MaxLen: 4 << 20}
	var b strings.Builder
	b.WriteString("http://example.com/?")
	for i := range 40_000 {
		fmt.Fprintf(&b, "k%d=v&", i/2)
	}
	got, err := p.URL("", b.String())
	if n := strings.Count(got, "&") + 1; err != nil || n != 20_000 {
		t.Errorf("%d parameters, %v, want 20000", n, err)
	}
}

func TestHosts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ url, host, origin, site string }{
		{"http://www.Example.co.uk:80/x?y#z", "www.example.co.uk", "http://www.example.co.uk", "example.co.uk"},
		{"https://example.com:8443", "example.com", "https://example.com:8443", "example.com"},
		{"http://user.github.io/", "user.github.io", "http://user.github.io", "user.github.io"},
		{"http://a.user.github.io/", "a.user.github.io", "http://a.user.github.io", "user.github.io"},
		{"http://github.io/", "github.io", "http://github.io", "github.io"},
		{"http://localhost:8080/", "localhost", "http://localhost:8080", "localhost"},
		{"http://graph-0.test/", "graph-0.test", "http://graph-0.test", "graph-0.test"},
		{"http://127.0.0.1/", "127.0.0.1", "http://127.0.0.1", "127.0.0.1"},
		{"http://[::1]:80/", "[::1]", "http://[::1]", "[::1]"},
		{"http://食狮.公司.cn/", "xn--85x722f.xn--55qx5d.cn", "http://xn--85x722f.xn--55qx5d.cn", "xn--85x722f.xn--55qx5d.cn"},
		{"http://example.com./", "example.com", "http://example.com", "example.com"},
		{"http://a..example.com/", "a..example.com", "http://a..example.com", "a..example.com"},
		{"mailto:jo@example.com", "", "", ""},
		{"/path", "", "", ""},
		{"", "", "", ""},
	} {
		if h, o, s := urlnorm.Host(tt.url), urlnorm.Origin(tt.url), urlnorm.Site(tt.url); h != tt.host || o != tt.origin || s != tt.site {
			t.Errorf("%q: host %q, origin %q, site %q", tt.url, h, o, s)
		}
	}
}

func TestURLIn(t *testing.T) {
	t.Parallel()
	const base = "http://example.com/dir/"
	for _, tt := range []struct{ ref, charset, want string }{
		{"поиск?q=тест#часть", "windows-1251", base + "%D0%BF%D0%BE%D0%B8%D1%81%D0%BA?q=%F2%E5%F1%F2"},
		{"?q=тест", "utf-8", base + "?q=%D1%82%D0%B5%D1%81%D1%82"},
		{"?q=тест", "no such", base + "?q=%D1%82%D0%B5%D1%81%D1%82"},
		{"?q=тест", "utf-16le", base + "?q=%D1%82%D0%B5%D1%81%D1%82"},
		{"?q=é漢é", "latin1", base + "?q=%E9%26%2328450%3B%E9"},
		{"?q=表示", "Shift_JIS", base + `?q=%95\%8E%A6`},
		{"?q=漢字%41", "iso-2022-jp", base + "?q=%1B$B4A;z%1B(BA"},
		{"x?q=1", "windows-1251", base + "x?q=1"},
	} {
		if got, err := urlnorm.URLIn(base, tt.ref, tt.charset); err != nil || got != tt.want {
			t.Errorf("URLIn(%q, %s) = %q, %v, want %q", tt.ref, tt.charset, got, err, tt.want)
		}
	}
}

func TestSURT(t *testing.T) {
	t.Parallel()
	long := "http://example.com/" + strings.Repeat("x", 1<<16)
	for u, want := range map[string]string{
		"https://WWW2.Example.com:8443/A//b/../C/":                        "com,example:8443)/a/c",
		"http://10.1.2.3/":                                                "3,2,1,10)/",
		"http://[::1]:8080/":                                              "[::1]:8080)/",
		"http://www.com/":                                                 "com)/",
		"http://wwwexample.com/":                                          "com,wwwexample)/",
		"http://example.com/%2541%00?%2526":                               "com,example)/a%00?%26",
		"http://example.com/(S(4hqa0555fwsecu455xqckv45))/x.aspx":         "com,example)/x.aspx",
		"http://example.com/?a=1&sid=0123456789abcdef0123456789abcdef":    "com,example)/?&a=1",
		"http://example.com/?mysid=0123456789abcdef0123456789abcdef&b=2":  "com,example)/?myb=2",
		"http://example.com/?sid=0123456789abcdef0123456789abcdef":        "com,example)/",
		"http://example.com/?sid=0123456789abcdef-123456789abcdef":        "com,example)/?sid=0123456789abcdef-123456789abcdef",
		"http://example.com/?sid=0123456789abcdef0123456789abcdefabc&b=2": "com,example)/?b=2&sid=0123456789abcdef0123456789abcdefabc",
		"nonsense": "nonsense",
		long:       long,
	} {
		if got := urlnorm.SURT(u); got != want {
			t.Errorf("SURT(%.80q) = %q, want %q", u, got, want)
		}
	}
	if got := urlnorm.Origin(long); got != "" {
		t.Errorf("the origin of a URL too long is %q", got)
	}
}
