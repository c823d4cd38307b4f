package frontiertest

import (
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
	if free, err := f.Locate(url, netip.MustParseAddr(addr)); free != want || err != nil {
		d.Errorf("Locate %s: %v, %v, want %v", url, free, err, want)
	}
}

func explainStates(d *desk) {
	f := d.inspect()
	expect := func(url string, state frontier.State, waits frontier.Wait) {
		d.Helper()
		if e := f.Explain(url); e.State != state || e.Waits != waits {
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
	if e := f.Explain("no URL"); e.State != frontier.Unknown || e.Reason == "" {
		d.Errorf("no URL: %+v", e)
	}
}

func hostsLeft(d *desk) {
	f := d.inspect()
	d.urls("http://a.test/1", "http://a.test/2", "http://b.test/1", "http://c.test:81/1")
	d.visit("http://a.test/1", 0)
	d.next("http://b.test/1", 0)
	got := map[string][2]int{}
	for h := range f.Hosts() {
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
	for req := range f.Pending("http://a.test/any") {
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
	if n := len(slices.Collect(f.Pending("http://b.test/"))); n != 0 {
		d.Errorf("%d requests of a host that has none", n)
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
