package frontier

import (
	"context"
	"io"
	"iter"
	"net/netip"
	"time"
)

// As returns f as a T, which is a capability such as [Extender], or else what f wraps,
// which its method Unwrap() Frontier returns, and so on, as [errors.AsType] does with
// errors. So a Frontier that wraps another one hides nothing of it if it has that method.
//
// [Finisher] and [BatchLeaser] do what Done and Next do: a wrapper whose own Done or
// Next does more than pass the call on would be passed over. Whoever wants one of those
// asks by a type assertion, and a wrapper that means to keep it has it as well.
func As[T any](f Frontier) (T, bool) {
	for f != nil {
		if t, ok := f.(T); ok {
			return t, true
		}
		w, ok := f.(interface{ Unwrap() Frontier })
		if !ok {
			break
		}
		f = w.Unwrap()
	}
	var none T
	return none, false
}

// Extender is a Frontier whose leases can be made to last longer, for visits that take
// longer than [Options].LeaseFor.
type Extender interface {
	// Extend has a lease last for LeaseFor from now on, and returns it with its new Until.
	// For a lease that is over it is ErrLeaseExpired. It waits for nothing.
	Extend(ctx context.Context, l Lease) (Lease, error)
}

// BatchLeaser is a Frontier that gives out many leases in one call, for workers that are
// far away from it.
type BatchLeaser interface {
	// NextBatch leases up to so many requests, at least one: it waits as Next does until
	// there is one, and for no more. The visit of each counts as begun when it returns,
	// so that of a host whose limits allow one visit at a time there is one request.
	NextBatch(ctx context.Context, most int) ([]Lease, error)
}

// Finisher is a Frontier whose Done has two parts, so that a worker can take its next
// request while the disk is busy with the last.
type Finisher interface {
	// Finish is Done in two parts. When it has returned, the visit has ended and what it
	// found is queued, so that a call of Next may give that out. The function that it
	// returns, never nil, is to be called once, at once and from any goroutine: it waits
	// until all that is on the disk, as Done would. Whoever saw safe return without an
	// error has what Done promises.
	Finish(ctx context.Context, l Lease, out Outcome) (safe func() error, err error)
}

// Locator is a Frontier that can be told where a host is before it is visited.
type Locator interface {
	// Locate tells at which address the host of a URL is, before a visit of it has
	// ended with an [Outcome] that says so: when a worker has looked up the name, and
	// has not connected yet. It says whether the visits under way keep to
	// [Limits].PerIP, that of the worker included. If not, as several hosts turned out
	// to be at one address at the same time, the worker should give its lease back by
	// Done with [Outcome].Again set to now, without a visit.
	//
	// The address is kept like that of an Outcome. Of a host with nothing queued or
	// leased nothing is kept.
	Locate(ctx context.Context, url string, addr netip.Addr) (free bool, err error)
}

// HostControl is a Frontier whose hosts can be held up by hand. What is ordered of a host is
// durable as what Add queues is, holds after a restart, and is told by Explain, Host and Hosts
// and counted by Stats. A host is named by any URL of it, and need not have been heard of.
// Visits that are under way end as usual.
type HostControl interface {
	// Park has a host not visited before some time: what is queued of it, or is added later,
	// waits. A time that has come already takes an earlier Park or Block back. Next tells
	// that the frontier is drained if nothing waits but what is parked beyond the horizon.
	Park(ctx context.Context, url string, until time.Time) error

	// Block parks a host until Resume.
	Block(ctx context.Context, url string) error

	// Drop has a host not visited any more: what is queued of it, or is added later, counts
	// as done without a visit, as with a [HostBudget]. It says how many requests
	// were dropped at once.
	Drop(ctx context.Context, url string) (dropped int, err error)

	// Resume has a host visited again that was parked, blocked or dropped, be it by hand, by
	// its [HostBudget] or as it was away. Unless it was by hand, or if the host was dropped,
	// what its budget is measured by and its [Trouble] begin anew. Requests that were dropped
	// stay so, unless they are added with [Request].Again. Of a host that is not held up
	// nothing changes.
	Resume(ctx context.Context, url string) error
}

