package recrawl

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/internal/keys"
	"github.com/webquarry/quarry/frontier"
)

// Rounds has every page that was put wait for another visit, so that what is known of it
// stays with its request: when it comes again, the Sink is told whether it is Changed, the
// Same, Gone or Moved. The zero value has pages come when [Renew] makes them due.
type Rounds struct {
	Every time.Duration // a page comes again so long after a visit; 0: when Renew says so
	Gone  time.Duration // a page that is not there is asked for once more after so long, and then is gone; 0: a minute

	// Next is when a page that is there comes again; nil: by Every. It is for who lets a
	// [Policy] decide, by its Revisit.
	Next crawler.Revisit
}

// later is when pages come that come when Renew says so.
const later = 50 * 365 * 24 * time.Hour

// What the Meta of a request says of its page.
const (
	wasThere = "there"
	wasMiss  = "missing"
)

// Install makes Revisit that of a Crawler, which must have none.
func (r Rounds) Install(c *crawler.Crawler) error {
	if c.Revisit != nil {
		return &crawler.ConfigError{What: "rounds", Value: "of a crawler", Why: "there is a Revisit already"}
	}
	c.Revisit = r.Revisit
	return nil
}

var _ crawler.Plugin = Rounds{}

// Revisit is the Revisit of a Crawler: that of [crawler.Retry] where there is trouble, which
// says nothing of the page.
func (r Rounds) Revisit(req frontier.Request, resp *crawler.Response, err error) frontier.Outcome {
	known := req.Meta.Get(keys.Round)
	switch {
	case err == nil && (resp.Status == http.StatusNotFound || resp.Status == http.StatusGone):
		if known != wasThere {
			return frontier.Outcome{} // it never was there, or is not for the second time
		}
		return frontier.Outcome{Again: time.Now().Add(cmp.Or(r.Gone, time.Minute)), Meta: frontier.Meta{}.With(keys.Round, wasMiss)}
	case err == nil && (resp.Status/100 == 2 || resp.Status == http.StatusNotModified):
		out := frontier.Outcome{Again: time.Now().Add(cmp.Or(r.Every, later))}
		if r.Next != nil {
			out = r.Next(req, resp, nil)
		}
		out.Meta = out.Meta.With(keys.Round, wasThere)
		return out
	}
	out := crawler.Retry(req, resp, err)
	if out.Again.IsZero() && known != "" { // it may be there in the next round
		out.Again = time.Now().Add(cmp.Or(r.Every, later))
	}
	return out
}

// Renew makes all that waits in the frontier of a folder, which must not be open, due now.
// What is known of pages and of requests goes along, and hosts stay held up that were;
// their budgets begin anew. What does not wait is forgotten, and found again by links, if
// there are any. All is copied into a folder beside it, dir with
// ".next" behind it, which takes its place: if the program dies meanwhile, a later Renew or
// [Settle] finds either frontier whole. It costs as much as adding all URLs.
func Renew(ctx context.Context, dir string, opt frontier.Options) (err error) {
	if err := Settle(dir); err != nil {
		return err
	}
	next, old := dir+".next", dir+".old"
	if err := os.RemoveAll(next); err != nil { // of a Renew that was cut off
		return err
	}
	from, err := frontier.Open(dir, opt)
	if err != nil {
		return err
	}
	to, err := frontier.Open(next, opt)
	if err != nil {
		return errors.Join(err, from.Close())
	}
	if err := errors.Join(copyDue(ctx, from, to), to.Close(), from.Close()); err != nil {
		return err
	}
	return errors.Join(os.Rename(dir, old), os.Rename(next, dir), os.RemoveAll(old))
}

// Settle ends a [Renew] of a folder that was cut off, if there was one. It is called before
// the frontier is opened.
func Settle(dir string) error {
	old := dir + ".old"
	if _, err := os.Stat(old); errors.Is(err, fs.ErrNotExist) {
		return os.RemoveAll(dir + ".next") // what was not finished
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) { // it died between two renames
		if err := os.Rename(dir+".next", dir); err != nil {
			return err
		}
	}
	return os.RemoveAll(old)
}

func copyDue(ctx context.Context, from, to *frontier.Disk) error {
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
		if err := holdUp(ctx, h, to); err != nil {
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

// longRest is what the rest of a host is at least that it has to itself after a Renew.
const longRest = time.Minute

// holdUp has a host held up as it was: by hand, as it is away, or as it asked for a long rest. One that
// was dropped by its budget begins anew.
func holdUp(ctx context.Context, h frontier.Host, to frontier.HostControl) error {
	switch {
	case h.State == frontier.Blocked:
		return to.Block(ctx, h.Name)
	case h.State == frontier.Dropped && h.Reason == frontier.ByHand:
		_, err := to.Drop(ctx, h.Name)
		return err
	case time.Until(h.Next) > longRest:
		return to.Park(ctx, h.Name, h.Next)
	}
	return nil
}
