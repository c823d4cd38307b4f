package crawler

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// scripted is a web whose pages answer each visit with the next of their answers, the last
// again and again: a status, a text, "→ URL" for a redirect, "canonical URL", "noindex".
type scripted struct {
	mu     sync.Mutex
	pages  map[string][]string
	visits map[string]int
}

func (s *scripted) Fetch(_ context.Context, req frontier.Request) (*Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.pages[req.URL]
	at := min(s.visits[req.URL], len(all)-1)
	s.visits[req.URL]++
	resp := &Response{Request: req, URL: req.URL, Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Fetched: time.Now()}
	if at < 0 {
		resp.Status = 404
		return resp, nil
	}
	var status int
	to, moved := strings.CutPrefix(all[at], "→ ")
	canonical, named := strings.CutPrefix(all[at], "canonical ")
	switch n, _ := fmt.Sscan(all[at], &status); {
	case n == 1:
		resp.Status = status
	case moved:
		resp.Status, resp.Location = 301, to
	case named:
		resp.Body = fmt.Appendf(nil, "<link rel=canonical href=%s>text", canonical)
	case all[at] == "noindex":
		resp.Body = []byte("<meta name=robots content=noindex>text")
	default:
		resp.Body = []byte("<p>" + all[at])
	}
	return resp, nil
}

// TestResults: a Sink is told of each visit what it found of a page.
func TestResults(t *testing.T) {
	t.Parallel()
	const host = "http://a.test/"
	tests := []struct {
		name    string
		answers []string
		want    []string
	}{
		{"changed", []string{"one", "two", "two", "two"}, []string{"new", "changed", "same", "same"}},
		{"not modified", []string{"one", "304", "304", "two"}, []string{"new", "same, no page", "same, no page", "changed"}},
		{"away once", []string{"one", "404", "one", "one"}, []string{"new", "same", "same"}},
		{"gone", []string{"one", "404", "404", "404"}, []string{"new", "gone"}},
		{"gone for good", []string{"one", "410", "404", "404"}, []string{"new", "gone"}},
		{"gone and back", []string{"one", "404", "404", "one"}, []string{"new", "gone", "new"}},
		{"never there", []string{"404", "404", "404", "404"}, nil},
		{"late", []string{"404", "404", "one", "one"}, []string{"new", "same"}},
		{"in trouble", []string{"one", "503", "500", "503"}, []string{"new"}},
		{"in trouble between", []string{"one", "404", "503", "404"}, []string{"new", "gone"}},
		{"empty", []string{"one", "204", "one", "one"}, []string{"new", "gone", "new", "same"}},
		{"noindex", []string{"one", "noindex", "noindex", "one"}, []string{"new", "gone", "new"}},
		{"moved", []string{"one", "→ " + host + "other", "→ " + host + "other", "→ " + host + "other"}, []string{"new", "moved to http://a.test/other"}},
		{"moved once", []string{"one", "→ " + host + "other", "one", "one"}, []string{"new", "same", "same"}},
		{"moved out of scope", []string{"one", "→ http://b.test/", "→ http://b.test/", "one"}, []string{"new", "moved to http://b.test/", "new"}},
		{"canonical", []string{"one", "canonical /other", "canonical /other", "one"}, []string{"new", "moved to http://a.test/other", "new"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				web := &scripted{pages: map[string][]string{host: tt.answers, host + "other": {"other"}}, visits: map[string]int{}}
				var got []string
				for range tt.answers { // each visit is one of a run of its own, on what the last one has left
					f, err := frontier.Open(dir, frontier.Options{Horizon: time.Minute, Limits: frontier.Limits{Delay: -1}})
					if err != nil {
						t.Fatal(err)
					}
					c := recrawler(web, f, func(r *Result) error {
						if r.URL != host {
							return nil
						}
						what := string(r.Kind)
						switch {
						case r.To != "":
							what += " to " + r.To
						case r.Kind == Same && r.Page == nil:
							what += ", no page"
						case (r.Page == nil) != (r.Kind == Gone):
							t.Errorf("%s with page %v", r.Kind, r.Page)
						}
						got = append(got, what)
						return nil
					})
					if err := c.Run(t.Context(), host); err != nil && !errors.Is(err, ErrNothingFetched) && !isA[*UnfinishedError](err) {
						t.Error(err)
					}
					if err := f.Close(); err != nil {
						t.Fatal(err)
					}
					time.Sleep(2 * time.Hour)
				}
				if !slices.Equal(got, tt.want) {
					t.Errorf("results %q, want %q", got, tt.want)
				}
			})
		})
	}
}