// Exporter is a Frontier that can be carried to another place, such as another machine,
// with all that it holds: what waits and what is known, clocks and orders by hand. A
// [Memory] is none.
type Exporter interface {
	// Export writes what the frontier holds at some moment during the call, at least all that
	// was acknowledged before it, for [Import]. The frontier goes on meanwhile, and none of
	// its other methods waits for w. What is leased is written as what waits, with its Attempt
	// one higher: it is offered again by the frontier that is opened from the copy, for which
	// a Done of the lease is ErrLeaseExpired, as after a restart. Whoever means to move a frontier
	// closes it before the copy is opened, or the URLs that wait are visited by both.
	//
	// Export reads each file of the folder once. If the copy of the files fails because
	// w does, or ctx ends, the frontier is as it was.
	Export(ctx context.Context, w io.Writer) error
}

// Drainer is a Frontier that can be asked whether it is drained without a lease being given out.
type Drainer interface {
	// Drained says whether Next would return ErrDrained at once.
	Drained(ctx context.Context) (bool, error)
}

// Rescorer is a Frontier in which URLs that wait can be given other priorities.
type Rescorer interface {
	// Rescore gives URLs that wait the priorities of reqs, of which the other fields
	// do not count, and says how many have changed. Among those of its new priority
	// a request counts as queued just now; one that has the priority already keeps its
	// place. URLs that do not wait, as they are unknown, leased or done, are ignored,
	// bad ones refused as by Add.
	//
	// The cost is about that of adding them. If some are not in memory, all that waits on
	// disk of their host is read, once for some thousand URLs of the host; so it is
	// cheapest to rescore many in one call.
	Rescore(ctx context.Context, reqs ...Request) (changed int, err error)
}

// Inspector is a Frontier that tells what it knows. What it tells was so at some moment
// while it was asked. However much waits, who adds, leases or ends a visit meanwhile waits
// no longer than for another of their kind: all is looked at in small steps. When ctx is
// cancelled each ends with its cause, when the frontier is closed with [ErrClosed].
type Inspector interface {
	// Explain says what is known of a URL; where a request for it has a Variant, that is
	// not looked at. To tell a URL that waits on disk from one that is done it reads all
	// that waits there of the host, and to say how many are before it looks at all that
	// waits of the host.
	Explain(ctx context.Context, url string) (Explanation, error)

	// Host says what is known of the host of a URL, which is Unknown where that is nothing.
	Host(ctx context.Context, url string) (Host, error)

	// Hosts is over the hosts of which something is queued or leased, and those that
	// were parked or dropped, in no order; with an error it ends. Each is as it was a moment
	// before it is yielded, and of those that come or go meanwhile some are yielded. To tell the
	// names of hosts of which all waits on disk it reads one request each.
	Hosts(ctx context.Context) iter.Seq2[Host, error]

	// Pending is over the requests of the host of a URL that wait: first those that are
	// due, best first, then those due later, by due time; with an error it ends. What waits all
	// the time is yielded once; of what is leased or rescored meanwhile some is, of what is added
	// nothing, and what becomes due meanwhile may come later. It lists all that waits of the host
	// in memory, 32 bytes each, and reads what waits on disk.
	Pending(ctx context.Context, url string) iter.Seq2[Request, error]

	// Resting returns the hosts of which something is queued and that are not to be
	// visited within the next minute, for their own sake: they are away, parked, or asked
	// for a rest. All is how many there are, urls how much is queued of them; hosts has
	// those with the most, at most so many. It looks at all hosts, and reads one request
	// of each of those that it returns if all of that waits on disk.
	Resting(ctx context.Context, most int) (hosts []Host, all, urls int, err error)
}
