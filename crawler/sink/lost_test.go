package sink_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/sink"
)

// TestLost: what is told of pages that there are not any more, and of those that did not change.
func TestLost(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := filepath.Join(dir, "pages.jsonl")
	line := func(r *crawler.Result) any {
		switch {
		case r.Page != nil:
			return map[string]string{"url": r.Page.URL, "title": r.Page.Title}
		case r.Kind == crawler.Same:
			return nil
		}
		return map[string]string{"url": r.URL, "became": string(r.Kind), "to": r.To}
	}
	lines, err := sink.OpenJSONL(name, sink.JSONLOptions{Record: line})
	if err != nil {
		t.Fatal(err)
	}
	links, err := sink.OpenLinks(filepath.Join(dir, "links"))
	if err != nil {
		t.Fatal(err)
	}
	both := sink.Tee(lines, links)
	for _, r := range []*crawler.Result{
		fresh(page("http://a.test/", "http://a.test/b")),
		fresh(page("http://a.test/b", "http://a.test/")),
		fresh(page("http://a.test/c", "http://a.test/")),
		{Kind: crawler.Same, URL: "http://a.test/"},
		{Kind: crawler.Gone, URL: "http://a.test/b"},
		{Kind: crawler.Moved, URL: "http://a.test/c", To: "http://a.test/d"},
	} {
		if err := both.Put(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(lines.Close(), links.Close()); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"title":"Title of http://a.test/","url":"http://a.test/"}
{"title":"Title of http://a.test/b","url":"http://a.test/b"}
{"title":"Title of http://a.test/c","url":"http://a.test/c"}
{"became":"gone","to":"","url":"http://a.test/b"}
{"became":"moved","to":"http://a.test/d","url":"http://a.test/c"}
`
	if string(got) != want {
		t.Errorf("lines\n%s", got)
	}
	g, err := sink.ReadLinks(filepath.Join(dir, "links"))
	if err != nil {
		t.Fatal(err)
	}
	for from, to := range g.Edges() {
		if g.Names[from] != "http://a.test/" {
			t.Errorf("there is a link from %s to %s", g.Names[from], g.Names[to])
		}
	}
}
