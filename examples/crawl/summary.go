package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/urlnorm"
	"github.com/webquarry/quarry/frontier"
)

// summary follows the events of a crawl.
type summary struct {
	giveUp context.CancelCauseFunc // ends the crawl

	mu      sync.Mutex
	sum     crawler.Summary
	queue   frontier.Stats
	retried map[crawler.Kind]int
	first   error           // the first page that failed for good
	last    error           // the last to be tried again
	waiting map[string]bool // hosts of seeds of which nothing was heard yet; nil: one was reached, or there are none
}

func newSummary(seeds []string, giveUp context.CancelCauseFunc) *summary {
	s := &summary{giveUp: giveUp, retried: make(map[crawler.Kind]int)}
	for _, u := range seeds {
		if s.waiting == nil {
			s.waiting = make(map[string]bool)
		}
		s.waiting[urlnorm.Host(u)] = true
	}
	return s
}

// note takes an event. Where none of the seeds' hosts can be reached at all, it
// gives up: that is an error in the seeds or in the network here, and nothing
// that the next try minutes later will mend.
func (s *summary) note(e crawler.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sum, s.queue = e.Summary, e.Queue
	if e.Kind == crawler.Failed && s.first == nil {
		s.first = e.Err
	}
	switch {
	case e.Kind == crawler.Ended || s.waiting == nil:
	case unreachable(e.Err):
		delete(s.waiting, urlnorm.Host(e.URL))
		if len(s.waiting) == 0 {
			s.giveUp(fmt.Errorf("no seed can be reached: %w", e.Err))
		}
	default:
		s.waiting = nil
	}
	if e.Kind == crawler.Retrying {
		s.last = e.Err
		if fe, ok := errors.AsType[*crawler.FetchError](e.Err); ok {
			s.retried[fe.Kind]++
		}
	}
}

// unreachable reports whether an error means that there was no connection.
func unreachable(err error) bool {
	for _, kind := range [...]crawler.Kind{crawler.ErrDNS, crawler.ErrConnect, crawler.ErrTimeoutConnect, crawler.ErrTLS} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// nothing returns why no page was had, and nil if one was or nothing failed.
func (s *summary) nothing() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sum.Pages > 0 {
		return nil
	}
	return s.first
}

// String is the state of the crawl in a few words.
func (s *summary) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	failed := 0
	for _, n := range s.sum.Failed {
		failed += n
	}
	line := fmt.Sprintf("%d pages, %.1f MB, %d waiting, %d under way, %d tried again, %d failed",
		s.sum.Pages, float64(s.sum.Bytes)/1e6, s.queue.Queued, s.queue.Leased, s.sum.Retries, failed)
	if s.queue.Leased == 0 && s.last != nil {
		line += ": resting after " + s.last.Error()
	}
	return line
}

// write writes the last line, in JSON.
func (s *summary) write(w io.Writer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	errs := s.sum.Failed
	if errs == nil {
		errs = map[crawler.Kind]int{}
	}
	line, err := json.Marshal(struct {
		Pages   int                  `json:"pages"`
		Bytes   int64                `json:"bytes"`
		Errors  map[crawler.Kind]int `json:"errors"`  // pages that failed for good
		Retried map[crawler.Kind]int `json:"retried"` // visits that failed and are made again
		Waiting int                  `json:"waiting"`
		Seconds float64              `json:"seconds"`
	}{s.sum.Pages, s.sum.Bytes, errs, s.retried, s.queue.Queued + s.queue.Leased, float64(s.sum.Took.Milliseconds()) / 1000})
	if err == nil {
		fmt.Fprintf(w, "%s\n", line)
	}
}
