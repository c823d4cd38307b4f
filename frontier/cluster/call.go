package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/webquarry/quarry/frontier"
)

func (n *Node) subject(what string, partition int) string {
	return fmt.Sprintf("%s.%s.%d", n.opt.Prefix, what, partition)
}

// ask asks the owner of a partition, whoever it is, until one answers or ctx ends.
func (n *Node) ask(ctx context.Context, partition int, q question) (answer, error) {
	b, err := encode(q)
	if err != nil {
		return answer{}, err
	}
	for ; ; pause(ctx, 50*time.Millisecond) {
		if err := n.usable(ctx); err != nil {
			return answer{}, err
		}
		n.mu.Lock()
		p := n.parts[partition]
		n.mu.Unlock()
		var a answer
		if p != nil && p.live() {
			a = p.do(ctx, q)
		} else if a, err = n.request(ctx, partition, b); err != nil {
			continue
		}
		if a.Other {
			continue
		}
		if a.Err != "" {
			if ctx.Err() != nil {
				return a, context.Cause(ctx)
			}
			return a, errors.New(a.Err)
		}
		return a, nil
	}
}

func (n *Node) request(ctx context.Context, partition int, b []byte) (a answer, err error) {
	ctx, cancel := context.WithTimeout(ctx, min(2*time.Second, n.opt.LeaseFor))
	defer cancel()
	m, err := n.nc.RequestWithContext(ctx, n.subject("call", partition), b)
	if err == nil {
		err = decode(m.Data, &a)
	}
	return a, err
}

// answer answers what another node asks.
func (p *partition) answer(m *nats.Msg) {
	p.start(func() {
		var q question
		a := answer{Other: true}
		if err := decode(m.Data, &q); err != nil {
			a = answer{Err: fmt.Sprintf("cluster: a question that cannot be read: %v", err)}
		} else if p.live() {
			ctx, cancel := context.WithTimeout(p.ctx, p.node.opt.LeaseFor)
			a = p.do(ctx, q)
			cancel()
		}
		if b, err := encode(a); err == nil {
			m.Respond(b)
		}
	})
}

// do does what the owner of the partition is asked for.
func (p *partition) do(ctx context.Context, q question) (a answer) {
	var err error
	switch q.Op {
	case "add":
		a.N, err = p.f.Add(ctx, fromWire(q.Requests)...)
		p.hasAdded()
	case "rescore":
		a.N, err = p.f.Rescore(ctx, fromWire(q.Requests)...)
	case "drained":
		a.Yes, err = p.f.Drained(ctx)
	case "stats":
		a.Stats, err = p.f.Stats(ctx)
	case "park":
		err = p.f.Park(ctx, q.URL, q.Until)
	case "block":
		err = p.f.Block(ctx, q.URL)
	case "drop":
		a.N, err = p.f.Drop(ctx, q.URL)
	case "resume":
		err = p.f.Resume(ctx, q.URL)
		p.hasAdded()
	default:
		err = fmt.Errorf("cluster: nobody knows how to %q", q.Op)
	}
	refused, rest := frontier.Refusals(err)
	for _, r := range refused {
		x := refusal{URL: r.URL, Variant: r.Variant, Msg: r.Msg}
		if e, ok := errors.AsType[*frontier.MetaError](r.Err); ok {
			x.Meta = e
		}
		a.Refused = append(a.Refused, x)
	}
	if rest == nil {
		return a
	}
	if ctx.Err() == nil {
		p.node.failed(p, rest)
	}
	if errors.Is(rest, ErrFenced) || errors.Is(rest, frontier.ErrClosed) {
		return answer{Other: true}
	}
	a.Err = rest.Error()
	return a
}

// refusals are the errors that an answer tells.
func (a *answer) refusals() error {
	var errs []error
	for _, r := range a.Refused {
		e := &frontier.URLError{URL: r.URL, Variant: r.Variant, Msg: r.Msg}
		if r.Meta != nil {
			e.Err = r.Meta
		}
		errs = append(errs, e)
	}
	return errors.Join(errs...)
}

// each asks the owners of URLs, many at a time, and adds up their numbers.
func (n *Node) each(ctx context.Context, op string, reqs []frontier.Request) (sum int, err error) {
	if err := n.usable(ctx); err != nil {
		return 0, err
	}
	byPartition := make(map[int][]frontier.Request)
	for _, r := range reqs {
		q, _ := partitionOf(r.URL, n.opt.Partitions) // one that is no URL is refused by any
		byPartition[q] = append(byPartition[q], r)
	}
	for q, some := range byPartition {
		for _, batch := range batches(some) {
			a, e := n.ask(ctx, q, question{Op: op, Requests: toWire(batch)})
			sum += a.N
			err = errors.Join(err, e, a.refusals())
			if e != nil {
				return sum, err
			}
		}
	}
	return sum, err
}

