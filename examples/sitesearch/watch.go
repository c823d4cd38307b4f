package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/recrawl"
	"github.com/webquarry/quarry/crawler/urlnorm"
	"github.com/webquarry/quarry/frontier"
	"github.com/webquarry/quarry/index/serve"
)

// status is how the crawl stands.
type status struct {
	Running bool `json:"running"`
	Pages   int  `json:"pages"`   // fetched and indexed in this run
	Indexed int  `json:"indexed"` // in the index, earlier runs included
	Waiting int  `json:"waiting"` // known, not fetched yet
	Failed  int  `json:"failed"`

	// What became of the pages of this run. New ones are all in a first crawl.
	New     int `json:"new"`
	Changed int `json:"changed"`
	Same    int `json:"same"`
	Gone    int `json:"gone"`
}

// shown is how the search page tells it.
func (s status) shown() serve.Status {
	return serve.Status{Running: s.Running, Documents: s.Indexed, Text: s.String(), Details: s}
}

// String is the line at the foot of the search page.
func (s status) String() string {
	pages := serve.Plural(s.Pages, "page")
	failed := ""
	if s.Failed > 0 {
		failed = fmt.Sprintf(", %s failed", serve.Grouped(s.Failed))
	}
	switch {
	case s.Running:
		return fmt.Sprintf("Crawling: %s so far, %s waiting%s.", pages, serve.Grouped(s.Waiting), failed)
	case s.Waiting > 0:
		return fmt.Sprintf("Crawl stopped: %s, %s still waiting%s.", pages, serve.Grouped(s.Waiting), failed)
	case s.Changed+s.Same+s.Gone > 0:
		return fmt.Sprintf("Crawl finished: %s new, %s changed, %s the same, %s gone%s.", serve.Grouped(s.New), serve.Grouped(s.Changed), serve.Grouped(s.Same), serve.Grouped(s.Gone), failed)
	case s.Pages > 0:
		return fmt.Sprintf("Crawl finished: %s%s.", pages, failed)
	}
	return "No crawl is going on."
}

// watch sees what becomes of the pages of a crawl.
type watch struct {
	mu      sync.Mutex
	now     status
	retried map[string]bool // URLs to be tried again, as long as there is no page at all
	down    map[string]bool // hosts whose robots.txt cannot be had, likewise
	trouble error           // what was last in vain
	kept    int             // URLs that wait for the next recrawl
}

// see takes in an event. It gives the crawl up when there is not one page and
// all that is left was tried in vain: whoever mistyped a seed should not have to
// wait for the last retry.
func (w *watch) see(e crawler.Event, giveUp context.CancelCauseFunc) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now.Running, w.now.Pages, w.now.Failed = e.Kind != crawler.Ended, e.Summary.Pages, 0
	w.now.Waiting = max(e.Queue.Queued+e.Queue.Leased-w.kept, 0)
	for _, n := range e.Summary.Failed {
		w.now.Failed += n
	}
	switch e.Kind {
	case crawler.Failed, crawler.Retrying, crawler.Skipped:
		w.trouble = inVain(e)
	}
	if e.Kind != crawler.Retrying || w.now.Pages > 0 {
		return
	}
	if w.retried == nil {
		w.retried, w.down = make(map[string]bool), make(map[string]bool)
	}
	w.retried[e.URL] = true
	if errors.Is(e.Err, crawler.ErrRobotsUnreachable) {
		w.down[urlnorm.Origin(e.URL)] = true // nothing else of it is going to be tried for now
	}
	if len(w.retried) >= w.now.Waiting || len(w.down) >= e.Queue.Hosts {
		giveUp(w.trouble)
	}
}

// rounds has pages wait for the next recrawl, and counts them; kept are there already.
func (w *watch) rounds(kept int) crawler.Revisit {
	w.mu.Lock()
	w.kept = kept
	w.mu.Unlock()
	return func(req frontier.Request, resp *crawler.Response, err error) frontier.Outcome {
		out := recrawl.Rounds{}.Revisit(req, resp, err)
		if time.Until(out.Again) > week {
			w.mu.Lock()
			w.kept++
			w.mu.Unlock()
		}
		return out
	}
}

// week is longer than anything waits that belongs to a run.
const week = 7 * 24 * time.Hour

// counting counts what becomes of pages on their way into a Sink.
func (w *watch) counting(into crawler.Sink) crawler.Sink {
	return crawler.SinkFunc(func(ctx context.Context, r *crawler.Result) error {
		if err := into.Put(ctx, r); err != nil {
			return err
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		switch r.Kind {
		case crawler.New:
			w.now.New++
		case crawler.Changed:
			w.now.Changed++
		case crawler.Same:
			w.now.Same++
		case crawler.Gone, crawler.Moved:
			w.now.Gone++
		}
		return nil
	})
}

func (w *watch) status() status {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// verdict is an error when a crawl has come to its end with nothing in the index.
func (w *watch) verdict(s status) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case s.Indexed > 0:
		return nil
	case w.trouble == nil:
		return errors.New("no page was found")
	}
	return w.trouble
}

// inVain says in one line why no page could be had of a site.
func inVain(e crawler.Event) error {
	if e.Kind == crawler.Skipped {
		return fmt.Errorf("nothing to index at %s: %s", e.URL, e.Reason)
	}
	err := e.Err
	if fe, ok := errors.AsType[*crawler.FetchError](err); ok {
		err = fe.Cause() // is enough: it is the same address all the way down
	}
	hint := ""
	if errors.Is(e.Err, crawler.ErrBlockedAddr) {
		hint = "; -allow-private fetches from such addresses too"
	}
	return fmt.Errorf("cannot fetch %s: %w%s", e.URL, err, hint)
}
