package robots_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/webquarry/quarry/crawler/robots"
)

func TestAllowed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, body, agent string
		allowed, denied   string // paths
	}{
		// Groups.
		{"byte order mark", "\xef\xbb\xbfUser-agent: *\nDisallow: /", "mybot", "", "/ /a"},
		{"half a mark", "\xef\xbbUser-agent: *\nDisallow: /", "mybot", "", "/ /a"},
		{"UTF-16, no mark", utf16("User-agent: *\nDisallow: /a"), "mybot", "/", "/a"},
		{"UTF-16, big end first", "\x00" + strings.TrimSuffix(utf16("User-agent: *\nDisallow: /a"), "\x00"), "mybot", "/", "/a"},
		{"UTF-16", "\xff\xfe" + utf16("User-agent: *\nDisallow: /a"), "mybot", "/", "/a"},
		{"own group", "User-agent: mybot\nDisallow: /secret\nUser-agent: *\nDisallow: /public", "mybot", "/public", "/secret"},
		{"group of others", "User-agent: mybot\nDisallow: /secret\nUser-agent: *\nDisallow: /public", "other", "/secret", "/public"},
		{"two agents", "User-agent: a\nUser-agent: mybot\nDisallow: /x", "mybot", "/", "/x"},
		{"merged", "User-agent: mybot\nDisallow: /x\n\nUser-agent: a\nDisallow: /y\n\nUser-agent: MYBOT\nDisallow: /z", "mybot", "/y", "/x /z"},
		{"merged stars", "User-agent: *\nDisallow: /x\n\nUser-agent: a\nDisallow: /y\n\nUser-agent: *\nDisallow: /z", "mybot", "/y", "/x /z"},
		{"blank lines and comments", "User-agent: mybot\n\n# why\n\nDisallow: /x # because\n\n\nDisallow: /y", "mybot", "/", "/x /y"},
		{"version", "User-agent: MyBot/2.1\nDisallow: /x", "mybot", "/", "/x"},
		{"no prefix", "User-agent: my\nDisallow: /x\nUser-agent: mybot-images\nDisallow: /y", "mybot", "/x /y", ""},
		{"header given", "User-agent: mybot\nDisallow: /x", "Mozilla/5.0 (compatible; MyBot/2.1; +http://mybot.example/)", "/", "/x"},
		{"first product given", "User-agent: mybot\nDisallow: /x", "MyBot/2.1 (+http://mybot.example/)", "/", "/x"},
		{"a list", "User-agent: a, mybot , b\nDisallow: /x\nUser-agent: *, c\nDisallow: /y", "mybot", "/y", "/x"},
		{"a list of all", "User-agent: a,*\nDisallow: /x", "mybot", "/", "/x"},
		{"digits", "User-agent: bot1\nDisallow: /x\nUser-agent: bot2\nDisallow: /y", "bot2", "/x", "/y"},
		{"CR", "User-agent: *\rDisallow: /x\rDisallow: /y\r", "mybot", "/", "/x /y"},
		{"CRLF", "User-agent: *\r\nDisallow: /x\r\nDisallow: /y", "mybot", "/", "/x /y"},
		{"others between", "User-agent: mybot\nCrawl-delay: 1\nSitemap: http://e.example/s\nUser-agent: b\nNoindex: /n\nDisallow: /x", "mybot", "/n", "/x"},
		{"group of no rules", "User-agent: *\nDisallow: /\nUser-agent: mybot", "mybot", "/ /x", ""},
		{"empty rule at the end", "User-agent: *\nDisallow: /\nUser-agent: mybot\nDisallow:", "mybot", "/ /x", ""},
		{"before any group", "Disallow: /x\nUser-agent: *\nDisallow: /y", "mybot", "/x", "/y"},
		{"space before colon", "User-agent : *\nDisallow : /x", "mybot", "/", "/x"},
		{"no colon", "user-agent *\ndisallow /x", "mybot", "/", "/x"},
		{"misspelt", "useragent: *\ndissallow: /x\nDisalow: /y\nuser agent: other\nDisallow: /z", "mybot", "/z", "/x /y"},
		{"NUL", "User-agent: *\x00\n\x00Disallow: /x\x00", "mybot", "/", "/x"},
		{"HTML", "<!DOCTYPE html><html><title>Not found</title></html>", "mybot", "/ /x", ""},
		{"empty", "", "mybot", "/ /x", ""},
		{"no agent", "User-agent: *\nDisallow: /x\nUser-agent: \nDisallow: /y", "", "/y", "/x"},

		// The longest match.
		{"order", "User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php", "mybot", "/wp-admin/admin-ajax.php", "/wp-admin/ /wp-admin/x"},
		{"other order", "User-agent: *\nAllow: /wp-admin/admin-ajax.php\nDisallow: /wp-admin/", "mybot", "/wp-admin/admin-ajax.php", "/wp-admin/ /wp-admin/x"},
		{"tie", "User-agent: *\nDisallow: /page\nAllow: /page", "mybot", "/page", ""},
		{"star counts", "User-agent: *\nDisallow: /x*\nAllow: /x", "mybot", "", "/x /xy"},
		{"star ties", "User-agent: *\nDisallow: /x*\nAllow: /xy", "mybot", "/xy", "/x"},
		{"octets", "User-agent: *\nAllow: /aaa.bbb\nDisallow: /aa*.bb", "mybot", "/aaa.bbb", "/aax.bb"},
		{"root only", "User-agent: *\nAllow: /$\nDisallow: /", "mybot", "/", "/x /?x"},

		// Wildcards.
		{"star", "User-agent: *\nDisallow: /*s=", "mybot", "/s/ /", "/?s=a /x/y?a&s="},
		{"anchored", "User-agent: *\nDisallow: /a*b\nDisallow: /p$", "mybot", "/x/a/b /q/p", "/ab /axb /p"},
		{"trailing star", "User-agent: *\nDisallow: /x*", "mybot", "/", "/x /xy /x/"},
		{"end", "User-agent: *\nDisallow: /*.pdf$", "mybot", "/a.pdf?v=1 /a.pdfs", "/a.pdf /x/y.pdf"},
		{"star and end", "User-agent: *\nDisallow: /a*$", "mybot", "/b", "/a /ab"},
		{"all", "User-agent: *\nDisallow: *", "mybot", "", "/ /x"},
		{"dollar inside", "User-agent: *\nDisallow: /a$b", "mybot", "/a", "/a$b /a%24b"},
		{"overlap", "User-agent: *\nDisallow: /a*ab*ba$", "mybot", "/aba", "/aabba /aabxba"},
		{"nothing", "User-agent: *\nDisallow:", "mybot", "/ /x", ""},
		{"absolute", "User-agent: *\nDisallow: http://other.example/\nDisallow: x", "mybot", "/ /x /http://other.example/", ""},
		{"regexp characters", `User-agent: *` + "\n" + `Disallow: /a.b+c(d)[e]{f}|g^h\i?`, "mybot", "/aXb", `/a.b+c(d)[e]{f}|g^h\i?x /a.b+c(d)[e]%7Bf%7D%7Cg%5Eh%5Ci?x`},
		{"itself", "User-agent: *\nDisallow: /", "mybot", "/robots.txt", "/robots.txt.bak /robots.txt?x"},

		// Escapes.
		{"reserved", "User-agent: *\nDisallow: /*%2F*", "mybot", "/a/b", "/a%2Fb /a%2fb"},
		{"raw rule", "User-agent: *\nDisallow: /foo/ツ", "mybot", "/foo/", "/foo/%E3%83%84 /foo/%e3%83%84x"},
		{"escaped rule", "User-agent: *\nDisallow: /foo/%e3%83%84", "mybot", "/foo/", "/foo/ツ /foo/%E3%83%84"},
		{"unreserved", "User-agent: *\nDisallow: /%62%61%7A", "mybot", "/", "/baz /%62az"},
		{"star escaped", "User-agent: *\nDisallow: /a%2Ab\nDisallow: /c%24", "mybot", "/axb /c", "/a*b /a%2Ab /c$ /c%24d"},
		{"no escape", "User-agent: *\nDisallow: /a%zz\nDisallow: /b%", "mybot", "/a /b", "/a%zz /b%"},
		{"a lone percent sign", "User-agent: *\nDisallow: /*URL%*", "mybot", "/a/URL /a/URL/20 /%", "/a/URL%20b /a/URL%e9 /URL% /URL%zz /URL%25 /URLé"},
		{"and no star behind it", "User-agent: *\nDisallow: /*?q=%", "mybot", "/?q= /?q=a%20", "/?q=%20 /?q=%C3%A9 /?q=%"},
		{"and a letter behind it", "User-agent: *\nDisallow: /100%/x\nDisallow: /5%off", "mybot", "/100%20/x /5%20off", "/100%/x /100%25/x /5%off /5%25off"},
		{"and the end behind it", "User-agent: *\nDisallow: /*%$", "mybot", "/a%20 /a", "/a% /a%25"},
		{"half an escape", "User-agent: *\nDisallow: /a%2*\nDisallow: /*b%e", "mybot", "/a%3F /a2 /b%F0 /be", "/a%2F /a%20x /a%2x /a%252 /b%E3 /xb%e9 /b%eg /b%25e"},
		{"half an escape before another part", "User-agent: *\nDisallow: /*a%3*3", "mybot", "/a%3D /a%3", "/a%3D3 /a%253/a%3D/3"},
		{"half an escape and the end", "User-agent: *\nDisallow: /a%3$", "mybot", "/a%3D", "/a%3 /a%253"},
		{"two lone percent signs", "User-agent: *\nDisallow: /*%*%", "mybot", "/a%20b", "/a%20b%20 /%%"},
		{"space", "User-agent: *\nDisallow: /p q", "mybot", "/p /p-q", "/p%20q"},
		{"comment", "User-agent: *\nDisallow: /p#c", "mybot", "/x", "/p /pq"},
	} {
		rules := robots.Parse([]byte(tt.body), tt.agent)
		for path := range strings.FieldsSeq(tt.allowed) {
			if v := rules.Why("http://example.com" + path); !v.Allowed {
				t.Errorf("%s: %s is denied by line %d %q", tt.name, path, v.Line, v.Rule)
			}
		}
		for path := range strings.FieldsSeq(tt.denied) {
			if rules.Allowed("http://example.com" + path) {
				t.Errorf("%s: %s is allowed", tt.name, path)
			}
		}
	}
}

