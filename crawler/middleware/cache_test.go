package middleware

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/frontier"
)

// origin is a server: the answer to each request, in turn, the last one from
// then on. Header lines come before an empty line; "!kind" is an error.
type origin struct {
	answers []string
	asked   []string
}

func (o *origin) Fetch(ctx context.Context, req frontier.Request) (*crawler.Response, error) {
	line := ""
	for _, k := range []string{"If-None-Match", "If-Modified-Since"} {
		if v := crawler.Asked(ctx).Header.Get(k); v != "" {
			line += " " + v
		}
	}
	o.asked = append(o.asked, strings.TrimSpace(line))
	text := o.answers[min(len(o.asked), len(o.answers))-1]
	if kind, ok := strings.CutPrefix(text, "!"); ok {
		return nil, &crawler.FetchError{URL: req.URL, Kind: crawler.Kind(kind)}
	}
	resp := &crawler.Response{Request: req, URL: req.URL, Header: http.Header{}, Fetched: time.Now(), Wire: 10}
	status, rest, _ := strings.Cut(text, "\n")
	fmt.Sscan(status, &resp.Status)
	head, body, _ := strings.Cut("\n"+rest, "\n\n")
	for l := range strings.SplitSeq(strings.TrimSpace(head), "\n") {
		k, v, _ := strings.Cut(l, ": ")
		resp.Header.Add(k, strings.ReplaceAll(v, "NOW", time.Now().UTC().Format(http.TimeFormat)))
	}
	resp.Header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	resp.Body = []byte(body)
	return resp, nil
}

