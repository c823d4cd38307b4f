package frontiertest

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/webquarry/quarry/frontier"
)

func inputCases() map[string]func(*desk) {
	return map[string]func(*desk){
		"known URLs are ignored":          knownURLs,
		"known URLs are queued again":     queuedAgain,
		"URLs are compared byte for byte": byteForByte,
		"a smaller depth is kept":         smallerDepth,
		"bad URLs are refused":            badURLs,
		"bad links end the lease":         badLinks,
		"all fields come back":            fieldsComeBack,
		"what is offered again":           offeredAgain,
		"what is reset":                   reset,
		"not leased":                      notLeased,
		"many at once":                    manyAtOnce,
		"counts":                          counts,
		"long URLs":                       longURLs,
	}
}

func knownURLs(d *desk) {
	d.add(2, requests("http://a.test/1", "http://a.test/2", "http://a.test/1")...)
	d.add(0, requests("http://a.test/1", "http://a.test/2")...)
	a := d.next("http://a.test/1", 0)
	d.add(0, a.Request) // leased
	d.done(a, frontier.Outcome{Found: []frontier.Request{a.Request}})
	d.add(0, a.Request) // done
	d.add(0, frontier.Request{URL: "http://a.test/2", Priority: 9, Label: "other", Depth: 3})
	if got := d.next("http://a.test/2", time.Second); got.Request != (frontier.Request{URL: "http://a.test/2"}) {
		d.Errorf("the second Add changed the request to %+v", got)
	}
}

func queuedAgain(d *desk) {
	one := frontier.Request{URL: "http://a.test/1", Depth: 3, Again: true}
	two := frontier.Request{URL: "http://a.test/2", Again: true}
	d.add(2, one, two, one) // new ones are added once
	d.add(0, one, two)      // they wait
	a := d.next("http://a.test/1", 0)
	if a.Again {
		d.Error("Again came back")
	}
	d.add(0, one) // leased
	d.done(a, frontier.Outcome{Found: []frontier.Request{one}})
	d.visit("http://a.test/2", time.Second)
	d.add(0, frontier.Request{URL: "http://a.test/1"})
	one.Priority, one.Via, one.Label, one.Meta, one.Attempt = 2, "http://b.test/", "label", frontier.Meta{}.With("a.b", "c"), 4
	d.add(2, two, one, one, two)
	d.add(0, frontier.Request{URL: "http://a.test/1", Depth: 2})
	d.stats(frontier.Stats{Seen: 2, Queued: 2, Hosts: 1})
	want := one
	want.Depth, want.Again = 2, false
	got := d.next("http://a.test/1", 2*time.Second)
	if got.Request != want {
		d.Errorf("got %+v, want %+v", got.Request, want)
	}
	d.done(got, frontier.Outcome{})
	l := d.next("http://a.test/2", 3*time.Second)
	due := time.Now().Add(10 * time.Second)
	d.done(l, frontier.Outcome{Found: []frontier.Request{{URL: "http://a.test/1", Due: due, Again: true}}})
	d.visit("http://a.test/1", 13*time.Second)
	d.drained()
	d.stats(frontier.Stats{Seen: 2, Done: 2})
}

func byteForByte(d *desk) {
	urls := []string{"http://a.test", "http://a.test/", "http://a.test/#", "http://a.test/#a", "http://a.test/?", "http://a.test/%61", "http://a.test/a", "http://a.test/A", "HTTP://a.test/a"}
	d.urls(urls...)
	for i, u := range urls {
		d.visit(u, time.Duration(i)*time.Second)
	}
}

func smallerDepth(d *desk) {
	d.add(1, frontier.Request{URL: "http://a.test/1", Via: "http://a.test/far", Depth: 5})
	d.add(0, frontier.Request{URL: "http://a.test/1", Via: "http://a.test/near", Depth: 2, Priority: 1})
	d.add(0, frontier.Request{URL: "http://a.test/1", Depth: 3})
	a := d.next("http://a.test/1", 0)
	if want := (frontier.Request{URL: "http://a.test/1", Via: "http://a.test/far", Depth: 2}); a.Request != want {
		d.Errorf("got %+v, want %+v", a, want)
	}
	d.add(0, frontier.Request{URL: "http://a.test/1", Depth: 1}) // too late
	d.done(a, frontier.Outcome{Again: time.Now()})
	if a = d.next("http://a.test/1", time.Second); a.Depth != 2 {
		d.Errorf("offered again at depth %d, want 2", a.Depth)
	}
}

