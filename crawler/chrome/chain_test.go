package chrome_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/chrome"
	"github.com/webquarry/quarry/crawler/chrome/action"
	"github.com/webquarry/quarry/frontier"
)

// A chain picked by the label is done before the page is read.
func TestChain(t *testing.T) {
	t.Parallel()
	s := serve(t, pages{
		"/list": `<ul id=l></ul><button id=more>more</button><script>let n = 0
			more.onclick = () => fetch("/more?" + ++n).then(r => r.text()).then(h => { l.insertAdjacentHTML("beforeend", h); if (n == 3) more.remove() })</script>`,
		"/more": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "<li><a href=/item/%s>item</a>", r.URL.RawQuery)
		},
		"/away": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/list", http.StatusFound) },
	})
	more := &action.Chain{Steps: action.Steps{{Do: action.ClickWhile{Selector: action.Selector{CSS: "#more"}}}}}
	f := own(t, &chrome.Fetcher{Tabs: 1, Chain: func(req frontier.Request) *action.Chain {
		switch req.Label {
		case "list":
			return more
		case "broken":
			return &action.Chain{Steps: action.Steps{more.Steps[0], {Do: action.Click{Selector: action.Selector{CSS: "#nowhere"}}, Timeout: 100 * time.Millisecond}}}
		}
		return nil
	}})
	get := func(path, label string) (*crawler.Response, error) {
		return f.Fetch(t.Context(), frontier.Request{URL: s.URL + path, Label: label})
	}
	resp, err := get("/list", "list")
	if err != nil {
		t.Fatal(err)
	}
	wantBody(t, resp, `<a href="/item/1">`, `<a href="/item/3">`)
	if v := resp.Extra.(*chrome.Visit); resp.Status != 200 || v.Chain == nil || len(v.Chain.Reports) != 1 || v.Requests != 4 || !v.Settled {
		t.Errorf("status %d, %+v", resp.Status, v)
	}
	_, err = get("/list", "broken")
	broken, ok := errors.AsType[*chrome.ChainError](err)
	if !ok || !errors.Is(err, crawler.ErrOther) || len(broken.Result.Reports) != 2 || len(broken.Result.Files) != 1 {
		t.Errorf("the chain that fails gives %v", err)
	}
	if step, ok := errors.AsType[*action.StepError](err); !ok || step.Report.Step != "2" {
		t.Errorf("the step is not named: %v", err)
	}
	if resp, err := get("/list", ""); err != nil || resp.Extra.(*chrome.Visit).Chain != nil {
		t.Errorf("without a chain %v", err)
	}
	if resp, err := get("/away", "list"); err != nil || resp.Status != 302 || resp.Location != s.URL+"/list" {
		t.Errorf("a redirect is %+v, %v", resp, err)
	}
}

// What a chain finds is in the page.
func TestRefine(t *testing.T) {
	t.Parallel()
	s := serve(t, pages{
		"/":  `<p>a page</p><span onclick="history.pushState({}, '', '/view/1')">view</span>`,
		"/x": `<p>other</p>`,
	})
	f := own(t, &chrome.Fetcher{Chain: func(frontier.Request) *action.Chain {
		return &action.Chain{Steps: action.Steps{{Do: action.FindLinks{}}}}
	}})
	var links []string
	c := crawler.Crawler{UserAgent: agent, Fetcher: f, Parser: &crawler.HTML{Refine: chrome.Refine}, IgnoreRobots: true, Budget: crawler.Budget{Pages: 1},
		Sink: crawler.Pages(func(_ context.Context, p *crawler.Page) error {
			for _, l := range p.Links {
				links = append(links, l.URL)
			}
			return nil
		})}
	if err := c.Run(t.Context(), s.URL+"/"); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(links) != "["+s.URL+"/view/1]" {
		t.Errorf("links %v", links)
	}
}
