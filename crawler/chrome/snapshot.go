package chrome

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/chrome/action"
)

const (
	readTime   = 3 * time.Second       // to read a document that is there
	quietQuick = 10 * time.Millisecond // of a page that does nothing but what is seen here
	quietLeast = 30 * time.Millisecond // of others
	quietMost  = 500 * time.Millisecond
	sluggish   = time.Second // over what it was given: what a page leaves no time for
	lostAfter  = time.Second // a request of which Chrome says no more
)

// snapshot is a document at one moment.
type snapshot struct {
	settled bool
	slow    bool // it does what is not seen from here
	url     string
	html    string
	cut     bool
	chain   *action.Result
}

// settled waits until the page has come to rest, or its time is over, and reads
// it. The page itself tells when nothing more is due, in one round trip; that no
// request of any kind is under way is known here.
func (t *tab) settled(l *load) (*snapshot, error) {
	end := time.Now().Add(t.pool.fetcher.settle())
	soft, cancel := context.WithDeadline(l.ctx, end)
	defer cancel()
	for {
		err := l.rest(soft)
		if l.answered() != nil {
			return nil, nil
		}
		if err != nil && soft.Err() == nil || l.ctx.Err() != nil {
			return nil, err
		}
		quiet := l.quiet()
		snap, err := t.read(l, time.Until(end), quiet)
		switch late := soft.Err() != nil; {
		case l.answered() != nil:
			return nil, nil
		case l.failed() != nil:
			return nil, l.failed()
		case err != nil && aborted(err) && !late:
			continue // it has led to itself
		case err != nil && aborted(err):
			return nil, fail(l.req.URL, crawler.ErrTimeoutTotal, errors.New("chrome: the page leads to itself, and its time is over"))
		case err != nil:
			return nil, err
		case snap.slow && !t.drawn:
			return nil, errFrames
		case late:
			snap.settled = false
			return snap, nil
		case !snap.slow && l.still(quietQuick), l.still(quiet):
			return snap, nil
		}
	}
}

// rest waits until the page has nothing to wait for.
func (l *load) rest(soft context.Context) error {
	for {
		turn, cancel := context.WithTimeout(soft, lostAfter)
		err := l.await(turn, func() bool { return l.shown && l.has(0) || l.moved != "" })
		cancel()
		if err == nil || soft.Err() != nil || l.failed() != nil {
			return err
		}
	}
}

// still reports whether the page has asked for nothing and got nothing lately.
func (l *load) still(quiet time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.has(quiet * 2 / 3)
}

// has reports whether the page has all that it asked for, and that for so long.
// Chrome does not tell of all requests how they ended, such as those that
// workers go on with: one that is not here either is over. The lock is held.
func (l *load) has(long time.Duration) bool {
	since := time.Since(l.active)
	return len(l.asked) == 0 && since >= long && time.Since(l.scripted) >= 3*long || l.open == 0 && since >= lostAfter
}

func (l *load) failed() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// read has the page tell what it holds when it is at rest, after wait at the
// latest. A script that does not let it is broken off. A page that leads
// elsewhere meanwhile is not waited for.
func (t *tab) read(l *load, wait, quiet time.Duration) (s *snapshot, err error) {
	wait = max(wait, 0)
	start := time.Now()
	ctx, cancel := context.WithTimeout(l.within(t), wait+readTime)
	defer cancel()
	hung := time.AfterFunc(wait+readTime/3, func() { call(ctx, runtime.TerminateExecution, cdp.Empty{}) })
	defer hung.Stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		s, err = t.evaluate(ctx, wait, quiet)
		cancel()
	}()
	if l.await(ctx, func() bool { return l.moved != "" }) == nil || l.failed() != nil {
		cancel()
	}
	<-done
	if time.Since(start) > wait+sluggish {
		t.broken.Store(true)
	}
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		t.broken.Store(true)
		err = fail(l.req.URL, crawler.ErrTimeoutTotal, errors.New("chrome: a script does not end"))
	}
	return s, err
}

// quiet is how long nothing may change before a page is taken to be at rest: long
// enough for a request to get from the page to us, as the machine is now.
func (l *load) quiet() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return min(max(quietLeast, 2*l.lag), quietMost)
}

func (t *tab) evaluate(ctx context.Context, wait, quiet time.Duration) (*snapshot, error) {
	limit := cmp.Or(t.pool.fetcher.Limits.Body, 8<<20)
	yes := true
	res, err := chromedp.Call(ctx, runtime.Evaluate, runtime.EvaluateParams{
		Expression:   fmt.Sprintf("__quarry.read(%d,%d,%d,%t,%d)", wait.Milliseconds(), quietQuick.Milliseconds(), quiet.Milliseconds(), t.drawn, limit),
		AwaitPromise: &yes, ReturnByValue: &yes, Silent: &yes,
	})
	switch {
	case err != nil:
		return nil, err
	case res.ExceptionDetails != nil:
		return nil, errors.New("chrome: " + res.ExceptionDetails.Text)
	}
	var out []json.RawMessage
	if err := json.Unmarshal(res.Result.Value, &out); err != nil || len(out) != 4 {
		return nil, fmt.Errorf("chrome: the page answers %.100s", res.Result.Value)
	}
	var s snapshot
	if err := errors.Join(json.Unmarshal(out[0], &s.settled), json.Unmarshal(out[1], &s.slow), json.Unmarshal(out[2], &s.url), json.Unmarshal(out[3], &s.html)); err != nil {
		return nil, err
	}
	if int64(len(s.html)) > limit {
		s.html, s.cut = strings.ToValidUTF8(s.html[:limit], ""), true
	}
	return &s, nil
}

// withLinks adds the URLs of windows that a page opened to its links.
func withLinks(doc string, urls []string) string {
	if len(urls) == 0 {
		return doc
	}
	var b strings.Builder
	b.WriteString("<div hidden>")
	for _, u := range urls {
		b.WriteString(`<a href="` + html.EscapeString(u) + `"></a>`)
	}
	b.WriteString("</div>")
	if i := strings.LastIndex(doc, "</body>"); i >= 0 {
		return doc[:i] + b.String() + doc[i:]
	}
	return doc + b.String()
}