// bad are URLs that no frontier takes.
var bad = []string{
	"", "a", "/a", "a.test/", "//a.test/", "http:", "http:/", "http://", "http:///a", "http:a.test", "http://?a", "http://#a",
	"ftp://a.test/", "mailto:a@a.test", "javascript:alert(1)", "data:,x", "file:///etc/passwd", "ws://a.test/", "httpx://a.test/",
	"http://a b/", "http://a.test/a b", "http://a.test/\n", "\thttp://a.test/", "http://a.test/\x00", "http://a.test/\x7f",
	"http://a.test:x/", "http://a.test:65536/", "http://a.test:-1/", "http://a.test:+1/", "http://[::1/", "http://[::g]/", "http://[1.2.3.4]/", "http://::1/",
	"http://a<b/", "http://a%20b/", "http://a\\b/", "http://user@/", "http://[fe80::1%25en0]/",
	"http://a.test/" + strings.Repeat("a", 64<<10),
}

func badURLs(d *desk) {
	for i, url := range bad {
		good := fmt.Sprintf("http://a.test/%d", i)
		n, err := d.f.Add(d.Context(), frontier.Request{URL: url}, frontier.Request{URL: good})
		ue, ok := errors.AsType[*frontier.URLError](err)
		if n != 1 || !ok || ue.URL != url || ue.Msg == "" {
			d.Errorf("Add of %.80q and a good one: %d, %v", url, n, err)
		}
	}
	d.stats(frontier.Stats{Seen: len(bad), Queued: len(bad), Hosts: 1})
	n, err := d.f.Add(d.Context(), requests("x", "http://a.test/0", "y")...)
	if n != 0 || err == nil || !strings.Contains(err.Error(), `"x"`) || !strings.Contains(err.Error(), `"y"`) {
		d.Errorf("two bad URLs: %d, %v", n, err)
	}
}

func badLinks(d *desk) {
	d.urls("http://a.test/1")
	a := d.next("http://a.test/1", 0)
	err := d.f.Done(d.Context(), a, frontier.Outcome{Found: requests("x", "http://b.test/1", "y")})
	if _, ok := errors.AsType[*frontier.URLError](err); !ok {
		d.Errorf("Done: %v, want a URLError", err)
	}
	d.visit("http://b.test/1", 0)
	d.drained()
	d.stats(frontier.Stats{Seen: 2, Done: 2})
}

func fieldsComeBack(d *desk) {
	want := frontier.Request{
		URL: "http://a.test/1", Via: "http://a.test/", Depth: 3, Hops: 2, Priority: 0.25,
		Due: d.start.Add(1234567 * time.Microsecond).UTC(), Attempt: 4, Label: "detail",
		Meta: frontier.Meta{}.With("shop.price", "3").With("quarry.recrawl", "\x00"),
	}
	d.add(3, frontier.Request{URL: "http://b.test/1", Label: "x", Via: "y"}, want, frontier.Request{URL: "http://a.test/2", Depth: -1, Hops: -1, Attempt: -1})
	d.visit("http://b.test/1", 0)
	if got := d.next("http://a.test/2", 0); got.Request != (frontier.Request{URL: "http://a.test/2"}) {
		d.Errorf("got %+v", got)
	} else {
		d.done(got, frontier.Outcome{})
	}
	if got := d.next("http://a.test/1", 1234567*time.Microsecond); !got.Due.Equal(want.Due) || !same(got.Request, want) {
		d.Errorf("got %+v, want %+v", got, want)
	}
}

// same says whether two requests differ in nothing but how they write their time.
func same(a, b frontier.Request) bool {
	due := a.Due.Equal(b.Due)
	a.Due, b.Due = time.Time{}, time.Time{}
	return due && a == b
}

func offeredAgain(d *desk) {
	d.add(1, frontier.Request{URL: "http://a.test/1", Via: "http://a.test/", Depth: 1, Label: "one"})
	a := d.next("http://a.test/1", 0)
	a.Attempt++
	a.Priority, a.Label, a.Hops, a.Via, a.Depth = 7, "two", 1, "http://a.test/via", 2
	d.done(a, frontier.Outcome{Again: d.start.Add(5 * time.Second)})
	d.add(0, requests("http://a.test/1")...)
	d.urls("http://a.test/2")
	time.Sleep(4500 * time.Millisecond)
	d.visit("http://a.test/2", 4500*time.Millisecond)
	a.Due, a.Depth = d.start.Add(5*time.Second), 0 // the second Add came at depth 0
	if got := d.next("http://a.test/1", 5500*time.Millisecond); !same(got.Request, a.Request) {
		d.Errorf("got %+v, want %+v", got, a)
	}
}

