package crawler

import (
	"context"
	"net/http"

	"golang.org/x/net/http/httpguts"
)

// validators let a server say that a page has not changed (RFC 9110, 13). A page
// that is to be visited again takes its own along, in its [note].
type validators struct{ tag, modified string }

const maxValidator = 1 << 10

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
