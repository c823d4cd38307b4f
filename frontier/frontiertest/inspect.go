package frontiertest

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// inspectCases are left out for frontiers that do not offer the methods.
func inspectCases() map[string]func(*desk) {
	return map[string]func(*desk){
		"Explain says where a URL is":         explainStates,
		"Hosts counts what is left":           hostsLeft,
		"Pending is in the order of visits":   pendingInOrder,
		"Locate counts visits of an address":  locateCounts,
		"Locate holds back what is not begun": locateHoldsBack,
		"who looks is told why not":           looksEnd,
	}
}

// inspect is the frontier, if it can be looked into.
func (d *desk) inspect() frontier.Inspector {
	f, ok := frontier.As[frontier.Inspector](d.f)
	if !ok {
		d.Skip("it cannot be looked into")
	}
	return f
}

// locate tells the address of a host and expects to be told whether a visit may go on.
func (d *desk) locate(url, addr string, want bool) {
	d.Helper()
	f, ok := frontier.As[frontier.Locator](d.f)
	if !ok {
		d.Skip("it cannot be told addresses")
	}
	if free, err := f.Locate(d.Context(), url, netip.MustParseAddr(addr)); free != want || err != nil {
		d.Errorf("Locate %s: %v, %v, want %v", url, free, err, want)
	}
}

func explainStates(d *desk) {
	f := d.inspect()
	expect := func(url string, state frontier.State, waits frontier.Wait) {
		d.Helper()
		if e, err := f.Explain(d.Context(), url); err != nil || e.State != state || e.Waits != waits {
			d.Errorf("%s: %s, waits for %q, want %s, %q", url, e.State, e.Waits, state, waits)
		}
	}
	expect("http://a.test/1", frontier.Unknown, "")
	d.urls("http://a.test/1", "http://a.test/2")
	expect("http://a.test/1", frontier.Queued, "")
	expect("http://a.test/2", frontier.Queued, frontier.ForOthers)
	req := d.next("http://a.test/1", 0)
	expect("http://a.test/1", frontier.Leased, "")
	expect("http://a.test/2", frontier.Queued, frontier.ForHostClock)
	time.Sleep(2 * time.Second)
	expect("http://a.test/2", frontier.Queued, frontier.ForHostVisits)
	d.done(req, frontier.Outcome{})
	expect("http://a.test/1", frontier.Done, "")
	expect("http://a.test/2", frontier.Queued, "")
	if e, err := f.Explain(d.Context(), "no URL"); err != nil || e.State != frontier.Unknown || e.Reason == "" {
		d.Errorf("no URL: %+v, %v", e, err)
	}
}

func hostsLeft(d *desk) {
	f := d.inspect()
	d.urls("http://a.test/1", "http://a.test/2", "http://b.test/1", "http://c.test:81/1")
	d.visit("http://a.test/1", 0)
	d.next("http://b.test/1", 0)
	got := map[string][2]int{}
	for h, err := range f.Hosts(d.Context()) {
		if err != nil {
			d.Fatal(err)
		}
		got[h.Name] = [2]int{h.Queued, h.Leased}
	}
	if want := map[string][2]int{"http://a.test": {1, 0}, "http://b.test": {0, 1}, "http://c.test:81": {1, 0}}; fmt.Sprint(got) != fmt.Sprint(want) {
		d.Errorf("hosts with what is queued and leased: %v, want %v", got, want)
	}
}

func pendingInOrder(d *desk) {
	f := d.inspect()
	d.add(5,
		frontier.Request{URL: "http://a.test/later", Due: d.start.Add(time.Minute), Priority: 9},
		frontier.Request{URL: "http://a.test/low", Priority: 1},
		frontier.Request{URL: "http://a.test/first", Priority: 2},
		frontier.Request{URL: "http://a.test/second", Priority: 2},
		frontier.Request{URL: "http://b.test/1", Priority: 3},
	)
	var got []string
	for req, err := range f.Pending(d.Context(), "http://a.test/any") {
		if err != nil {
			d.Fatal(err)
		}
		got = append(got, req.URL)
	}
	want := []string{"http://a.test/first", "http://a.test/second", "http://a.test/low", "http://a.test/later"}
	if !slices.Equal(got, want) {
		d.Errorf("%v, want %v", got, want)
	}
	d.visit("http://b.test/1", 0)
	for i, url := range want[:3] {
		d.visit(url, time.Duration(i)*time.Second)
	}
	for req, err := range f.Pending(d.Context(), "http://b.test/") {
		d.Errorf("%v, %v of a host that has none", req, err)
	}
}

