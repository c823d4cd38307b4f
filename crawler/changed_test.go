package crawler

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// TestRevisitsAskWhetherAPageHasChanged: each visit sends the validators of the
// page that was put last, over failures and a restart, and robots.txt none. The
// Revisit's own value goes along.
func TestRevisitsAskWhetherAPageHasChanged(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*testing.T, string) frontier.Frontier{
		"memory": nil,
		"disk": func(t *testing.T, dir string) frontier.Frontier {
			f, err := frontier.Open(dir, frontier.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return f
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				c := over(t, "")
				var asked, memos []string
				statuses := []int{200, 304, 503, 304, 200, 200, 304}
				tags := []string{`"1"`, "", "", "", `W/"2"`, "", ""}
				c.Fetcher = &HTTP{UserAgent: testAgent, Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
					resp := &http.Response{Request: r, StatusCode: 404, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("<p>x"))}
					sent := r.Header.Get("If-None-Match") + r.Header.Get("If-Modified-Since")
					if r.URL.Path == "/robots.txt" {
						if sent != "" {
							t.Errorf("robots.txt is asked for with %s", sent)
						}
						return resp, nil
					}
					n := len(asked)
					asked = append(asked, sent)
					resp.StatusCode = statuses[n]
					if tags[n] != "" {
						resp.Header.Set("Etag", tags[n])
					}
					if n == 5 {
						resp.Header.Set("Last-Modified", "Fri, 31 Dec 1999 00:00:00 GMT")
					}
					return resp, nil
				})}
				c.Revisit = func(req frontier.Request, resp *Response, err error) frontier.Outcome {
					memos = append(memos, req.Meta.Get("test.memo"))
					if len(memos) == len(statuses) {
						return frontier.Outcome{}
					}
					return frontier.Outcome{Again: time.Now().Add(time.Hour), Meta: frontier.Meta{}.With("test.memo", strings.Repeat("m", len(memos)))}
				}
				if open == nil {
					c.run(t, "http://a.test/")
				} else {
					for range 2 * len(statuses) { // as often as it takes: robots.txt is a visit of its own
						c.Frontier = open(t, dir)
						c.Budget.Wall = 61 * time.Minute
						c.run(t, "http://a.test/")
						c.Frontier.(*frontier.Disk).Close()
					}
				}
				want := []string{"", `"1"`, `"1"`, `"1"`, `"1"`, `W/"2"`, "Fri, 31 Dec 1999 00:00:00 GMT"}
				if !slices.Equal(asked, want) {
					t.Errorf("asked with %q, want %q", asked, want)
				}
				if want := []string{"", "m", "mm", "mmm", "mmmm", "mmmmm", "mmmmmm"}; !slices.Equal(memos, want) {
					t.Errorf("memos %q", memos)
				}
				var kinds []string
				for _, e := range c.about("http://a.test/") {
					kinds = append(kinds, string(e.Kind)+e.Reason)
				}
				if want := strings.Fields("fetched skippednot_modified retrying skippednot_modified fetched fetched skippednot_modified"); strings.ReplaceAll(strings.Join(kinds, ","), " ", "_") != strings.Join(want, ",") {
					t.Errorf("events %q", kinds)
				}
			})
		})
	}
}

func TestValidators(t *testing.T) {
	t.Parallel()
	for _, h := range []http.Header{{"Etag": {strings.Repeat("x", maxValidator+1)}}, {"Etag": {"a\x00b"}}, {"Last-Modified": {"a\nb"}}} {
		if v := validatorsIn(&Response{Header: h}); v != (validators{}) {
			t.Errorf("%+v", v)
		}
	}
	if v := validatorsIn(&Response{Header: http.Header{"Etag": {"x"}}, Truncated: true}); v != (validators{}) {
		t.Errorf("of a page that was cut: %+v", v)
	}
}