// recrawler has its pages come again in an hour, which is beyond the horizon of the run.
func recrawler(web Fetcher, f frontier.Frontier, put func(*Result) error) *Crawler {
	return &Crawler{UserAgent: testAgent, Fetcher: web, Frontier: f, IgnoreRobots: true, Workers: 1,
		Sink: SinkFunc(func(_ context.Context, r *Result) error { return put(r) }),
		Revisit: func(frontier.Request, *Response, error) frontier.Outcome {
			return frontier.Outcome{Again: time.Now().Add(time.Hour)}
		}}
}

// TestGoneIsNotLost: where the Sink cannot take it that a page is gone, the run ends, and the
// next one tells it again.
func TestGoneIsNotLost(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		web := &scripted{pages: map[string][]string{"http://a.test/": {"one", "404"}}, visits: map[string]int{}}
		full, fails := errors.New("disk full"), 2
		told := map[ResultKind]int{}
		for range 6 {
			f, err := frontier.Open(dir, frontier.Options{Horizon: time.Minute, Limits: frontier.Limits{Delay: -1}})
			if err != nil {
				t.Fatal(err)
			}
			c := recrawler(web, f, func(r *Result) error {
				if told[r.Kind]++; r.Kind == Gone && told[Gone] <= fails {
					return full
				}
				return nil
			})
			before := told[Gone]
			err = c.Run(t.Context(), "http://a.test/")
			if failed := told[Gone] > before && told[Gone] <= fails; failed != errors.Is(err, full) {
				t.Errorf("%v: the run ended with %v", told, err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * time.Hour)
		}
		if want := map[ResultKind]int{New: 1, Gone: fails + 1}; !maps.Equal(told, want) {
			t.Errorf("told %v, want %v", told, want)
		}
	})
}

// TestMovedByFetcher: a page that a Fetcher finds elsewhere, as it follows redirects, is taken out
// where it was and put where it is.
func TestMovedByFetcher(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		at := []string{"http://a.test/x", "http://a.test/x", "http://a.test/y", "http://a.test/"}
		visits := 0
		follows := FetcherFunc(func(_ context.Context, req frontier.Request) (*Response, error) {
			to := at[min(visits, len(at)-1)]
			visits++
			return &Response{Request: req, URL: to, Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte("one")}, nil
		})
		var got []string
		f := frontier.New(frontier.Options{Horizon: -1, Limits: frontier.Limits{Delay: -1}})
		defer f.Close()
		enough := errors.New("enough")
		ctx, stop := context.WithCancelCause(t.Context())
		c := recrawler(follows, f, func(r *Result) error {
			got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Kind, r.URL, r.To)))
			if visits == len(at) && r.Page != nil {
				stop(enough)
			}
			return nil
		})
		if err := c.Run(ctx, "http://a.test/"); !errors.Is(err, enough) {
			t.Fatal(err)
		}
		want := []string{"new http://a.test/x", "same http://a.test/x", "moved http://a.test/x http://a.test/y", "new http://a.test/y",
			"moved http://a.test/y http://a.test/", "new http://a.test/"}
		if !slices.Equal(got, want) {
			t.Errorf("results %q, want %q", got, want)
		}
	})
}
