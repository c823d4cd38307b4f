package crawler

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/webquarry/quarry/crawler/internal/fetch"
)

// pages is a web of URL → "status body", or "status target" for redirects.
type pages map[string]string

func (p pages) RoundTrip(r *http.Request) (*http.Response, error) {
	page, ok := p[r.URL.String()]
	if !ok {
		return nil, fmt.Errorf("no page %s", r.URL)
	}
	status, rest, _ := strings.Cut(page, " ")
	resp := &http.Response{Request: r, Header: http.Header{}, ContentLength: -1}
	fmt.Sscan(status, &resp.StatusCode)
	if fetch.IsRedirect(resp.StatusCode) {
		resp.Header.Set("Location", rest)
		rest = ""
	}
	resp.Body = io.NopCloser(strings.NewReader(rest))
	return resp, nil
}

// TestCookieWall: a URL that redirects to itself until it gets its cookie.
func TestCookieWall(t *testing.T) {
	t.Parallel()
	asked := 0
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked++
		if _, err := r.Cookie("ok"); err != nil {
			http.SetCookie(w, &http.Cookie{Name: "ok", Value: "1"})
			w.Header().Set("Location", "/#top")
			w.WriteHeader(http.StatusFound)
			return
		}
		io.WriteString(w, "welcome")
	})
	h := local(t)
	for range 2 { // cookies end with the chain
		resp, err := fetchURL(t, h, base+"/")
		if err != nil || string(resp.Body) != "welcome" || resp.Location != "" {
			t.Fatalf("%+v, %v", resp, err)
		}
	}
	if asked != 4 {
		t.Errorf("%d requests, want 4", asked)
	}
}

func TestSelfRedirectLoop(t *testing.T) {
	t.Parallel()
	asked := 0
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked++
		http.SetCookie(w, &http.Cookie{Name: "never", Value: "taken"})
		http.Redirect(w, r, "/", http.StatusFound)
	})
	_, err := fetchURL(t, local(t), base+"/")
	fe := wantKind(t, err, ErrRedirectLoop)
	if len(fe.Hops) != fetch.SelfHops+1 || fe.Hops[0] != base+"/" || asked != fetch.SelfHops+1 || fe.Retryable() {
		t.Errorf("hops %q after %d requests", fe.Hops, asked)
	}
}

func TestRedirectsAreHandedBack(t *testing.T) {
	t.Parallel()
	h := &HTTP{UserAgent: testAgent, Transport: pages{
		"http://a.example/1": "301 /2#x", "http://a.example/2": "302 mailto:a@b", "http://a.example/3": "302 http://[bad/",
		"http://a.example/4": "304 ", "http://a.example/5": "307 //B.example:80/./q?",
	}}
	for url, want := range map[string]string{
		"http://a.example/1": "http://a.example/2", "http://a.example/2": "", "http://a.example/3": "", "http://a.example/4": "",
		"http://a.example/5": "http://b.example/q",
	} {
		resp, err := fetchURL(t, h, url)
		if err != nil || resp.Location != want || resp.Status/100 != 3 {
			t.Errorf("%s: %+v, %v; want Location %q", url, resp, err, want)
		}
	}
}

func TestRedirectsFollowed(t *testing.T) {
	t.Parallel()
	web := pages{}
	for i := range 5 {
		web[fmt.Sprintf("http://h%d.example/", i)] = fmt.Sprintf("302 http://h%d.example/", i+1)
	}
	web["http://h5.example/"] = "200 end"
	web["http://l.example/"], web["http://l.example/2"] = "302 /2", "302 /"
	h := &HTTP{UserAgent: testAgent, Transport: web, Redirects: 5}
	resp, err := fetchURL(t, h, "http://h0.example/")
	if err != nil || string(resp.Body) != "end" || resp.URL != "http://h5.example/" || resp.Request.URL != "http://h0.example/" {
		t.Fatalf("%+v, %v", resp, err)
	}
	_, err = fetchURL(t, h, "http://l.example/")
	wantKind(t, err, ErrRedirectLoop)
	h = &HTTP{UserAgent: testAgent, Transport: web, Redirects: 4}
	_, err = fetchURL(t, h, "http://h0.example/")
	if fe := wantKind(t, err, ErrRedirectTooMany); len(fe.Hops) != 5 {
		t.Errorf("hops %q", fe.Hops)
	}
	offSite := errors.New("off site")
	h = &HTTP{UserAgent: testAgent, Transport: web, Redirects: 4, OnRedirect: func(via []string, next string) error {
		if len(via) == 2 && next == "http://h2.example/" {
			return offSite
		}
		return nil
	}}
	_, err = fetchURL(t, h, "http://h0.example/")
	if wantKind(t, err, ErrRedirect); !errors.Is(err, offSite) {
		t.Errorf("error %v, want the hook's", err)
	}
}

// TestCredentialsStayAtTheirOrigin: what is sent to one origin is sent to no
// other, with or without a hook.
func TestCredentialsStayAtTheirOrigin(t *testing.T) {
	t.Parallel()
	secrets := http.Header{"Authorization": {"Basic x"}, "Cookie": {"s=1"}, "Proxy-Authorization": {"y"}, "X-Api-Key": {"z"}}
	for _, c := range []struct {
		to   string
		kept bool
	}{
		{"https://a.example/next", true}, {"https://A.example:443/next", true}, {"https://b.example/", false},
		{"https://a.example:8443/", false}, {"http://a.example/", false}, {"https://sub.a.example/", false},
	} {
		for _, hook := range []func([]string, string) error{nil, func([]string, string) error { return nil }} {
			rec := &recorder{pages: pages{"https://a.example/": "302 " + c.to}}
			h := &HTTP{UserAgent: testAgent, Transport: rec, Redirects: 1, OnRedirect: hook,
				Credentials: map[string]http.Header{"https://a.example": secrets}}
			fetchURL(t, h, "https://a.example/")
			if len(rec.headers) != 2 {
				t.Fatalf("%s: %d requests", c.to, len(rec.headers))
			}
			for k := range secrets {
				if _, sent := rec.headers[0][k]; !sent {
					t.Errorf("%s not sent to its origin", k)
				}
				if _, sent := rec.headers[1][k]; sent != c.kept {
					t.Errorf("%s sent to %s: %v, want %v", k, c.to, sent, c.kept)
				}
			}
		}
	}
}

// recorder notes the headers of all requests; pages it lacks are empty.
type recorder struct {
	pages
	headers []http.Header
}

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	r.headers = append(r.headers, req.Header)
	if !slices.Contains([]string{"https://a.example/"}, req.URL.String()) {
		return pages{req.URL.String(): "200 "}.RoundTrip(req)
	}
	return r.pages.RoundTrip(req)
}
