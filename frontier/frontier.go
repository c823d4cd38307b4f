package frontier

import (
	"context"
	"net/netip"
	"time"

	"github.com/webquarry/quarry/frontier/internal/request"
)

// Request is one URL to visit. Negative numbers count as 0. URL, Via and Label have at most
// 64 KiB: a longer URL is refused, the others are cut.
type Request struct {
	URL      string    // canonical absolute URL; compared byte for byte
	Via      string    // URL of the page it was found on; empty for seeds
	Depth    int       // link hops from a seed
	Hops     int       // redirects followed since the link that led here
	Priority float64   // greater comes sooner, also within one host; NaN counts as 0
	Due      time.Time // not before; zero: now
	Attempt  int       // earlier visits of this URL that did not succeed
	Label    string    // which handler wants it: the user's alone, no plug-in writes it
	Meta     Meta      // values that travel with the URL
	Again    bool      // queue it although it is known; only Add and Done look at it, see there

	// Variant tells apart requests for one URL, such as a second visit in the name of somebody
	// else: each is queued, visited and known by itself. Most have none. It has at most
	// [MaxVariant] bytes; those that begin with "quarry." belong to this module.
	Variant string
}

// MaxVariant is how many bytes a Variant has at most: 256.
const MaxVariant = request.MaxVariant

// Lease is a request that is being visited, by whoever got it from Next, until Done.
type Lease struct {
	Request

	// Token tells this lease from all others that a frontier gives out, also of the same
	// URL and in other processes. It is never 0.
	Token uint64

	// Until is when the lease expires unless it is extended, see [Options].LeaseFor; zero:
	// never.
	Until time.Time
}

// Outcome says what became of a visit.
type Outcome struct {
	Again time.Time     // offer the request again then; zero: never
	Delay time.Duration // rest the host asks for (Crawl-delay, Retry-After), counted from this Done
	Found []Request     // links, recorded in the same durable step that ends the lease
	Addr  netip.Addr    // address that the host was found at; not valid: not known
	Asked time.Time     // when the host was last asked for something, from which its gap is counted; zero, or before the lease: at the lease
	Took  time.Duration // how long the host took to answer; zero: not known
	Bytes int64         // received

	// Meta has the values that change before the request is offered again, an empty one
	// where there is to be none any more; it keeps the others. A Meta that is too large is
	// refused as a URL is, and none changes.
	Meta Meta

	// Priority is the one that the request is offered again with, zero included; nil: the
	// one that it has.
	Priority *float64

	// Trouble is what was wrong with the visit, if anything.
	Trouble Trouble

	// Unvisited says that nothing was asked of the host: its clock is what it was
	// before the lease, so that the host's next request need not wait, and the visit
	// tells nothing of its health. Of the other fields Again, Found, Meta and Priority
	// count then. A frontier may take it for a visit all the same, and does after a
	// restart.
	Unvisited bool
}

// Trouble is what a visit tells of the health of its host. Twenty visits in
// trouble that were under way at the same time count as one.
type Trouble uint8

// The kinds of Trouble. A page that does not exist is none.
const (
	NoTrouble Trouble = iota
	Failed            // the host was reached and is broken, or it refuses visits and Delay says for how long
	Slow              // no answer in time: the host rests for 10 s, twice as long at every step, 5 min at most
	Refused           // the host refuses visits for now (429, 503) and does not say for how long: 1 min, twice as long at every step
	Unreached         // the host was not reached: it rests, is probed and in the end parked, see [Outage]
)

// Frontier decides which URL is visited next, and when. All methods may be
// called from many goroutines. After Close they return [ErrClosed]. What only some
// frontiers can do is found by [As].
//
// Politeness is kept from the start of a visit, which is when Next returns it,
// to the start of the next; see [Limits]. Among the requests that may be visited
// now the one with the greatest priority goes first; if several hosts have one,
// the host that has been ready for longest, and within a host what was queued
// first.
type Frontier interface {
	// Add queues requests and reports how many it queued. URLs that were added
	// before, in whatever state they are now, are ignored, but for two things. If
	// the URL is still waiting and req has a smaller Depth, it keeps the smaller. And
	// with [Request].Again a URL that is done is queued again, as the request says and
	// as if it were new: for a recrawl, or a retry by hand. One that waits or is leased
	// stays as it is, and so does all of a host that was dropped by its [HostBudget] or [HostControl].
	// To tell a URL that is done from one that waits on disk, all that waits there of
	// its host is read, once for each 256 requests; so it is cheapest to add those of
	// a host together.
	//
	// A request whose URL is not an absolute http or https URL, or whose Meta or Variant is
	// beyond its bounds, is refused with a [*URLError], the others are added all the same;
	// see [Refusals]. What is said of a URL here and at Done is so of each of its variants.
	Add(ctx context.Context, reqs ...Request) (added int, err error)

	// Next leases the best request whose host may be visited now and waits until
	// there is one. It returns ErrDrained when nothing is queued or leased, or
	// when nothing is leased and all that is queued is due beyond the horizon of
	// this run, be it that the request or that its host asked for so much time.
	// When ctx is cancelled Next returns its cause at once.
	Next(ctx context.Context) (Lease, error)

	// Done ends a lease. The fields of its request that are not the URL are
	// kept if it is to be offered again, so that the caller counts attempts;
	// its Due becomes out.Again. A lease that is lost, by a crash, by Close or as it
	// expired, is offered again with its Attempt one higher. A late Done changes
	// nothing: for a lease that has expired, was ended before or is of an earlier
	// process it is ErrLeaseExpired, whoever visits the URL by now. A URL among
	// out.Found that Add would refuse is refused here, and the lease is ended all the
	// same. So it is when ctx is cancelled: what has been done has been done.
	//
	// A host rests for out.Delay from now on, at most [Limits].MaxDelay, whatever
	// other visits to it say; until a later Done of the host says otherwise it is
	// also the least gap between two visits. So it is with the rest of a host in
	// [Trouble], which is up to a fifth longer at random and never more than a
	// day; eight visits without trouble take it a step back.
	Done(ctx context.Context, l Lease, out Outcome) error

	// Stats counts what the frontier holds. It is quick: it waits for no disk.
	Stats(ctx context.Context) (Stats, error)

	// Close makes all methods return ErrClosed, those that wait at once. Leases that
	// are open are lost. Closing again does nothing and returns what the first call did.
	Close() error
}