// Add implements [frontier.Frontier]. It asks the owners of the URLs, and waits where there is
// none for the moment. If an answer is lost on the way it asks again, and those that were added
// then count as known.
func (n *Node) Add(ctx context.Context, reqs ...frontier.Request) (added int, err error) {
	return n.each(ctx, "add", reqs)
}

// Rescore implements [frontier.Rescorer].
func (n *Node) Rescore(ctx context.Context, reqs ...frontier.Request) (changed int, err error) {
	return n.each(ctx, "rescore", reqs)
}

// Stats implements [frontier.Frontier]: it adds up what the owners of all partitions tell.
func (n *Node) Stats(ctx context.Context) (sum frontier.Stats, err error) {
	if err := n.usable(ctx); err != nil {
		return sum, err
	}
	for i := range n.opt.Partitions {
		a, err := n.ask(ctx, i, question{Op: "stats"})
		if err != nil {
			return sum, err
		}
		add(&sum, &a.Stats)
	}
	return sum, nil
}

func add(sum, s *frontier.Stats) {
	sum.Seen += s.Seen
	sum.Queued += s.Queued
	sum.Due += s.Due
	sum.Leased += s.Leased
	sum.Done += s.Done
	sum.Dropped += s.Dropped
	sum.Hosts += s.Hosts
	sum.AddRate += s.AddRate
	sum.VisitRate += s.VisitRate
	x, y := &sum.States, &s.States
	x.Known += y.Known
	x.Ready += y.Ready
	x.Waiting += y.Waiting
	x.Parked += y.Parked
	x.Away += y.Away
	x.Blocked += y.Blocked
	x.Dropped += y.Dropped
}

// Drained implements [frontier.Drainer]: nothing is left in any partition, nor on the way to one.
// It is exact: while all were asked nobody has written anything down.
func (n *Node) Drained(ctx context.Context) (bool, error) {
	for {
		if err := n.usable(ctx); err != nil {
			return false, err
		}
		before, err := n.logs.Info(ctx)
		if err != nil || !n.seemDrained(ctx) {
			return false, n.usable(ctx)
		}
		after, err := n.logs.Info(ctx)
		if err != nil {
			return false, n.usable(ctx)
		}
		if after.State.LastSeq == before.State.LastSeq {
			return true, nil
		}
	}
}

// seemDrained says whether each partition was drained when it was asked, and no link was on the
// way after that.
func (n *Node) seemDrained(ctx context.Context) bool {
	b, err := encode(question{Op: "drained"})
	if err != nil {
		return false
	}
	for i := range n.opt.Partitions {
		n.mu.Lock()
		p := n.parts[i]
		n.mu.Unlock()
		var a answer
		if p != nil && p.live() {
			a = p.do(ctx, question{Op: "drained"})
		} else if a, err = n.request(ctx, i, b); err != nil {
			return false
		}
		if !a.Yes {
			return false
		}
	}
	links, err := n.links.Info(ctx)
	return err == nil && links.State.Msgs == 0
}

// order asks the owner of a host.
func (n *Node) order(ctx context.Context, q question) (int, error) {
	i, ok := partitionOf(q.URL, n.opt.Partitions)
	if !ok {
		i = 0 // it is refused
	}
	a, err := n.ask(ctx, i, q)
	return a.N, errors.Join(err, a.refusals())
}

// Park implements [frontier.HostControl].
func (n *Node) Park(ctx context.Context, url string, until time.Time) error {
	_, err := n.order(ctx, question{Op: "park", URL: url, Until: until})
	return err
}

// Block implements [frontier.HostControl].
func (n *Node) Block(ctx context.Context, url string) error {
	_, err := n.order(ctx, question{Op: "block", URL: url})
	return err
}

// Drop implements [frontier.HostControl].
func (n *Node) Drop(ctx context.Context, url string) (dropped int, err error) {
	return n.order(ctx, question{Op: "drop", URL: url})
}

// Resume implements [frontier.HostControl].
func (n *Node) Resume(ctx context.Context, url string) error {
	_, err := n.order(ctx, question{Op: "resume", URL: url})
	return err
}
