package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/chrome"
	"github.com/webquarry/quarry/crawler/chrome/action"
	"github.com/webquarry/quarry/crawler/job"
	"github.com/webquarry/quarry/index/serve"
)

// tries are the last specs that were tried and pages that were picked from, with what the
// browser shows of them.
type tries struct {
	one chan struct{} // one at a time, as each may start a browser

	mu    sync.Mutex // guards what follows
	order []string   // of ids, the oldest first
	kept  map[string]try
}

// try is what is kept for the browser that asked.
type try struct {
	files map[string][]byte // screenshots
	html  []byte            // of the page that is picked from, made harmless
}

const (
	mostTries = 12
	tryFor    = 2 * time.Minute
)

func newTries() *tries { return &tries{one: make(chan struct{}, 1), kept: map[string]try{}} }

func (t *tries) keep(x try) (id string) {
	id = rand.Text()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept[id] = x
	if t.order = append(t.order, id); len(t.order) > mostTries {
		delete(t.kept, t.order[0])
		t.order = t.order[1:]
	}
	return id
}

func (t *tries) find(id string) (try, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	x, ok := t.kept[id]
	return x, ok
}

// tried is what a dry run shows.
type tried struct {
	Mistakes []string    `json:"mistakes,omitempty"`
	Error    string      `json:"error,omitempty"`
	Pages    []triedPage `json:"pages"`
	Events   []string    `json:"events"`
}

type triedPage struct {
	URL     string              `json:"url"`
	Title   string              `json:"title"`
	Text    string              `json:"text"`
	Links   int                 `json:"links"`
	Records []map[string]string `json:"records"`
	Flaws   []string            `json:"flaws,omitempty"`
	Steps   []triedStep         `json:"steps,omitempty"`
}

type triedStep struct {
	Step   string `json:"step"`
	Action string `json:"action"`
	End    string `json:"end"`
	Note   string `json:"note"`
	Took   string `json:"took"`
	Error  string `json:"error,omitempty"`
	Shot   string `json:"shot,omitempty"` // address of a screenshot
}

// dryRun visits the first pages of the spec that it is sent, and shows what would be taken
// out of them, and each step of chains.
func (t *tries) dryRun(out http.ResponseWriter, r *http.Request) {
	_ = http.NewResponseController(out).SetWriteDeadline(time.Now().Add(tryFor + 10*time.Second))
	n, _ := strconv.Atoi(r.URL.Query().Get("pages"))
	answer := tried{Pages: []triedPage{}, Events: []string{}}
	pages, events, err := t.run(r, min(max(n, 1), 20), r.URL.Query().Get("url"))
	if wrong, ok := errors.AsType[*job.SpecError](err); ok {
		for _, m := range wrong.Mistakes {
			answer.Mistakes = append(answer.Mistakes, m.String())
		}
	} else if err != nil {
		answer.Error = err.Error()
	}
	for _, p := range pages {
		answer.Pages = append(answer.Pages, t.show(p))
	}
	for _, e := range events {
		if e.Kind != crawler.Ended {
			answer.Events = append(answer.Events, strings.TrimSuffix(fmt.Sprintf("%s: %s %s %v", e.URL, e.Kind, e.Reason, orNothing(e.Err)), " "))
		}
	}
	serve.WriteJSON(out, http.StatusOK, answer)
}

func orNothing(err error) any {
	if err == nil {
		return ""
	}
	return err
}

// run visits pages of the spec in a request, or one URL with its settings.
func (t *tries) run(r *http.Request, pages int, one string) ([]*crawler.Page, []crawler.Event, error) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, nil, err
	}
	spec, err := job.Parse(text)
	if err != nil {
		return nil, nil, err
	}
	if one != "" {
		spec.Seeds, spec.Sitemaps = []string{one}, false
	}
	for i := range spec.Chains {
		spec.Chains[i].Steps = withShots(spec.Chains[i].Steps)
	}
	ctx, cancel := context.WithTimeoutCause(r.Context(), tryFor, errors.New("it took too long"))
	defer cancel()
	select {
	case t.one <- struct{}{}:
		defer func() { <-t.one }()
	case <-ctx.Done():
		return nil, nil, context.Cause(ctx)
	}
	return job.DryRun(ctx, spec, job.Options{}, pages)
}

