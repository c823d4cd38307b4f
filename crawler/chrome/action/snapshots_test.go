package action_test

import (
	"context"
	"strings"
	"testing"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/chrome/action"
	"github.com/webquarry/quarry/frontier"
)

// brought is what a chain has brought home.
type brought struct{ *action.Result }

func (b brought) ChainResult() *action.Result { return b.Result }

// TestSnapshotsOfOneURL: all snapshots of a URL are in its page, with their frames, whether
// the chain began on it or came there; none is lost for another of it.
func TestSnapshotsOfOneURL(t *testing.T) {
	t.Parallel()
	html := func(s string) string { return "<title>" + s + "</title><body><p>" + s + "</p></body>" }
	chain := &action.Result{Pages: []action.Page{
		{URL: "http://a.test/", HTML: html("home one")},
		{URL: "http://a.test/tabs", HTML: html("tab one")},
		{URL: "http://b.test/frame", HTML: html("frame of tab one"), Frame: true},
		{URL: "http://a.test/tabs", HTML: html("tab two")},
		{URL: "http://a.test/", HTML: html("home two"), Cut: true},
		{URL: "http://a.test/tabs", HTML: html("tab three"), Cut: true},
		{URL: "http://a.test/other", HTML: html("other")},
	}}
	asked := 0
	s := &action.Snapshots{Next: crawler.FetcherFunc(func(_ context.Context, req frontier.Request) (*crawler.Response, error) {
		asked++
		return &crawler.Response{Request: req, URL: req.URL, Status: 200, Body: []byte(html("left")), Extra: brought{chain}}, nil
	})}
	for _, page := range []struct {
		url  string
		want []string
		cut  bool
	}{
		{"http://a.test/", []string{"home one", "home two", `href="http://a.test/tabs"`, `href="http://a.test/other"`}, true},
		{"http://a.test/tabs", []string{"tab one", "frame of tab one", "tab two", "tab three"}, true},
		{"http://a.test/other", []string{"other"}, false},
	} {
		resp, err := s.Fetch(t.Context(), frontier.Request{URL: page.url})
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range page.want {
			if strings.Count(string(resp.Body), w) == 0 {
				t.Errorf("%s: no %q in %s", page.url, w, resp.Body)
			}
		}
		if strings.Count(string(resp.Body), "href=\"http://a.test/tabs\"") > 1 || resp.Truncated != page.cut || resp.URL != page.url {
			t.Errorf("%s: %+v", page.url, resp)
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}
