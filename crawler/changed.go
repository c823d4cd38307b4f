package crawler

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/webquarry/quarry/frontier"
)

// A page that is to be visited again takes its validators along, so that its
// server may say that it has not changed (RFC 9110, 13). They stand in the
// request's Memo before what a Revisit keeps there, which sees only its own:
//
//	01, entity tag, 00, Last-Modified, 00, the Revisit's
//
// A Memo that does not begin with 01 is the Revisit's as a whole.
type validators struct{ tag, modified string }

const (
	memoMark     = "\x01"
	maxValidator = 1 << 10
)

// splitMemo parts a Memo into ours and the Revisit's.
func splitMemo(memo string) (v validators, rest string) {
	s, ok := strings.CutPrefix(memo, memoMark)
	if !ok {
		return v, memo
	}
	tag, s, ok1 := strings.Cut(s, "\x00")
	modified, s, ok2 := strings.Cut(s, "\x00")
	if !ok1 || !ok2 {
		return v, memo
	}
	return validators{usable(tag), usable(modified)}, s
}

func (v validators) join(rest string) string {
	if v == (validators{}) && !strings.HasPrefix(rest, memoMark) {
		return rest
	}
	return memoMark + v.tag + "\x00" + v.modified + "\x00" + rest
}

// usable returns a validator that can be sent.
func usable(s string) string {
	if len(s) > maxValidator || !httpguts.ValidHeaderFieldValue(s) {
		return ""
	}
	return s
}

// validatorsIn returns those of a page. One that was cut is to come whole.
func validatorsIn(resp *Response) validators {
	if resp == nil || resp.Truncated {
		return validators{}
	}
	return validators{usable(resp.Header.Get("Etag")), usable(resp.Header.Get("Last-Modified"))}
}

// within has the next fetch ask whether the page has changed.
func (v validators) within(ctx context.Context) context.Context {
	if v == (validators{}) {
		return ctx
	}
	h := http.Header{}
	if v.tag != "" {
		h.Set("If-None-Match", v.tag)
	}
	if v.modified != "" {
		h.Set("If-Modified-Since", v.modified)
	}
	return Ask{Header: h}.Within(ctx)
}

// memoAfter is what a request is offered again with: the validators of the page that
// was put last, for as long as that stands.
func memoAfter(req frontier.Request, v verdict) string {
	known, before := splitMemo(req.Memo)
	switch {
	case v.Kind == Fetched:
		known = validatorsIn(v.Page.Response)
	case v.Kind == Skipped && v.Reason != SkipNotModified:
		known = validators{}
	}
	all := known.join(cmp.Or(v.out.Memo, before))
	if all == "" && req.Memo != "" {
		return memoMark + "\x00\x00" // an empty one would leave it as it was
	}
	return all
}