// withShots has a picture taken after each step.
func withShots(steps action.Steps) (out action.Steps) {
	for i, s := range steps {
		out = append(out, s, action.Step{Do: action.Screenshot{File: shotName(i)}, Optional: true})
	}
	return out
}

func shotName(i int) string { return fmt.Sprintf("step-%d.png", i+1) }

// show is a page for people.
func (t *tries) show(p *crawler.Page) triedPage {
	out := triedPage{URL: p.URL, Title: p.Title, Links: len(p.Links), Flaws: p.Flaws, Records: []map[string]string{}}
	if out.Text = p.Text; len(out.Text) > 400 {
		out.Text = strings.ToValidUTF8(out.Text[:400], "") + "…"
	}
	for _, rec := range p.Records {
		values := map[string]any{}
		text, err := json.Marshal(rec)
		if err != nil || json.Unmarshal(text, &values) != nil {
			continue
		}
		row := map[string]string{}
		for name, v := range values {
			if price, ok := v.(map[string]any); ok && price["amount"] != nil {
				row[name] = strings.TrimSpace(priceText(price["amount"]) + " " + textOf(price["currency"]))
				continue
			}
			row[name] = textOf(v)
		}
		out.Records = append(out.Records, row)
	}
	v, ok := p.Response.Extra.(*chrome.Visit)
	if !ok || v.Chain == nil {
		return out
	}
	x := try{files: map[string][]byte{}}
	for _, f := range v.Chain.Files {
		x.files[f.Name] = f.Body
	}
	id := t.keep(x)
	for _, rep := range v.Chain.Reports {
		n, err := strconv.Atoi(rep.Step)
		if rep.End == action.Begun || err == nil && n%2 == 0 {
			continue // it began, or is a picture
		}
		s := triedStep{Step: rep.Step, Action: rep.Action, End: string(rep.End), Note: rep.Note, Took: rep.Took.Round(time.Millisecond).String()}
		if err == nil { // a step of the chain itself, of which every second one is a picture
			s.Step = strconv.Itoa((n + 1) / 2)
			if name := shotName((n - 1) / 2); x.files[name] != nil {
				s.Shot = "/shot/" + id + "/" + name
			}
		}
		if rep.Err != nil {
			s.Error = rep.Err.Error()
		}
		out.Steps = append(out.Steps, s)
	}
	return out
}

// shot sends a picture.
func (t *tries) shot(out http.ResponseWriter, r *http.Request) {
	x, ok := t.find(r.PathValue("id"))
	body := x.files[r.PathValue("name")]
	if !ok || body == nil {
		http.NotFound(out, r)
		return
	}
	out.Header().Set("Content-Type", "image/png")
	_, _ = out.Write(body)
}

// load fetches a page with the settings of a spec, for people to pick elements of.
func (t *tries) load(out http.ResponseWriter, r *http.Request) {
	_ = http.NewResponseController(out).SetWriteDeadline(time.Now().Add(tryFor + 10*time.Second))
	answer := struct {
		ID    string `json:"id"`
		URL   string `json:"url"`
		Error string `json:"error,omitempty"`
	}{}
	pages, events, err := t.run(r, 1, r.URL.Query().Get("url"))
	switch i := slices.IndexFunc(events, func(e crawler.Event) bool { return e.Err != nil }); {
	case len(pages) > 0:
		html, herr := harmless(pages[0].Response.Body)
		if herr != nil {
			answer.Error = herr.Error()
			break
		}
		answer.ID, answer.URL = t.keep(try{html: html}), pages[0].URL
	case err != nil:
		answer.Error = err.Error()
	case i >= 0:
		answer.Error = events[i].Err.Error()
	default:
		answer.Error = "there is no page"
	}
	serve.WriteJSON(out, http.StatusOK, answer)
}
