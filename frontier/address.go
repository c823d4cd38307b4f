package frontier

import (
	"fmt"
	"math"
	"sync"

	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/sched"
)

// candidates is a list that is used again.
type candidates []sched.Candidate

var lists = sync.Pool{New: func() any { return new(candidates) }}

func takeList() *candidates { return lists.Get().(*candidates) }

// give lets others use the list.
func (cs *candidates) give() {
	cs.reset()
	lists.Put(cs)
}

// reset empties the list, and lets go of the texts.
func (cs *candidates) reset() {
	clear(*cs)
	*cs = (*cs)[:0]
}

// candidateOf refuses what cannot be visited. It leaves Due to the caller.
func candidateOf(req Request, seed uint64) (sched.Candidate, error) {
	if err := mend(&req); err != nil {
		return sched.Candidate{}, err
	}
	c, msg := sched.NewCandidate(bare(&req), seed)
	if msg != "" {
		return c, &URLError{URL: req.URL, Variant: req.Variant, Msg: msg}
	}
	c.Again = req.Again
	return c, nil
}

// bare is a request as it is kept, but for its Due: what time that is only a clock can say.
func bare(r *Request) request.Request {
	return request.Request{
		URL: r.URL, Via: r.Via, Label: r.Label, Variant: r.Variant, Meta: r.Meta.text,
		Depth: r.Depth, Hops: r.Hops, Attempt: r.Attempt, Priority: r.Priority,
	}
}

// public is the reverse, with Due as the frontier's clock tells it.
func public(r request.Request) Request {
	return Request{
		URL: r.URL, Via: r.Via, Label: r.Label, Variant: r.Variant, Meta: Meta{r.Meta},
		Depth: r.Depth, Hops: r.Hops, Attempt: r.Attempt, Priority: r.Priority, Due: fromNanos(r.Due),
	}
}

// mend brings a request into the range that can be stored and ordered, or refuses it.
func mend(r *Request) error {
	if math.IsNaN(r.Priority) {
		r.Priority = 0
	}
	r.Depth, r.Hops, r.Attempt = count(r.Depth), count(r.Hops), count(r.Attempt)
	r.Via, r.Label = r.Via[:min(len(r.Via), request.MaxText)], r.Label[:min(len(r.Label), request.MaxText)]
	if len(r.Variant) > MaxVariant {
		return &URLError{URL: r.URL, Variant: r.Variant, Msg: fmt.Sprintf("variant: more than %d bytes", MaxVariant)}
	}
	if r.Meta == (Meta{}) { // as most
		return nil
	}
	if err := r.Meta.check(); err != nil {
		return &URLError{URL: r.URL, Variant: r.Variant, Msg: err.Error(), Err: err}
	}
	r.Meta = r.Meta.Merge(Meta{})
	return nil
}

// count is n within the range that is stored.
func count(n int) int { return min(max(n, 0), math.MaxInt32) }