// locateCounts has five visits under way when it turns out that they go to one
// address: four may go on.
func locateCounts(d *desk) {
	var leases []frontier.Lease
	for i := range 5 {
		d.urls(fmt.Sprintf("http://h%d.test/1", i))
		leases = append(leases, d.next(fmt.Sprintf("http://h%d.test/1", i), 0))
	}
	for i, l := range leases {
		d.locate(l.URL, "192.0.2.1", i < 4)
	}
	d.locate("http://never.test/", "192.0.2.1", true) // nothing of it to hold back
}

func locateHoldsBack(d *desk) {
	var leases []frontier.Lease
	for i := range 5 {
		d.urls(fmt.Sprintf("http://h%d.test/1", i))
		d.locate(fmt.Sprintf("http://h%d.test/1", i), "192.0.2.1", true)
	}
	for i := range 4 {
		leases = append(leases, d.next(fmt.Sprintf("http://h%d.test/1", i), 0))
	}
	d.none(time.Minute)
	d.done(leases[2], frontier.Outcome{})
	d.visit("http://h4.test/1", time.Minute)
}

// looksEnd: a context that is cancelled, a URL that is none and a frontier that is closed are
// errors, and each is told.
func looksEnd(d *desk) {
	f := d.inspect()
	d.urls("http://a.test/1", "http://a.test/2")
	cause := errors.New("cause")
	gone, cancel := context.WithCancelCause(d.Context())
	cancel(cause)
	all := func(ctx context.Context) (errs []error) {
		_, err := f.Explain(ctx, "http://a.test/1")
		errs = append(errs, err)
		_, err = f.Host(ctx, "http://a.test/1")
		errs = append(errs, err)
		_, _, _, err = f.Resting(ctx, 1)
		errs = append(errs, err)
		for _, err = range f.Hosts(ctx) {
		}
		errs = append(errs, err)
		for _, err = range f.Pending(ctx, "http://a.test/") {
		}
		errs = append(errs, err)
		if l, ok := frontier.As[frontier.Locator](d.f); ok {
			_, err = l.Locate(ctx, "http://a.test/1", netip.MustParseAddr("192.0.2.1"))
			errs = append(errs, err)
		}
		return errs
	}
	expect := func(ctx context.Context, want error) {
		d.Helper()
		for i, err := range all(ctx) {
			if !errors.Is(err, want) {
				d.Errorf("number %d: %v, want %v", i, err, want)
			}
		}
	}
	expect(d.Context(), nil)
	expect(gone, cause)
	for range f.Hosts(d.Context()) {
		break
	}
	for range f.Pending(d.Context(), "http://a.test/") {
		break
	}
	if _, err := f.Host(d.Context(), "no URL"); !isURLError(err) {
		d.Errorf("Host of no URL: %v", err)
	}
	for _, err := range f.Pending(d.Context(), "no URL") {
		if !isURLError(err) {
			d.Errorf("Pending of no URL: %v", err)
		}
	}
	if h, err := f.Host(d.Context(), "http://b.test/"); h.State != frontier.Unknown || err != nil {
		d.Errorf("a host that nobody knows: %+v, %v", h, err)
	}
	if h, err := f.Host(d.Context(), "http://a.test/no-page"); h.Queued != 2 || h.Name != "http://a.test" || err != nil {
		d.Errorf("a host with two requests: %+v, %v", h, err)
	}
	if err := d.f.Close(); err != nil {
		d.Fatal(err)
	}
	expect(d.Context(), frontier.ErrClosed)
}

func isURLError(err error) bool {
	_, ok := errors.AsType[*frontier.URLError](err)
	return ok
}
