package crawler

import (
	"context"
	"maps"
	"net/http"
	"strings"
)

// Ask is how a request is put to the server where it is not the plain GET of a
// page. It travels with the context, so that a [Middleware] may shape a request
// whatever wraps the Fetcher that sends it; an [HTTP] obeys it. It may also wait in the Frontier
// with a request, see [Ask.On].
//
// Its Header goes to the origin of the request's URL and to no other. After a
// redirect to another page what was said about the first (If-None-Match and its
// like) is not sent. A Body, and another Method than GET and HEAD, is sent again
// within the origin alone, and after a redirect of status 303 not at all.
type Ask struct {
	Method string      // empty: GET
	Header http.Header // replaces those of the same name that the Fetcher would send
	Body   []byte      // of a POST, say

	// Anonymous has the request made as by somebody whom the site does not know:
	// without the Credentials and Cookies of the HTTP, to which nothing is added.
	Anonymous bool
}

type askKey struct{}

// Within returns a context that carries a. Headers of an Ask that ctx carried
// already go along, unless a has those of the same name; so do its Method and
// Body where a has neither. It is Anonymous if one of them is.
func (a Ask) Within(ctx context.Context) context.Context {
	before := Asked(ctx)
	header := make(http.Header, len(before.Header)+len(a.Header))
	maps.Copy(header, before.Header)
	for k, v := range a.Header {
		header[http.CanonicalHeaderKey(k)] = v
	}
	if a.Method == "" && a.Body == nil {
		a.Method, a.Body = before.Method, before.Body
	}
	a.Header, a.Anonymous = header, a.Anonymous || before.Anonymous
	return context.WithValue(ctx, askKey{}, a)
}

// Asked returns the Ask that ctx carries, or one that asks for nothing special.
// It is not to be changed.
func Asked(ctx context.Context) Ask {
	a, _ := ctx.Value(askKey{}).(Ask)
	return a
}

// check refuses what cannot be sent.
func (a Ask) check() error {
	if strings.ContainsFunc(a.Method, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r) }) {
		return &ConfigError{"method", a.Method, "is no name of a method"}
	}
	return checkHeader(a.Header)
}