// reset: an outcome can change Meta and Priority, also to nothing, or leave them.
func reset(d *desk) {
	meta := func(value string) frontier.Meta { return frontier.Meta{}.With("a.b", value) }
	d.add(1, frontier.Request{URL: "http://a.test/1", Priority: 3, Meta: meta("memo")})
	for i, c := range []struct {
		out      frontier.Outcome
		value    string
		priority float64
	}{
		{frontier.Outcome{}, "memo", 3},
		{frontier.Outcome{Meta: meta("other")}, "other", 3},
		{frontier.Outcome{Priority: new(-1.5)}, "other", -1.5},
		{frontier.Outcome{Meta: meta(""), Priority: new(0.0)}, "", 0},
		{frontier.Outcome{}, "", 0},
	} {
		l := d.next("http://a.test/1", time.Duration(2*i)*time.Second)
		c.out.Again = time.Now()
		d.done(l, c.out)
		l = d.next("http://a.test/1", time.Duration(2*i+1)*time.Second)
		if l.Meta.Get("a.b") != c.value || l.Priority != c.priority {
			d.Errorf("after %+v: meta %v, priority %v, want %q, %v", c.out, l.Meta, l.Priority, c.value, c.priority)
		}
		d.done(l, frontier.Outcome{Again: time.Now()})
	}
}

func notLeased(d *desk) {
	d.urls("http://a.test/1", "http://a.test/2")
	a := d.next("http://a.test/1", 0)
	try := func(url string, token uint64) {
		d.Helper()
		err := d.f.Done(d.Context(), frontier.Lease{Request: frontier.Request{URL: url}, Token: token}, frontier.Outcome{Again: time.Now(), Found: requests("http://new.test/")})
		if !errors.Is(err, frontier.ErrLeaseExpired) {
			d.Errorf("Done for %q with token %d: %v, want ErrLeaseExpired", url, token, err)
		}
	}
	for _, token := range []uint64{0, a.Token} {
		try("http://a.test/2", token) // waits
		try("http://a.test/3", token) // unknown
		try("nonsense", token)
	}
	for _, token := range []uint64{0, 1, a.Token - 1, a.Token + 1} {
		try("http://a.test/1", token) // leased, but not to the caller
	}
	d.done(a, frontier.Outcome{})
	try("http://a.test/1", a.Token) // done
	d.stats(frontier.Stats{Seen: 2, Queued: 1, Done: 1, Hosts: 1})
}

func manyAtOnce(d *desk) {
	const n = 3000
	var urls []string
	for i := range n {
		urls = append(urls, fmt.Sprintf("http://h%d/%d/%s", i%100, i, strings.Repeat("x", i%50)))
	}
	d.urls("http://seed/")
	d.done(d.next("http://seed/", 0), frontier.Outcome{Found: requests(urls...)})
	d.add(0, requests(urls...)...)
	for i := range n {
		d.visit(urls[i], time.Duration(i/100)*time.Second)
	}
	d.drained()
	d.stats(frontier.Stats{Seen: n + 1, Done: n + 1})
}

func counts(d *desk) {
	d.urls("http://a.test/1", "http://a.test/2", "http://b.test/1")
	d.add(1, frontier.Request{URL: "http://c.test/1", Due: d.start.Add(time.Minute)})
	d.stats(frontier.Stats{Seen: 4, Queued: 4, Hosts: 3})
	a, b := d.next("http://a.test/1", 0), d.next("http://b.test/1", 0)
	d.stats(frontier.Stats{Seen: 4, Queued: 2, Leased: 2, Hosts: 3})
	d.done(a, frontier.Outcome{})
	d.done(b, frontier.Outcome{Again: d.start.Add(time.Minute)})
	d.stats(frontier.Stats{Seen: 4, Queued: 3, Done: 1, Hosts: 3})
	d.visit("http://a.test/2", time.Second)
	d.stats(frontier.Stats{Seen: 4, Queued: 2, Done: 2, Hosts: 2})
}

func longURLs(d *desk) {
	var urls []string
	for i := range 40 {
		urls = append(urls, fmt.Sprintf("http://h%d/%s", i, strings.Repeat("0123456789", 50+i*150)))
	}
	d.urls(urls...)
	for _, u := range urls {
		d.visit(u, 0)
	}
}
