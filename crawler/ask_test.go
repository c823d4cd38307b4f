package crawler

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"

	"golang.org/x/net/publicsuffix"

	"github.com/webquarry/quarry/frontier"
)

// sent notes what comes, and answers by path.
type sent struct {
	pages
	all []string
}

func (s *sent) RoundTrip(r *http.Request) (*http.Response, error) {
	body := ""
	if r.Body != nil {
		b, _ := io.ReadAll(r.Body)
		body = " " + string(b)
	}
	line := r.Method + " " + r.URL.String() + body
	for _, k := range []string{"If-None-Match", "Authorization", "X-Api-Key", "Content-Type", "Cookie"} {
		if v := r.Header.Get(k); v != "" {
			line += "\n  " + k + ": " + v
		}
	}
	s.all = append(s.all, line)
	return s.pages.RoundTrip(r)
}

// TestAsk: method, header and body reach the server, and after redirects no
// more of them than should.
func TestAsk(t *testing.T) {
	t.Parallel()
	secret := http.Header{"Authorization": {"Basic x"}, "x-api-key": {"k"}, "If-None-Match": {`"v1"`}}
	form := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	for name, c := range map[string]struct {
		ask  Ask
		web  pages
		want string
	}{
		"a head":                  {Ask{Method: "HEAD"}, pages{"http://a.test/": "200 "}, "HEAD http://a.test/"},
		"a header":                {Ask{Header: http.Header{"If-None-Match": {"x"}}}, pages{"http://a.test/": "304 "}, "GET http://a.test/\n  If-None-Match: x"},
		"of the page and the own": {Ask{Header: secret}, pages{"http://a.test/": "302 /b", "http://a.test/b": "200 "}, "GET http://a.test/\n  If-None-Match: \"v1\"\n  Authorization: Basic x\n  X-Api-Key: k\nGET http://a.test/b\n  Authorization: Basic x\n  X-Api-Key: k"},
		"to another host":         {Ask{Header: secret}, pages{"http://a.test/": "302 http://b.test/", "http://b.test/": "200 "}, "GET http://a.test/\n  If-None-Match: \"v1\"\n  Authorization: Basic x\n  X-Api-Key: k\nGET http://b.test/"},
		"to another port":         {Ask{Header: secret}, pages{"http://a.test/": "302 http://a.test:8080/", "http://a.test:8080/": "200 "}, "GET http://a.test/\n  If-None-Match: \"v1\"\n  Authorization: Basic x\n  X-Api-Key: k\nGET http://a.test:8080/"},
		"a post":                  {Ask{Method: "POST", Body: []byte("a=1"), Header: form}, pages{"http://a.test/": "200 "}, "POST http://a.test/ a=1\n  Content-Type: application/x-www-form-urlencoded"},
		"a post, see other":       {Ask{Method: "POST", Body: []byte("a=1"), Header: form}, pages{"http://a.test/": "303 /b", "http://a.test/b": "200 "}, "POST http://a.test/ a=1\n  Content-Type: application/x-www-form-urlencoded\nGET http://a.test/b"},
		"a post, found":           {Ask{Method: "POST", Body: []byte("a=1"), Header: form}, pages{"http://a.test/": "302 /b", "http://a.test/b": "200 "}, "POST http://a.test/ a=1\n  Content-Type: application/x-www-form-urlencoded\nGET http://a.test/b"},
		"a post, moved":           {Ask{Method: "POST", Body: []byte("a=1"), Header: form}, pages{"http://a.test/": "308 /b", "http://a.test/b": "200 "}, "POST http://a.test/ a=1\n  Content-Type: application/x-www-form-urlencoded\nPOST http://a.test/b a=1\n  Content-Type: application/x-www-form-urlencoded"},
		"a delete, see other":     {Ask{Method: "DELETE"}, pages{"http://a.test/": "303 /b", "http://a.test/b": "200 "}, "DELETE http://a.test/\nGET http://a.test/b"},
		"a delete, found away":    {Ask{Method: "DELETE"}, pages{"http://a.test/": "302 http://b.test/"}, "DELETE http://a.test/"},
		"away and back":           {Ask{Header: secret}, pages{"http://a.test/": "302 http://b.test/", "http://b.test/": "302 http://a.test/b", "http://a.test/b": "200 "}, "GET http://a.test/\n  If-None-Match: \"v1\"\n  Authorization: Basic x\n  X-Api-Key: k\nGET http://b.test/\nGET http://a.test/b"},
		"a post, moved away":      {Ask{Method: "POST", Body: []byte("a=1"), Header: form}, pages{"http://a.test/": "307 http://b.test/"}, "POST http://a.test/ a=1\n  Content-Type: application/x-www-form-urlencoded"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			web := &sent{pages: c.web}
			h := &HTTP{UserAgent: testAgent, Transport: web, Redirects: 3}
			if _, err := h.Fetch(c.ask.Within(t.Context()), frontier.Request{URL: "http://a.test/"}); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(web.all, "\n"); got != c.want {
				t.Errorf("sent\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestAskWithin(t *testing.T) {
	t.Parallel()
	ctx := Ask{Method: "POST", Body: []byte("b"), Header: http.Header{"A": {"1"}, "b": {"1"}}}.Within(t.Context())
	ctx = Ask{Header: http.Header{"b": {"2"}, "C": {"2"}}}.Within(ctx)
	a := Asked(ctx)
	if a.Method != "POST" || string(a.Body) != "b" || a.Header.Get("A")+a.Header.Get("B")+a.Header.Get("C") != "122" {
		t.Errorf("%+v", a)
	}
	if a := Asked(Ask{Method: "HEAD"}.Within(ctx)); a.Method != "HEAD" || a.Body != nil || a.Header.Get("A") != "1" {
		t.Errorf("%+v", a)
	}
	for _, bad := range []Ask{{Method: "GET /"}, {Method: "é"}, {Header: http.Header{"A": {"a\nb"}}}, {Header: http.Header{"A B": {"x"}}}} {
		if _, err := local(t).Fetch(bad.Within(t.Context()), frontier.Request{URL: "http://127.0.0.1:1/"}); !isA[*ConfigError](err) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// TestCookiesOfACrawl: with a jar, what one page sets the next one gets, and no
// other site does, nor one who is not to be known.
func TestCookiesOfACrawl(t *testing.T) {
	t.Parallel()
	jar, err := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List})
	if err != nil {
		t.Fatal(err)
	}
	web := &sent{pages: pages{"http://a.test/1": "200 ", "http://www.a.test/2": "200 ", "http://b.test/": "200 ", "http://a.test/3": "302 /4"}}
	set := roundTrip(func(r *http.Request) (*http.Response, error) {
		resp, err := web.RoundTrip(r)
		if err == nil {
			resp.Header["Set-Cookie"] = []string{"host=1", "site=2; Domain=a.test", "all=3; Domain=test", "tls=4; Secure"}
		}
		return resp, err
	})
	h := &HTTP{UserAgent: testAgent, Transport: set, Cookies: jar, Header: http.Header{"X-Api-Key": {"k"}}}
	for _, u := range []string{"http://a.test/1", "http://a.test/3", "http://www.a.test/2", "http://b.test/"} {
		if _, err := fetchURL(t, h, u); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.Fetch(Ask{Anonymous: true}.Within(t.Context()), frontier.Request{URL: "http://a.test/1"}); err != nil {
		t.Fatal(err)
	}
	want := "GET http://a.test/1\n  X-Api-Key: k\n" +
		"GET http://a.test/3\n  X-Api-Key: k\n  Cookie: host=1; site=2\n" +
		"GET http://www.a.test/2\n  X-Api-Key: k\n  Cookie: site=2\n" +
		"GET http://b.test/\n  X-Api-Key: k\n" +
		"GET http://a.test/1\n  X-Api-Key: k"
	if got := strings.Join(web.all, "\n"); got != want {
		t.Errorf("sent\n%s\nwant\n%s", got, want)
	}
}