// TestCache: what is answered, when, and with what of the server. The steps of a
// case are "wait", then "status body wire asked", where asked is how often the
// server was asked by then.
func TestCache(t *testing.T) {
	t.Parallel()
	const day = "Fri, 31 Dec 1999 00:00:00 GMT" // the bubble begins a day later
	for name, c := range map[string]struct {
		answers []string
		steps   []string
		asked   string // validators of the last request
	}{
		"max-age":                    {[]string{"200\nCache-Control: max-age=60\n\nold", "200\n\nnew"}, []string{"0s 200 old 10 1", "59s 200 old 0 1", "1s 200 new 10 2", "0s 200 new 10 3"}, ""},
		"Expires":                    {[]string{"200\nExpires: Sat, 01 Jan 2000 00:01:00 GMT\n\nold", "200\n\nnew"}, []string{"0s 200 old 10 1", "59s 200 old 0 1", "1s 200 new 10 2"}, ""},
		"Expires that is none":       {[]string{"200\nExpires: 0\nLast-Modified: " + day + "\n\nold", "200\n\nnew"}, []string{"0s 200 old 10 1", "0s 200 new 10 2"}, day},
		"max-age before Expires":     {[]string{"200\nCache-Control: public, Max-Age=\"60\"\nExpires: 0\n\nold", "200\n\nnew"}, []string{"0s 200 old 10 1", "59s 200 old 0 1"}, ""},
		"max-age that is none":       {[]string{"200\nCache-Control: max-age=x\nEtag: \"1\"\n\nold", "304\n\n"}, []string{"0s 200 old 10 1", "0s 200 old 10 2"}, `"1"`},
		"max-age without end":        {[]string{"200\nCache-Control: max-age=99999999999999999999\n\nold", "200\n\nnew"}, []string{"0s 200 old 10 1", "8000h 200 old 0 1", "1000h 200 new 10 2"}, ""},
		"Age":                        {[]string{"200\nCache-Control: max-age=60\nAge: 50\n\nold", "200\n\nnew"}, []string{"0s 200 old 10 1", "9s 200 old 0 1", "1s 200 new 10 2"}, ""},
		"a guess":                    {[]string{"200\nLast-Modified: " + day + "\n\nold", "304\n\n"}, []string{"0s 200 old 10 1", "2h23m 200 old 0 1", "1m 200 old 10 2"}, day},
		"a guess is a day at most":   {[]string{"200\nLast-Modified: Fri, 31 Dec 1990 00:00:00 GMT\n\nold", "304\n\n"}, []string{"0s 200 old 10 1", "23h 200 old 0 1", "1h 200 old 10 2"}, "Fri, 31 Dec 1990 00:00:00 GMT"},
		"no-store":                   {[]string{"200\nCache-Control: no-store, max-age=60\nEtag: \"1\"\n\nold", "200\n\nnew"}, []string{"0s 200 old 10 1", "0s 200 new 10 2"}, ""},
		"no-cache":                   {[]string{"200\nCache-Control: no-cache, max-age=60\nEtag: \"1\"\n\nold", "304\n\n"}, []string{"0s 200 old 10 1", "0s 200 old 10 2"}, `"1"`},
		"Pragma":                     {[]string{"200\nPragma: no-cache\nExpires: Sat, 01 Jan 2000 00:01:00 GMT\n\nold", "200\n\nnew"}, []string{"0s 200 old 10 1", "0s 200 new 10 2"}, ""},
		"private":                    {[]string{"200\nCache-Control: private, max-age=60\n\nold", "200\n\nnew"}, []string{"0s 200 old 10 1", "0s 200 old 0 1"}, ""},
		"a 304 makes it fresh":       {[]string{"200\nCache-Control: max-age=60\nEtag: \"1\"\nX: 1\n\nold", "304\nCache-Control: max-age=600\n\n", "200\n\nnew"}, []string{"0s 200 old 10 1", "60s 200 old 10 2", "599s 200 old 0 2", "1s 200 new 10 3"}, `"1"`},
		"both validators":            {[]string{"200\nCache-Control: max-age=1\nEtag: W/\"1\"\nLast-Modified: " + day + "\n\nold", "304\n\n"}, []string{"0s 200 old 10 1", "1s 200 old 10 2"}, `W/"1" ` + day},
		"changed":                    {[]string{"200\nCache-Control: max-age=1\nEtag: \"1\"\n\nold", "200\nCache-Control: max-age=60\nEtag: \"2\"\n\nnew"}, []string{"0s 200 old 10 1", "1s 200 new 10 2", "1s 200 new 0 2"}, `"1"`},
		"gone, and that is kept":     {[]string{"200\nCache-Control: max-age=1\nEtag: \"1\"\n\nold", "404\nCache-Control: max-age=60\n\nno"}, []string{"0s 200 old 10 1", "1s 404 no 10 2", "1s 404 no 0 2"}, `"1"`},
		"a redirect for good":        {[]string{"301\nCache-Control: max-age=60\nLocation: /b\n\n"}, []string{"0s 301  10 1", "1s 301  0 1"}, ""},
		"a redirect for now":         {[]string{"302\nEtag: \"1\"\n\n"}, []string{"0s 302  10 1", "0s 302  10 2"}, ""},
		"a failure is not kept":      {[]string{"500\nCache-Control: max-age=60\n\nno", "200\n\nyes"}, []string{"0s 500 no 10 1", "0s 200 yes 10 2"}, ""},
		"Vary: *":                    {[]string{"200\nCache-Control: max-age=60\nVary: *\n\nold", "200\n\nnew"}, []string{"0s 200 old 10 1", "0s 200 new 10 2"}, ""},
		"Vary: Cookie":               {[]string{"200\nCache-Control: max-age=60\nVary: Cookie\nEtag: \"1\"\n\nold", "304\n\n"}, []string{"0s 200 old 10 1", "0s 200 old 10 2"}, `"1"`},
		"Vary: Accept-Encoding":      {[]string{"200\nCache-Control: max-age=60\nVary: accept-encoding, User-Agent\n\nold", "200\n\nnew"}, []string{"0s 200 old 10 1", "0s 200 old 0 1"}, ""},
		"an error":                   {[]string{"200\nCache-Control: max-age=1\nEtag: \"1\"\n\nold", "!connect"}, []string{"0s 200 old 10 1", "1s connect 2"}, `"1"`},
		"an error, and stale may be": {[]string{"200\nCache-Control: max-age=1, stale-if-error=60\nEtag: \"1\"\n\nold", "!connect", "503\n\n", "500\n\nno"}, []string{"0s 200 old 10 1", "1s 200 old 0 2", "1s 200 old 0 3", "60s 500 no 10 4"}, `"1"`},
		"and may not be":             {[]string{"200\nCache-Control: max-age=1, stale-if-error=60, must-revalidate\n\nold", "!slow"}, []string{"0s 200 old 10 1", "1s slow 2"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			disk, err := OpenDisk(t.TempDir(), 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			defer disk.Close()
			for _, store := range []Store{nil, disk} {
				synctest.Test(t, func(t *testing.T) {
					o := &origin{answers: c.answers}
					f := (&Cache{Store: store}).Wrap(o)
					for i, step := range c.steps {
						wait, want, _ := strings.Cut(step, " ")
						d, err := time.ParseDuration(wait)
						if err != nil {
							t.Fatal(err)
						}
						time.Sleep(d)
						resp, err := f.Fetch(t.Context(), frontier.Request{URL: "http://a.test/", Depth: i})
						got := ""
						if err != nil {
							got = err.(*crawler.FetchError).Kind.String()
						} else {
							got = fmt.Sprintf("%d %s %d", resp.Status, resp.Body, resp.Wire)
							if resp.Request.Depth != i {
								t.Errorf("answers another request, %+v", resp.Request)
							}
						}
						if got += fmt.Sprint(" ", len(o.asked)); got != want {
							t.Errorf("step %d: %s, want %s", i, got, want)
						}
					}
					if last := o.asked[len(o.asked)-1]; last != c.asked {
						t.Errorf("asked with %q, want %q", last, c.asked)
					}
				})
			}
		})
	}
}

// TestCacheGoesByTheAsk: other methods, other headers and revisits.
func TestCacheGoesByTheAsk(t *testing.T) {
	t.Parallel()
	o := &origin{answers: []string{"200\nCache-Control: max-age=60\nVary: Accept-Language\nEtag: \"1\"\n\nfresh"}}
	f := (&Cache{}).Wrap(o)
	ask := func(a crawler.Ask) *crawler.Response {
		resp, err := f.Fetch(a.Within(t.Context()), frontier.Request{URL: "http://a.test/"})
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}
	header := func(k, v string) crawler.Ask { return crawler.Ask{Header: http.Header{k: {v}}} }
	for _, c := range []struct {
		ask    crawler.Ask
		asked  int
		status int
	}{
		{crawler.Ask{}, 1, 200}, {crawler.Ask{}, 1, 200},
		{crawler.Ask{Method: "HEAD"}, 2, 200}, {crawler.Ask{Method: "POST", Body: []byte("x")}, 3, 200},
		{header("Cache-Control", "no-store"), 4, 200}, {header("Cache-Control", "no-cache"), 5, 200},
		{header("If-None-Match", `"1"`), 5, 304}, {header("If-None-Match", `"0"`), 6, 200}, {header("If-Modified-Since", "x"), 7, 200},
		{header("Accept-Language", "de"), 8, 200}, {header("Accept-Language", "de"), 8, 200}, {crawler.Ask{}, 9, 200},
	} {
		resp := ask(c.ask)
		if resp.Status != c.status || len(o.asked) != c.asked {
			t.Errorf("%+v: status %d after %d requests, want %d after %d", c.ask, resp.Status, len(o.asked), c.status, c.asked)
		}
	}
	resp := ask(crawler.Ask{})
	resp.Body[0], resp.Header["X"] = 'X', []string{"mine"} // whoever has it may change it
	if again := ask(crawler.Ask{}); string(again.Body) != "fresh" || again.Header.Get("X") != "" || again.Header.Get("Cache-Status") != "quarry; hit" {
		t.Errorf("%s, %v", again.Body, again.Header)
	}
}

// TestCacheOfSeveralUsers: a page that one credential has brought is no answer to
// another, the Store has no credentials, and a POST takes the page out.
func TestCacheOfSeveralUsers(t *testing.T) {
	t.Parallel()
	o := &origin{answers: []string{"200\nCache-Control: max-age=60\n\n1", "200\nCache-Control: max-age=60\nVary: Authorization\n\n2", "201\n\n3",
		"200\nCache-Control: max-age=60\n\n4", "500\n\n5", "200\nCache-Control: max-age=60\n\n6"}}
	store := NewMemory(1 << 20)
	f := (&Cache{Store: store}).Wrap(o)
	user := func(token string) crawler.Ask { return crawler.Ask{Header: http.Header{"Authorization": {token}}} }
	for i, c := range []struct {
		ask  crawler.Ask
		want string
	}{
		{user("Bearer ann"), "1"}, {user("Bearer ann"), "1"}, {user("Bearer bob"), "2"}, {user("Bearer bob"), "2"},
		{crawler.Ask{Method: "POST", Body: []byte("x")}, "3"}, {user("Bearer bob"), "4"},
		{crawler.Ask{Method: "POST", Body: []byte("x")}, "5"}, {user("Bearer bob"), "4"}, {crawler.Ask{}, "6"}, {crawler.Ask{}, "6"},
	} {
		resp, err := f.Fetch(c.ask.Within(t.Context()), frontier.Request{URL: "http://a.test/"})
		if err != nil || string(resp.Body) != c.want {
			t.Errorf("step %d: %v, %v, want body %s", i, resp, err, c.want)
		}
		if b, _ := store.Get("http://a.test/"); strings.Contains(string(b), "Bearer") {
			t.Errorf("step %d: a credential is kept: %s", i, b)
		}
	}
}

func FuzzEntry(f *testing.F) {
	e := newEntry(&crawler.Response{URL: "http://a.test/", Status: 200, Header: http.Header{"Vary": {"Accept"}, "Age": {"5"}, "Expires": {"0"}}, Body: []byte("hello")}, nil)
	b, err := e.encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"URL":"x","Status":200,"Header":{"Cache-Control":["max-age=,=,\"\""]}}` + "\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := decodeEntry(b)
		if err != nil {
			return
		}
		now := time.Now()
		if l := e.lifetime(); l > maxFresh {
			t.Errorf("fresh for %v", l)
		}
		e.forErrors(now)
		e.response("hit", e.age(now))
		again, err := e.encode()
		if err != nil {
			return // a time that JSON cannot hold
		}
		if _, err := decodeEntry(again); err != nil {
			t.Error(err)
		}
	})
}
