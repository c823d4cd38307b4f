package crawler

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// villain is a host that does one thing to whoever asks for its page.
type villain struct {
	serve func(c net.Conn)
	want  string // event, reason or kind of error
	after bool   // the link of its page is followed
}

const okHTML = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/html\r\n"

func says(s string) func(net.Conn) { return func(c net.Conn) { io.WriteString(c, s) } }

// floods says first, and then block for ever.
func floods(first, block string) func(net.Conn) {
	return func(c net.Conn) {
		io.WriteString(c, first)
		for {
			if _, err := io.WriteString(c, block); err != nil {
				return
			}
		}
	}
}

func drips(first, each string) func(net.Conn) {
	return func(c net.Conn) {
		io.WriteString(c, first)
		drip(c, each, 20*time.Millisecond)
	}
}

// villains are the kinds of trouble that servers make, each on a host of its own.
func villains(t *testing.T) map[string]villain {
	page := `<title>x</title><p>some text <a href="/after">after</a>`
	sized := func(head string) string { return fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head, len(page), page) }
	bomb := encode(t, "gzip", make([]byte, 24<<20))
	half := encode(t, "gzip", []byte(strings.Repeat(page, 50)))
	silent := func(c net.Conn) { io.Copy(io.Discard, c) }
	closes := "Connection: close\r\n"
	return map[string]villain{
		"good":              {says(sized(okHTML)), "fetched", true},
		"no-length":         {says(okHTML + "\r\n" + page), "fetched", true},
		"http-1-0":          {says("HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + page), "fetched", true},
		"no-reason":         {says(sized("HTTP/1.1 200\r\nContent-Type: text/html\r\n" + closes)), "fetched", true},
		"no-type":           {says(sized("HTTP/1.1 200 OK\r\n" + closes)), "fetched", true},
		"early-hints":       {says(sized("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + okHTML)), "fetched", true},
		"more-than-length":  {says(sized(okHTML) + "HTTP/1.1 200 OK\r\n\r\nsmuggled"), "fetched", true},
		"wrong-coding":      {says(sized(okHTML + "Content-Encoding: gzip\r\n")), "fetched", true},
		"unknown-coding":    {says(sized(okHTML + "Content-Encoding: snappy\r\n")), "fetched", true},
		"cookie-flood":      {says(sized(okHTML + strings.Repeat("Set-Cookie: a=b\r\n", 500))), "fetched", true},
		"text-without-end":  {floods(okHTML+"\r\n"+page, strings.Repeat("text ", 1000)), "fetched", true},
		"chunks-to-no-end":  {floods(okHTML+"Transfer-Encoding: chunked\r\n\r\n"+fmt.Sprintf("%x\r\n%s\r\n", len(page), page), "3e8\r\n"+strings.Repeat("x", 1000)+"\r\n"), "fetched", true},
		"deep":              {says(okHTML + "\r\n" + page + strings.Repeat("<div><b>", 50_000)), "fetched", true},
		"drip":              {drips(okHTML+"\r\n"+page, "x"), "slow", false},
		"stall":             {func(c net.Conn) { io.WriteString(c, okHTML+"Content-Length: 9999\r\n\r\n"+page); silent(c) }, "slow", false},
		"drip-headers":      {drips("HTTP/1.1 200 OK\r\n", "X-More: 1\r\n"), "timeout header", false},
		"silent":            {silent, "timeout header", false},
		"headers-no-end":    {floods(okHTML, "X-Header: "+strings.Repeat("y", 500)+"\r\n"), "too large", false},
		"image-without-end": {floods("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n\x89PNG", strings.Repeat("\x00", 1000)), "too large", false},
		"absurd-length":     {floods("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 9000000000000000\r\n\r\n", "x"), "too large", false},
		"bomb":              {says(okHTML + "Content-Encoding: gzip\r\n\r\n" + string(bomb)), "bomb", false},
		"nothing":           {says(""), "no answer", false},
		"no-http":           {says("SSH-2.0-x\r\n\r\n"), "protocol", false},
		"status-text":       {says(sized("HTTP/1.1 abc OK\r\n")), "protocol", false},
		"lengths-differ":    {says("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"), "protocol", false},
		"half-a-page":       {says(okHTML + "Content-Length: 9999\r\n\r\n" + page), "broken", false},
		"half-a-chunk":      {says(okHTML + "Transfer-Encoding: chunked\r\n\r\n999\r\n" + page), "broken", false},
		"half-a-gzip":       {says(okHTML + "Content-Encoding: gzip\r\n\r\n" + string(half[:len(half)-9])), "decode", false},
		"gone":              {says(sized("HTTP/1.1 410 Gone\r\n")), "status", false},
		"failing":           {says(sized("HTTP/1.1 500 Oops\r\n")), "status", false},
		"odd-status":        {says(sized("HTTP/1.1 999 Denied\r\n")), "status", false},
		"loop":              {says("HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n"), "redirect loop", false},
		"to-mail":           {says("HTTP/1.1 302 Found\r\nLocation: mailto:a@b\r\nContent-Length: 0\r\n\r\n"), "redirect", false},
		"to-nowhere":        {says("HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n"), "redirect", false},
		"to-inside":         {says("HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n"), "redirect", false}, // to a URL that then is blocked
		"off-site":          {says("HTTP/1.1 302 Found\r\nLocation: http://elsewhere.example/\r\nContent-Length: 0\r\n\r\n"), "out of scope", false},
		"archive":           {says(sized("HTTP/1.1 200 OK\r\nContent-Type: application/zip\r\n")), "type", false},
		"empty":             {says(okHTML + "Content-Length: 0\r\n\r\n"), "fetched", false},
	}
}

// serveVillains is a proxy to all of them. Other pages are empty.
func serveVillains(t *testing.T, all map[string]villain) *url.URL {
	addr := hostile(t, func(c net.Conn) {
		r, err := http.ReadRequest(bufio.NewReader(c))
		if err != nil {
			return
		}
		name, _, _ := strings.Cut(r.URL.Host, ".")
		v, known := all[name]
		switch {
		case known && r.URL.Path == "/":
			v.serve(c)
		case known && r.URL.Path == "/after":
			io.WriteString(c, okHTML+"Connection: close\r\nContent-Length: 2\r\n\r\nhi")
		default:
			io.WriteString(c, "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
		}
	})
	u, err := url.Parse(addr)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// TestHostileHosts crawls them all: each ends as it should, no worker stays with
// any of them, and none takes more memory than its limit.
func TestHostileHosts(t *testing.T) {
	t.Parallel()
	all := villains(t)
	h := local(t, func(h *HTTP) {
		h.AllowPrivate, h.Proxy = false, serveVillains(t, all)
		h.Timeout, h.MinRate, h.MaxBody = 4*time.Second, 1000, 1<<20
	})
	got, after := map[string]string{}, map[string]bool{}
	var seeds []string
	for name := range all {
		seeds = append(seeds, "http://"+name+".test/")
	}
	c := Crawler{
		UserAgent: testAgent, Fetcher: h, Workers: 16, Frontier: frontier.New(frontier.Options{Limits: frontier.Limits{Delay: -1}}),
		Follow:  func(_ *Page, l Link) (float64, bool) { return 0, !strings.Contains(l.URL, "elsewhere") },
		Revisit: func(frontier.Request, *Response, error) frontier.Outcome { return frontier.Outcome{} },
		OnEvent: func(e Event) {
			u, err := url.Parse(e.URL)
			if err != nil || e.Kind == Ended {
				return
			}
			name, _, _ := strings.Cut(u.Host, ".")
			switch {
			case u.Path == "/after":
				after[name] = true
			case e.Kind == Fetched:
				got[name] = string(e.Kind)
			case e.Reason != "":
				got[name] = e.Reason
			default:
				got[name] = string(kindIn(e.Err))
			}
		},
	}
	start := time.Now()
	if err := c.Run(t.Context(), seeds...); err != nil {
		t.Fatal(err)
	}
	for name, v := range all {
		if got[name] != v.want || after[name] != v.after {
			t.Errorf("%s: %q, its link followed: %v; want %q, %v", name, got[name], after[name], v.want, v.after)
		}
	}
	if kind := got["169"]; kind != string(ErrBlockedAddr) {
		t.Errorf("the address inside: %q", kind)
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
}

// TestRobotsBomb: a robots.txt that is a bomb, or has no end, is one that cannot
// be had, and takes no memory.
func TestRobotsBomb(t *testing.T) {
	t.Parallel()
	bomb := encode(t, "gzip", make([]byte, 8<<20))
	h := local(t, func(h *HTTP) {
		h.MaxBody = 1 << 20
		h.Proxy, _ = url.Parse(serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/robots.txt" {
				w.Header().Set("Content-Encoding", "gzip")
				w.Write(bomb)
				return
			}
			t.Errorf("%s was asked for", r.URL)
		}))
	})
	var ms [2]runtime.MemStats
	runtime.ReadMemStats(&ms[0])
	var kind Kind
	c := Crawler{UserAgent: testAgent, Fetcher: h, OnEvent: func(e Event) {
		if e.Kind == Retrying {
			kind = kindIn(e.Err)
		}
	}, Budget: Budget{Wall: time.Second}}
	if err := c.Run(t.Context(), "http://a.test/"); err != nil {
		t.Fatal(err)
	}
	if kind != ErrRobotsUnreachable {
		t.Errorf("%q", kind)
	}
}

// TestConnectionOfABombIsClosed: what is left of it is not read for the sake of
// the connection.
func TestConnectionOfABombIsClosed(t *testing.T) {
	t.Parallel()
	body := bytes.Repeat([]byte("x"), 64<<20)
	wrote := make(chan int, 1)
	base := hostile(t, func(c net.Conn) {
		readHead(c)
		fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n", len(body))
		n, _ := c.Write(body)
		wrote <- n
	})
	h := local(t, func(h *HTTP) { h.MaxBody = 1 << 20 })
	resp, err := fetchURL(t, h, base)
	if err != nil || !resp.Truncated || len(resp.Body) != 1<<20 {
		t.Fatalf("%v", err)
	}
	if n := <-wrote; n > 16<<20 {
		t.Errorf("the server got rid of %d bytes", n)
	}
}

// TestRevisitMeetsRedirect: a page that its handler wants again, and that has
// become a redirect to a page that was visited, has that one outcome.
func TestRevisitMeetsRedirect(t *testing.T) {
	t.Parallel()
	bubble(t, `
-- http://a.test/ --
<a href="/done">done</a> <a href="/r">r</a>
-- http://a.test/done --
<title>done</title>
-- http://a.test/r --
<title>r</title>
-- http://a.test/r --
HTTP 302
Location: /done
`, func(t *testing.T, c *crawl) {
		c.Revisit = func(req frontier.Request, resp *Response, err error) frontier.Outcome {
			if strings.HasSuffix(req.URL, "/r") && resp != nil && resp.Status == 200 {
				return frontier.Outcome{Again: time.Now()}
			}
			return Retry(req, resp, err)
		}
		c.run(t, "http://a.test/")
		c.web.EachOnce(t)
		events := c.about("http://a.test/r")
		if len(events) != 2 || events[0].Kind != Fetched || events[1].Reason != SkipRedirect {
			t.Errorf("%+v", events)
		}
	})
}

// TestScopeFailsClosed: what cannot be told to be of the site is not.
func TestScopeFailsClosed(t *testing.T) {
	t.Parallel()
	for _, from := range []string{"", "http://[bad", "://", "mailto:a@b"} {
		page := &Page{URL: from, Response: &Response{URL: from}}
		if _, ok := sameSiteAsPage()(page, Link{URL: "http://a.test/"}); ok {
			t.Errorf("a link of %q is of its site", from)
		}
	}
	bubble(t, `
-- http://a.test/ --
<base href="http://[bad/"><a href="x">x</a> <a href="http://b.test/">b</a>
-- http://a.test/x --
x
`, func(t *testing.T, c *crawl) {
		c.run(t, "http://a.test/")
		c.wantPut(t, "http://a.test/", "http://a.test/x")
	})
}

// TestSlowPages: a hundred hosts whose pages never come, though their robots.txt
// does, hold up ten good ones for the time of their first timeouts and no more:
// after that the good ones are as fast as alone.
func TestSlowPages(t *testing.T) {
	t.Parallel()
	const pages = 60
	last := func(slow int) (all []time.Duration) {
		bubble(t, "", func(t *testing.T, c *crawl) {
			c.Workers, c.Follow = 64, anywhere
			var seeds []string
			add := func(home string, wait string) {
				seeds = append(seeds, home)
				var links strings.Builder
				for i := range pages {
					fmt.Fprintf(&links, "<a href='/%d'>x</a>", i)
					c.web.Add(fmt.Sprintf("%s%d", home, i), "HTTP 200\nContent-Type: text/html\nTest-Wait: "+wait+"\n\n<p>x")
				}
				c.web.Add(home, links.String())
			}
			for n := range slow {
				add(fmt.Sprintf("http://slow%d.test/", n), "10h")
			}
			for n := range 10 {
				add(fmt.Sprintf("http://good%d.test/", n), "100ms")
			}
			c.Budget.Wall = 15 * time.Minute
			start := time.Now()
			c.run(t, seeds...)
			for _, e := range c.events {
				if e.Kind == Fetched && strings.Contains(e.URL, "good") {
					all = append(all, e.Page.Response.Fetched.Sub(start))
				}
			}
		})
		slices.Sort(all)
		return all
	}
	alone, beside := last(0), last(100)
	if len(alone) != 10*(pages+1) || len(beside) != len(alone) {
		t.Fatalf("%d pages alone, %d beside", len(alone), len(beside))
	}
	end := len(alone) - 1
	t.Logf("the last of %d good pages after %v alone, %v beside 100 slow hosts", end+1, alone[end], beside[end])
	if first := 30 * time.Second; beside[end] > alone[end]+first+alone[end]/10 {
		t.Errorf("the last good page after %v, alone after %v", beside[end], alone[end])
	}
}
