package crawler

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Router is a Parser that has each page read by the Parser of its request's Label, such as
// one for lists and one for articles:
//
//	c.Parser = &crawler.Router{
//		Labels:  map[string]crawler.Parser{"article": &crawler.HTML{Refine: article}},
//		Default: &crawler.HTML{Refine: list}, // sets Link.Label to "article"
//	}
//
// A label that nobody has set a Parser for is mostly a slip of the pen: the visit fails
// with an error that matches [ErrLabel] and says which labels there are, and is not tried
// again. It must not be changed while it is in use.
type Router struct {
	Labels  map[string]Parser
	Default Parser // for requests without a Label, and so for seeds; nil: &HTML{}
}

// ErrLabel is a Router's word for a Label that it has no Parser for: not retried.
const ErrLabel Kind = "label"

var _ Parser = (*Router)(nil)

// Parse reads a page by the Parser of its Label.
func (r *Router) Parse(ctx context.Context, resp *Response) (*Page, error) {
	p, ok := r.of(resp.Request.Label)
	if !ok {
		known := slices.Sorted(maps.Keys(r.Labels))
		return nil, &FetchError{URL: resp.URL, Kind: ErrLabel, Err: fmt.Errorf("no Parser for %q, only for %s", resp.Request.Label, strings.Join(known, ", "))}
	}
	return p.Parse(ctx, resp)
}

// of is the Parser of a label.
func (r *Router) of(label string) (p Parser, ok bool) {
	if p = r.Labels[label]; p != nil {
		return p, true
	}
	if label != "" {
		return nil, false
	}
	if r.Default == nil {
		return new(HTML), true
	}
	return r.Default, true
}

// Unwrap returns the Parser of requests without a Label.
func (r *Router) Unwrap() Parser {
	p, _ := r.of("")
	return p
}

// parsers are all that a Parser may hand a page to, itself and those that it wraps included.
func parsers(p Parser) (all []Parser) {
	for p != nil {
		all = append(all, p)
		if r, ok := p.(*Router); ok {
			for _, label := range slices.Sorted(maps.Keys(r.Labels)) {
				all = append(all, parsers(r.Labels[label])...)
			}
		}
		wraps, ok := p.(interface{ Unwrap() Parser })
		if !ok {
			break
		}
		p = wraps.Unwrap()
	}
	return all
}
