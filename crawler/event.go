package crawler

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/url"
	"sync"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// An Event tells what became of one visit, or of the run. It is sent after the
// Frontier knows.
type Event struct {
	Kind    EventKind
	URL     string         // empty for Ended
	Reason  string         // of Skipped: one of the Skip constants
	Target  string         // where a redirect or rel=canonical leads
	Err     error          // of Failed and Retrying, mostly a *FetchError; of Skipped as refused a *frontier.URLError; of Ended what Run returns
	Page    *Page          // of Fetched
	Again   time.Time      // of Retrying: when
	Found   int            // links handed to the Frontier, known ones included
	Summary Summary        // of the run so far
	Queue   frontier.Stats // of the Frontier, a moment before; zero if it did not say within a second

	reply reply // for the log
}

// reply is what the log tells of a visit beside its Event. It does not hold on to a body.
type reply struct {
	status int // 0: there was none
	bytes  int64
	took   time.Duration
	depth  int
}

// answered is what a response says.
func answered(resp *Response) reply {
	if resp == nil {
		return reply{}
	}
	return reply{status: resp.Status, bytes: resp.Wire, took: resp.Took}
}

// EventKind says what an Event is about.
type EventKind string

// The kinds of Event, and the reasons of those that tell of a page skipped.
const (
	Fetched  EventKind = "fetched"  // the page was put
	Skipped  EventKind = "skipped"  // there is no page to put, and that is in order
	Retrying EventKind = "retrying" // it went wrong and will be tried again
	Failed   EventKind = "failed"   // it went wrong for good
	Ended    EventKind = "ended"    // the run is over; the last event

	// The reasons of Skipped, beside "no sitemap" for one that was only looked for
	// and those of Fetchers and Parsers:

	SkipRobots      = "robots"       // robots.txt forbids it
	SkipRedirect    = "redirect"     // the target is visited instead, unless it was already
	SkipScope       = "out of scope" // a redirect leads to where Follow does not go
	SkipType        = "type"         // the Parser does not read it, or there is nothing to read (status 204 and 205)
	SkipNoIndex     = "noindex"      // the page does not want to be indexed
	SkipCanonical   = "canonical"    // the page names another as the one to index, which is visited instead; this one again if that is dead
	SkipNotModified = "not modified" // status 304
	SkipRefused     = "refused"      // the Frontier does not take the URL of a seed, link, redirect, sitemap or rel=canonical; Err says why
)

// Summary counts what a run has done. Its maps are not to be changed.
type Summary struct {
	Pages   int            // put
	Bytes   int64          // of bodies as they came over the wire, robots.txt aside
	Skipped map[string]int // by reason
	Failed  map[Kind]int   // for good, by kind of error
	Retries int            // visits that went wrong and were not the last
	Took    time.Duration  // since Run was called
}

// resting is the verdict of a visit that only fetched robots.txt. It makes no event.
const resting EventKind = "resting"

// tally counts events and tells them.
type tally struct {
	mu    sync.Mutex
	start time.Time
	sum   Summary
	log   *slog.Logger
	tell  func(Event)
	queue frontier.Frontier // nil: nobody wants to know
	seeds starts
}

func newTally(c *Crawler, f frontier.Frontier) *tally {
	t := &tally{start: time.Now(), log: c.Log, tell: c.OnEvent}
	if t.log == nil {
		t.log = slog.New(slog.DiscardHandler)
	}
	if c.OnEvent != nil {
		t.queue = f
	}
	return t
}

// add counts an event and tells it. Maps are copied before they change, because
// earlier events have them. The error is a panic of who is told.
func (t *tally) add(e Event, bytes int64) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicError(p)
		}
	}()
	t.write(e)
	if t.queue != nil && e.Kind != resting {
		e.Queue = t.waiting()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sum.Bytes += bytes
	t.seeds.note(e)
	switch e.Kind {
	case Fetched:
		t.sum.Pages++
	case Skipped:
		t.sum.Skipped = plusOne(t.sum.Skipped, e.Reason)
	case Retrying:
		t.sum.Retries++
	case Failed:
		t.sum.Failed = plusOne(t.sum.Failed, kindIn(e.Err))
	case resting:
		return nil
	}
	t.sum.Took = time.Since(t.start)
	if e.Kind == Ended {
		t.writeEnd(e.Err)
	}
	if t.tell == nil {
		return nil
	}
	e.Summary = t.sum
	t.tell(e)
	return nil
}

// free reports whether no event is being told.
func (t *tally) free() bool {
	if !t.mu.TryLock() {
		return false
	}
	t.mu.Unlock()
	return true
}

// waiting is what the Frontier counts, or nothing if it does not say in time.
func (t *tally) waiting() (s frontier.Stats) {
	ctx, cancel := context.WithTimeout(context.Background(), lastWord)
	defer cancel()
	s, _ = t.queue.Stats(ctx)
	return s
}

// nothing is the error of a run that could fetch nothing, if it is one.
func (t *tally) nothing() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.seeds.err()
}

func plusOne[K comparable](m map[K]int, k K) map[K]int {
	m = maps.Clone(m)
	if m == nil {
		m = make(map[K]int)
	}
	m[k]++
	return m
}

// write logs an event about a URL.
func (t *tally) write(e Event) {
	level := slog.LevelDebug
	switch e.Kind {
	case resting, Ended:
		return
	case Failed, Retrying:
		level = slog.LevelWarn
		if fe, ok := errors.AsType[*FetchError](e.Err); ok && fe.Status/100 == 4 {
			level = slog.LevelInfo // a dead link is nobody's trouble here
		}
	}
	if !t.log.Enabled(context.Background(), level) {
		return
	}
	attrs := make([]slog.Attr, 0, 10)
	for _, a := range []slog.Attr{slog.String("url", e.URL), slog.String("reason", e.Reason), slog.String("target", e.Target)} {
		if a.Value.String() != "" {
			attrs = append(attrs, a)
		}
	}
	if u, err := url.Parse(e.URL); err == nil && u.Host != "" {
		attrs = append(attrs, slog.String("host", u.Host))
	}
	attrs = append(attrs, slog.Int("depth", e.reply.depth))
	if e.reply.status != 0 {
		attrs = append(attrs, slog.Int("status", e.reply.status), slog.Int64("bytes", e.reply.bytes), slog.Duration("took", e.reply.took))
	}
	if e.Err != nil {
		attrs = append(attrs, slog.Any("err", e.Err))
	}
	if !e.Again.IsZero() {
		attrs = append(attrs, slog.Time("again", e.Again))
	}
	t.log.LogAttrs(context.Background(), level, string(e.Kind), attrs...)
}

func (t *tally) writeEnd(err error) {
	log := t.log.With("pages", t.sum.Pages, "bytes", t.sum.Bytes, "failed", t.sum.Failed, "took", t.sum.Took)
	if err != nil {
		log = log.With("err", err)
	}
	log.Info("ended")
}

// kindIn returns the kind of error for the table of failures.
func kindIn(err error) Kind {
	if fe, ok := errors.AsType[*FetchError](err); ok {
		return fe.Kind
	}
	return ErrOther
}
