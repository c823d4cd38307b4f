package crawler

import (
	"math"

	"github.com/zeebo/xxh3"

	"github.com/webquarry/quarry/crawler/internal/keys"
	"github.com/webquarry/quarry/crawler/live"
	"github.com/webquarry/quarry/frontier"
)

// done ends the lease, and once that is safe tells the event. The Frontier is
// told even when the run is being stopped, for the page was put. Where it can
// be told in two parts, done returns after the first, and the worker may ask for
// its next request while the disk is busy; told gets the error of the rest.
func (r *run) done(w *live.Worker, l frontier.Lease, v verdict) (told <-chan error, err error) {
	req := &l.Request
	known := noteOn(*req)
	req.Attempt = v.attempt
	if !v.out.Again.IsZero() {
		next := known.after(*req, v)
		v.out.Meta = v.out.Meta.With(keys.Crawler, next.String())
		switch {
		case !next.clear.at.IsZero(), next.at != "":
			v.out.Priority = new(math.MaxFloat64)
		case next.claim.late:
			v.out.Priority = new(float64(last))
		}
	}
	req.Priority = known.priorityOf(*req)
	f := fateOf(v.Event)
	itself := known.as == asItself && req.Variant == ""
	switch {
	case itself && known.trail != "" && f.kind != isPending:
		f.with = xxh3.HashString(known.trail.To(req.URL, false))
		v.out.Found = append(v.out.Found, spent(*req, known))
		v.hidden++
		fallthrough
	case itself, known.as == asBack && f.kind == isAlive:
		r.fates.note(asVisited(*req).URL, f)
	}
	v.Event.Found, v.Event.reply.depth = len(v.out.Found)-v.hidden, req.Depth
	safe, err := r.finish(l, v.out)
	refused, err := frontier.Refusals(err)
	if _, parts := r.Frontier.(frontier.Finisher); err != nil || !parts {
		err = r.tell(v, refused, err)
		w.Settled(req.URL)
		return nil, err
	}
	answer := make(chan error, 1)
	go func() {
		err := errGoexit
		defer func() {
			if p := recover(); p != nil {
				err = panicError(p)
			}
			r.stopIf(err) // the worker may wait for its next request
			w.Settled(req.URL)
			answer <- err
		}()
		err = r.tell(v, refused, safe())
	}()
	return answer, nil
}

// tell settles the quota, and counts and tells the event of a visit that the
// Frontier knows of, and those of links that it refused.
func (r *run) tell(v verdict, refused []*frontier.URLError, err error) error {
	if err != nil || v.Kind != Fetched {
		r.quota.Release()
	} else {
		r.quota.Use()
	}
	if err != nil {
		return err
	}
	if err := r.tally.add(v.Event, v.bytes); err != nil {
		return err
	}
	return r.tellRefused(refused, v.out.Found)
}

// tellRefused tells of URLs that the Frontier does not take, of those that were found.
// A page that gave way to one of them is visited once more.
func (r *run) tellRefused(refused []*frontier.URLError, found []frontier.Request) error {
	told := make([]bool, len(found))
	for _, u := range refused {
		at := refusedOf(found, told, u)
		if at >= 0 {
			told[at] = true
		}
		if at < 0 || noteOn(found[at]).as == asItself {
			if err := r.tally.add(Event{Kind: Skipped, URL: u.URL, Reason: SkipRefused, Err: u}, 0); err != nil {
				return err
			}
			continue
		}
		known := noteOn(found[at])
		if known.as != asClaim {
			continue
		}
		owed := r.settleClaim(asVisited(found[at]), known.claim, fate{kind: isDead})
		if _, err := r.Frontier.Add(r.telling, owed...); err != nil {
			return err
		}
	}
	return nil
}

// refusedOf is which of the requests that were not told of yet is refused. A Frontier of another
// make may not say the variant.
func refusedOf(found []frontier.Request, told []bool, u *frontier.URLError) int {
	is := func(sameVariant bool) int {
		for i := range found {
			if !told[i] && found[i].URL == u.URL && (!sameVariant || found[i].Variant == u.Variant) {
				return i
			}
		}
		return -1
	}
	if at := is(true); at >= 0 {
		return at
	}
	return is(false)
}
