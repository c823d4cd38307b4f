package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/webquarry/quarry/crawler"
)

// status is how the crawl stands.
type status struct {
	Running bool `json:"running"`
	Pages   int  `json:"pages"`   // fetched and indexed in this run
	Indexed int  `json:"indexed"` // in the index, earlier runs included
	Waiting int  `json:"waiting"` // known, not fetched yet
	Failed  int  `json:"failed"`
}

// String is the line at the foot of the search page.
func (s status) String() string {
	pages := plural(s.Pages, "page")
	failed := ""
	if s.Failed > 0 {
		failed = fmt.Sprintf(", %s failed", grouped(s.Failed))
	}
	switch {
	case s.Running:
		return fmt.Sprintf("Crawling: %s so far, %s waiting%s.", pages, grouped(s.Waiting), failed)
	case s.Waiting > 0:
		return fmt.Sprintf("Crawl stopped: %s, %s still waiting%s.", pages, grouped(s.Waiting), failed)
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
	trouble error           // the latest
}

// see takes in an event. It gives the crawl up when there is not one page and
// all that is left was tried in vain: whoever mistyped a seed should not have to
// wait for the last retry.
func (w *watch) see(e crawler.Event, giveUp context.CancelCauseFunc) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = status{Running: e.Kind != crawler.Ended, Pages: e.Summary.Pages, Waiting: e.Queue.Queued + e.Queue.Leased}
	for _, n := range e.Summary.Failed {
		w.now.Failed += n
	}
	switch e.Kind {
	case crawler.Failed, crawler.Retrying:
		w.trouble = e.Err
	case crawler.Skipped:
		w.trouble = fmt.Errorf("%s: %s", e.URL, e.Reason)
	}
	if e.Kind != crawler.Retrying || w.now.Pages > 0 {
		return
	}
	if w.retried == nil {
		w.retried = make(map[string]bool)
	}
	w.retried[e.URL] = true
	if len(w.retried) >= w.now.Waiting {
		giveUp(w.trouble)
	}
}

func (w *watch) status() status {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// verdict is an error when a crawl has come to its end with nothing in the index.
func (w *watch) verdict(s status) error {
	if s.Indexed > 0 {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.trouble == nil {
		return fmt.Errorf("no page was found")
	}
	return fmt.Errorf("no page could be indexed: %w", w.trouble)
}
