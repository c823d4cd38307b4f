package crawler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/zeebo/xxh3"

	"github.com/webquarry/quarry/frontier"
)

// Result is what a visit found of a page: what a [Sink] takes.
//
// Of pages that are visited once all results are New. What a page was before is known
// where [Revisit] has it come again, and is kept with its request in the Frontier. So after a crash, or
// on a Frontier that has forgotten the page, a page that was put before may be New.
type Result struct {
	Kind    ResultKind
	URL     string           // by which the page was put, and is to be taken out
	Request frontier.Request // whose visit found it
	Page    *Page            // what was read; nil: nothing, as with Gone and Moved, and with Same by status 304
	To      string           // with Moved: where the page is now
}

// ResultKind says what a Result is about.
type ResultKind string

// The kinds of Result. The last two are told of pages that were put before, and of no others.
const (
	New     ResultKind = "new"     // the page was not put before
	Changed ResultKind = "changed" // it was, with another body
	Same    ResultKind = "same"    // it was, with this body
	Gone    ResultKind = "gone"    // it is not there any more (404, 410), has no text (204), or does not want to be indexed
	Moved   ResultKind = "moved"   // it redirects to To, or names it as the one to index
)

// Pages is a Sink of those Results that have a page, for who does not mind what becomes of them.
func Pages(put func(ctx context.Context, page *Page) error) Sink {
	return SinkFunc(func(ctx context.Context, r *Result) error {
		if r.Page == nil {
			return nil
		}
		return put(ctx, r.Page)
	})
}

// stored is what a [note] says of the page that was put last for a request.
type stored struct {
	digest uint64 // of the body; zero: none was put
	as     string // its URL, if not that of the request
	missed bool   // it was not there the last time
}

// url is the one by which the page was put.
func (s stored) url(req frontier.Request) string { return cmp.Or(s.as, req.URL) }

// put hands a page to the Sink, and before it that under another URL which the request
// had led to before. It returns what is to be noted.
func (r *run) put(ctx context.Context, known stored, page *Page) (stored, error) {
	req := page.Response.Request
	now := stored{digest: max(xxh3.Hash(page.Response.Body), 1)}
	if page.URL != req.URL {
		now.as = page.URL
	}
	res := &Result{Kind: Changed, URL: page.URL, Request: req, Page: page}
	switch {
	case known.digest == 0:
		res.Kind = New
	case known.url(req) != page.URL:
		res.Kind = New
		if err := r.tellSink(ctx, &Result{Kind: Moved, URL: known.url(req), Request: req, To: page.URL}); err != nil {
			return known, err
		}
	case known.digest == now.digest:
		res.Kind = Same
	}
	return now, r.tellSink(ctx, res)
}

// putLost tells the Sink what became of a page that was put before, where a visit has found none. What
// a server says of a page is not taken for sure at once where the page is visited again
// anyway: it has to say so twice in a row. What the page itself says is.
func (r *run) putLost(ctx context.Context, req frontier.Request, known stored, v *verdict) error {
	now := known
	v.stored = &now
	res := &Result{Kind: Moved, URL: known.url(req), Request: req, To: v.Target}
	sure := known.missed || v.out.Again.IsZero()
	switch {
	case v.Reason == SkipNotModified:
		now.missed = false
		res.Kind, res.To = Same, ""
		return r.tellSink(ctx, res)
	case v.Reason == SkipNoIndex, v.Reason == SkipType:
		res.Kind, sure = Gone, true
	case v.Reason == SkipCanonical:
		sure = true
	case (v.Reason == SkipRedirect || v.Reason == SkipScope) && v.Target != "" && v.Target != res.URL:
	case isGone(v.Err):
		res.Kind = Gone
	default:
		return nil
	}
	if !sure {
		now.missed = true
		return nil
	}
	now = stored{}
	return r.tellSink(ctx, res)
}

// isGone reports whether an answer says that there is no such page.
func isGone(err error) bool {
	fe, ok := errors.AsType[*FetchError](err)
	return ok && (fe.Status == http.StatusNotFound || fe.Status == http.StatusGone)
}

func (r *run) tellSink(ctx context.Context, res *Result) error {
	err := mind(func() error { return r.Sink.Put(ctx, res) })
	if err == nil {
		r.stopIfFull()
		return nil
	}
	if errors.Is(err, errBreak) {
		return err
	}
	return fatal{fmt.Errorf("crawler: sink: %s: %w", res.URL, err)}
}
