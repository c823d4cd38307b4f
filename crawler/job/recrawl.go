package job

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/recrawl"
	"github.com/webquarry/quarry/frontier"
	"github.com/webquarry/quarry/frontier/refresh"
)

// metaKey is what a request's Meta says of its page: that it was put, or that it was not
// there the last time.
const (
	metaKey  = "job.page"
	metaPut  = "put"
	metaMiss = "missed"
)

// later is when pages come again that come when somebody asks for it: they wait in the
// frontier, with what is known of them.
const later = 50 * 365 * 24 * time.Hour

// revisit has every page that is there wait for its next visit, and asks for one that is
// not there any more once again before it is given up.
func (r Recrawl) revisit() (crawler.Revisit, error) {
	next := func(req frontier.Request, resp *crawler.Response) frontier.Outcome {
		return frontier.Outcome{Again: time.Now().Add(cmp.Or(r.Every, later))}
	}
	if r.Adaptive {
		policy := &recrawl.Policy{Scheduler: &refresh.Scheduler{Min: r.Every / 24, Max: r.Every * 24}}
		next = func(req frontier.Request, resp *crawler.Response) frontier.Outcome {
			return policy.Revisit(req, resp, nil)
		}
	}
	return func(req frontier.Request, resp *crawler.Response, err error) frontier.Outcome {
		known := req.Meta.Get(metaKey)
		switch {
		case err == nil && resp != nil && (resp.Status == http.StatusNotFound || resp.Status == http.StatusGone):
			if known != metaPut {
				return frontier.Outcome{} // it never was there, or is not there for the second time
			}
			return frontier.Outcome{Again: time.Now().Add(cmp.Or(r.Gone, time.Minute)), Meta: frontier.Meta{}.With(metaKey, metaMiss)}
		case err == nil && resp != nil && (resp.Status/100 == 2 || resp.Status == http.StatusNotModified):
			out := next(req, resp)
			out.Meta = out.Meta.With(metaKey, metaPut)
			return out
		}
		out := crawler.Retry(req, resp, err)
		if out.Again.IsZero() && known != "" { // trouble says nothing of the page: it may be there the next time
			out.Again = time.Now().Add(cmp.Or(r.Every, later))
		}
		return out
	}, nil
}

// next is when the schedule has all pages come again, after t; zero: it has none.
func (r Recrawl) next(t time.Time) time.Time {
	if r.Schedule == "" {
		return time.Time{}
	}
	s, err := cron.ParseStandard(r.Schedule)
	if err != nil {
		return time.Time{} // check has seen to it
	}
	return s.Next(t)
}

// anew makes a frontier in which all that waits in another one is due now, and puts it in
// the place of that. What is known of pages goes along with their requests. If the program
// dies meanwhile, either frontier is there, whole.
func anew(ctx context.Context, dir string, opt frontier.Options) (err error) {
	at, next := filepath.Join(dir, frontierFolder), filepath.Join(dir, nextFolder)
	if err := os.RemoveAll(next); err != nil { // of one that was not finished
		return err
	}
	from, err := frontier.Open(at, opt)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := frontier.Open(next, opt)
	if err != nil {
		return err
	}
	if err := errors.Join(copyDue(ctx, from, to), to.Close()); err != nil {
		return err
	}
	if err := from.Close(); err != nil {
		return err
	}
	old := filepath.Join(dir, oldFolder)
	return errors.Join(os.RemoveAll(old), os.Rename(at, old), os.Rename(next, at), os.RemoveAll(old))
}

// finishAnew ends what anew was kept from ending.
func finishAnew(dir string) error {
	at, old := filepath.Join(dir, frontierFolder), filepath.Join(dir, oldFolder)
	if _, err := os.Stat(old); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if _, err := os.Stat(at); errors.Is(err, os.ErrNotExist) { // it died between two renames
		if err := os.Rename(filepath.Join(dir, nextFolder), at); err != nil {
			return err
		}
	}
	return os.RemoveAll(old)
}

func copyDue(ctx context.Context, from frontier.Inspector, to frontier.Frontier) error {
	const most = 1000
	var batch []frontier.Request
	flush := func() error {
		_, err := to.Add(ctx, batch...)
		batch = batch[:0]
		return err
	}
	for h, err := range from.Hosts(ctx) {
		if err != nil {
			return err
		}
		for req, err := range from.Pending(ctx, h.Name) {
			if err != nil {
				return err
			}
			req.Due, req.Attempt = time.Time{}, 0
			if batch = append(batch, req); len(batch) >= most {
				if err := flush(); err != nil {
					return err
				}
			}
		}
	}
	return flush()
}
