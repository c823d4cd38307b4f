package main

import (
	"context"
	"io"
	"net/http"
	"strings"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/session"
)

// site shows its members' page to those who have filled its form in.
type site struct{}

func (site) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := func(status int, body string, header ...string) (*http.Response, error) {
		h := http.Header{"Content-Type": {"text/html"}}
		for i := 0; i < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
	}
	cookie, _ := r.Cookie("session")
	switch {
	case r.URL.Path == "/robots.txt":
		return answer(404, "")
	case r.Method == http.MethodPost && r.FormValue("user") == "ann" && r.FormValue("password") == "secret":
		return answer(303, "", "Set-Cookie", "session=1", "Location", "/members")
	case r.URL.Path == "/members" && cookie != nil:
		return answer(200, "<title>Members only</title>")
	}
	return answer(200, `<title>Log in</title><form method="post"><input name="user"><input name="password" type="password"></form>`)
}

func Example() {
	fetcher := &crawler.HTTP{UserAgent: userAgent, Cookies: session.New(), Transport: site{}}
	fields := map[string]string{"user": "ann", "password": "secret"}
	if err := titles(context.Background(), fetcher, "http://a.example/login", fields, "http://a.example/members"); err != nil {
		panic(err)
	}
	// Output:
	// http://a.example/members Members only
}