// Limits is the politeness that a Frontier enforces. Gaps are measured from
// the start of one visit to the start of the next; a visit starts with its lease or, if
// that is later, when its host was asked, see [Outcome]. The zero value means the
// defaults, a negative value no limit. No default makes a limit that was given void:
// with a negative Delay there is no Factor unless one is given, and with PerHost above
// the default of PerDomain, PerIP or Global that default is as large as PerHost (PerDomain
// and PerIP have no limit when PerHost has none). [OwnHost] returns limits for a server
// of one's own.
//
// A host is a scheme, name and port. A registrable domain is one label more than
// a public suffix, such as example.co.uk; names below those of the list's
// private section, such as x.github.io and y.github.io, are domains of their
// own, and so are IP addresses and names of one label.
//
// The address of a host is that of the [Outcome] of its last visit; until there
// was one only the other limits hold, unless the URL names the address. A host
// is forgotten when nothing of it is queued and no clock holds it up any more.
type Limits struct {
	PerHost     int           // visits at a time on one host (scheme, name and port); 1
	PerDomain   int           // visits at a time on one registrable domain; 4, or PerHost if that is more
	PerIP       int           // visits at a time on one IP address; 4, or PerHost if that is more
	Global      int           // visits at a time; 256. One crawl keeps to its Workers, so it need not be set for that
	Delay       time.Duration // gap between visits of one host; 1 s. Negative: none, nor one by the default of Factor
	DomainDelay time.Duration // gap between visits of one registrable domain; none
	IPDelay     time.Duration // gap between visits of one IP address; none
	MaxDelay    time.Duration // cap on what a host may ask for, and on its rest when it is in trouble; 24 h
	Factor      float64       // gap between visits of one host as a multiple of the time that it takes to answer, if that is more than Delay; 2, none if Delay is negative
	FactorCap   time.Duration // cap on the gap by Factor; 30 s

	// Exempt are the registrable domains ("cloudfront.net") and the addresses
	// or blocks of them ("192.0.2.7", "198.51.100.0/24") behind which are hosts
	// that have nothing to do with each other, such as those of shared hosting
	// and of networks that deliver content: each name in such a domain is a
	// domain of its own, and such an address does not count. Loopback addresses
	// are always exempt.
	Exempt []string

	Budget HostBudget // how much of the crawl one host may take; all it has
	Outage Outage     // how long a host that cannot be reached is waited for; a day
}

// Options configure a Frontier. The zero value is usable.
type Options struct {
	Limits Limits

	// Horizon is how far ahead what is due later still belongs to this run;
	// zero: 1 h, or the longest rest of Limits.Outage if that is more; negative: for
	// ever. It is never shorter than the delays of Limits.
	Horizon time.Duration

	// LeaseFor is how long a lease lasts that is not extended (see [Extender]): then its
	// request is offered again with its Attempt one higher, because the visitor must have
	// died; zero: for ever. It is for frontiers that several processes share. Until a
	// lease expires its host is taken; from then on others may be visiting it.
	LeaseFor time.Duration

	// MapKnown is how many bytes of the files of known URLs a [Disk] maps, the small ones
	// first. Known URLs are found there in a sixth of the time that a read takes, but
	// what is mapped soon counts as memory of the process. A URL takes some 6 bytes of
	// them, so that for a hundred million 600 MiB do; zero: 52 MiB, negative: none.
	MapKnown int

	// Copy is given all that a [Disk] writes down, part by part in the order in which it is
	// written, so that the same can go on in another folder if this one is lost: [Import]
	// takes the parts. What a method has to write down before it returns has been taken by
	// Copy by then; steps that come together are one part. An error stops the frontier, and
	// its methods return that. Open calls it, too. Nil: there is no copy.
	Copy func(LogPart) error

	// SyncEvery is how long what a [Disk] has acknowledged may be lost if the
	// machine loses power; zero: nothing, each step is synced before its method
	// returns, and concurrent steps share a sync; negative: never synced but by
	// Close. The lease of a host without delays is no such step: if it is lost, the
	// request is offered again as if there had been none. Whatever SyncEvery is, the
	// death of the process alone loses nothing.
	SyncEvery time.Duration
}