func utf16(s string) string {
	var b strings.Builder
	for _, c := range s {
		b.WriteByte(byte(c))
		b.WriteByte(byte(c >> 8))
	}
	return b.String()
}

func TestDelayAndSitemaps(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		body     string
		want     time.Duration
		sitemaps string
	}{
		{"User-agent: *\nCrawl-delay: 2.5", 2500 * time.Millisecond, ""},
		{"User-agent: *\nCrawl-delay: 2\nUser-agent: mybot\nDisallow: /x", 0, ""},
		{"User-agent: mybot\nCrawl-delay: 10\nUser-agent: yours\nDisallow: /x\nUser-agent: *\nCrawl-delay: 30", 10 * time.Second, ""},
		{"User-agent: *\nCrawl-delay: 1\nCrawl-delay: 3\nCrawl-delay: 2", 3 * time.Second, ""},
		{"User-agent: *\nCrawl-delay: 1e20", 24 * time.Hour, ""},
		{"User-agent: *\nCrawl-delay: Inf", 24 * time.Hour, ""},
		{"User-agent: *\nCrawl-delay: abc\nCrawl-delay: -1\nCrawl-delay: NaN\nCrawl-delay:", 0, ""},
		{"User-agent: *\nCrawl-delay: 5s", 5 * time.Second, ""},
		{"User-agent: *\nCrawl-delay: 2,5", 2 * time.Second, ""},
		{"User-agent: *\nCrawl-delay: 1.5 sec.", 1500 * time.Millisecond, ""},
		{"Crawl-delay: 5\nUser-agent: *\nDisallow:", 0, ""},
		{"Sitemap: http://e.example/a.xml\nUser-agent: x\nsitemap: /b.xml\nSitemap:\nSitemap: http://e.example/a.xml # again", 0, "http://e.example/a.xml /b.xml"},
	} {
		r := robots.Parse([]byte(tt.body), "mybot")
		if r.Delay != tt.want || strings.Join(r.Sitemaps, " ") != tt.sitemaps {
			t.Errorf("%q: delay %v, sitemaps %q", tt.body, r.Delay, r.Sitemaps)
		}
	}
}

func TestWhy(t *testing.T) {
	t.Parallel()
	r := robots.Parse([]byte("# ours\nUser-agent: *\r\nDisallow:  /private/\nALLOW: /private/*.gif$  # all\n"), "mybot")
	for url, want := range map[string]robots.Verdict{
		"http://e.example/":              {Allowed: true},
		"http://e.example/private/x":     {Rule: "Disallow: /private/", Line: 3},
		"http://e.example/private/x.gif": {Allowed: true, Rule: "Allow: /private/*.gif$", Line: 4},
		"http://e.example/robots.txt":    {Allowed: true},
	} {
		if got := r.Why(url); got != want {
			t.Errorf("Why(%s) = %+v, want %+v", url, got, want)
		}
	}
}

func TestZeroRules(t *testing.T) {
	t.Parallel()
	var r robots.Rules
	if !r.Allowed("http://e.example/x") || r.Why("") != (robots.Verdict{Allowed: true}) {
		t.Error("the zero value forbids something")
	}
}

func TestSizeLimit(t *testing.T) {
	t.Parallel()
	head := "User-agent: *\nDisallow: /private/\n"
	for _, tt := range []struct {
		name, body string
		late       bool // whether the rule behind counts
	}{
		{"within", head + strings.Repeat("# padding padding\n", 10_000) + "Disallow: /late\n", true},
		{"beyond", head + strings.Repeat("# padding padding\n", 40_000) + "Disallow: /late\n", false},
		{"cut in the line", head + strings.Repeat("#", 500<<10-len(head)-8) + "\nDisallow: /late\n", false},
		{"one long line", head + "Disallow: /" + strings.Repeat("x", 1<<20) + "\nDisallow: /late\n", false},
		{"whole lines up to it", head + strings.Repeat("#", 500<<10-len(head)-18) + "\nDisallow: /late\n\n", true},
	} {
		r := robots.Parse([]byte(tt.body), "mybot")
		if r.Allowed("http://e.example/private/") || !r.Allowed("http://e.example/D") {
			t.Errorf("%s: the first rule is lost", tt.name)
		}
		if got := !r.Allowed("http://e.example/late"); got != tt.late {
			t.Errorf("%s: rule at the end counts: %v", tt.name, got)
		}
	}
}

func TestToken(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]string{
		"": "", "acme": "acme", "Acme/1.0 (+https://a.example)": "acme", "acme2/1.0": "acme2", " foo_bar-x ": "foo_bar-x", "(acme)": "",
		"Mozilla/5.0 (compatible; acme/1.0; +https://a.example)": "acme", "compatible;": "", "été/1": "été",
	} {
		if got := robots.Token(agent); got != want {
			t.Errorf("%q: %q, want %q", agent, got, want)
		}
	}
}

// TestClosed: a robots.txt closes a site if a rule forbids everything and no longer one
// may allow any of it. Of a closed site nothing is allowed but /robots.txt.
func TestClosed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"User-agent: *\nDisallow: /":                                            "Disallow: /",
		"User-agent: *\nCrawl-delay: 10\nUser-agent: evil\nDisallow: /":         "Disallow: /",
		"User-agent: *\nDisallow: *":                                            "Disallow: *",
		"User-agent: *\nDisallow: /**":                                          "Disallow: /**",
		"User-agent: *\nDisallow: /a\nDisallow: / # all":                        "Disallow: /",
		"User-agent: *\nAllow: /\nDisallow: /*":                                 "Disallow: /*",
		"User-agent: *\nAllow: /a\n\nUser-agent: foobot\nDisallow: /":           "Disallow: /",
		"User-agent: *\nDisallow: /\nAllow: /a":                                 "",
		"User-agent: *\nAllow: /\nDisallow: /":                                  "",
		"User-agent: *\nDisallow: /a":                                           "",
		"User-agent: *\nDisallow: /$":                                           "",
		"User-agent: *\nDisallow:":                                              "",
		"":                                                                      "",
		"User-agent: other\nDisallow: /":                                        "",
		"User-agent: *\nDisallow: /\n\nUser-agent: foobot\nDisallow: /private/": "",
	} {
		if v, closed := robots.Parse([]byte(text), "foobot").Closed(); v.Rule != want || closed != (want != "") {
			t.Errorf("%q: %+v, %v; want %q", text, v, closed, want)
		}
	}
	closed := 0
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		b.WriteString("User-agent: *\n")
		for range rapid.IntRange(0, 4).Draw(t, "rules") {
			b.WriteString(rapid.SampledFrom([]string{"Allow: ", "Disallow: "}).Draw(t, "kind"))
			b.WriteString(rapid.StringMatching(`[/*]{1,2}[ab]?\$?`).Draw(t, "pattern") + "\n")
		}
		r := robots.Parse([]byte(b.String()), "foobot")
		v, ok := r.Closed()
		if !ok {
			return
		}
		closed++
		for range 20 {
			if u := "http://x.test/" + rapid.StringMatching(`[ab/]{0,4}(\?a)?`).Draw(t, "path"); r.Allowed(u) {
				t.Fatalf("%q: closed by %q, but %s is allowed", b.String(), v.Rule, u)
			}
		}
	})
	if closed == 0 {
		t.Error("no random file closed its site")
	}
}
