package frontiertest

import (
	"errors"
	"fmt"

	"time"

	"github.com/webquarry/quarry/frontier"
)

func rescoreCases() map[string]func(*desk) {
	return map[string]func(*desk){
		"other priorities":                      otherPriorities,
		"rescored ones are behind their equals": rescoredLast,
		"only what waits is rescored":           rescoresWhatWaits,
	}
}

// rescore rescores, of which so many change, or ends the test where that cannot
// be done.
func (d *desk) rescore(want int, reqs ...frontier.Request) {
	d.Helper()
	f, ok := frontier.As[frontier.Rescorer](d.f)
	if !ok {
		d.Skip("the frontier has no Rescore")
	}
	if n, err := f.Rescore(d.Context(), reqs...); n != want || err != nil {
		d.Fatalf("Rescore of %v: %d, %v, want %d", reqs, n, err, want)
	}
}

func otherPriorities(d *desk) {
	const n = 300
	var learned []frontier.Request
	for i := range n {
		url := fmt.Sprintf("http://a.test/%d", i)
		d.add(1, frontier.Request{URL: url, Via: "http://a.test/", Depth: 2, Label: "x", Meta: frontier.Meta{}.With("m.m", "m"), Priority: float64(-i)})
		learned = append(learned, frontier.Request{URL: url, Priority: float64(i), Depth: 9, Label: "y"})
	}
	d.urls("http://b.test/")
	d.rescore(n-1, learned...) // the first has 0 already
	for i := range n {
		req := d.next(fmt.Sprintf("http://a.test/%d", n-1-i), time.Duration(i)*time.Second)
		if want := (frontier.Request{URL: req.URL, Via: "http://a.test/", Depth: 2, Label: "x", Meta: frontier.Meta{}.With("m.m", "m"), Priority: float64(n - 1 - i)}); req.Request != want {
			d.Errorf("got %+v, want %+v", req, want)
		}
		d.done(req, frontier.Outcome{})
		if i == 0 {
			d.visit("http://b.test/", 0)
		}
	}
	d.drained()
}

func rescoredLast(d *desk) {
	d.add(4,
		frontier.Request{URL: "http://a.test/1", Priority: 1},
		frontier.Request{URL: "http://a.test/2"},
		frontier.Request{URL: "http://a.test/3", Priority: 1},
		frontier.Request{URL: "http://a.test/later", Priority: -1, Due: d.start.Add(500 * time.Millisecond)},
	)
	d.rescore(2,
		frontier.Request{URL: "http://a.test/later", Priority: 1},
		frontier.Request{URL: "http://a.test/3", Priority: 1}, // as it was
		frontier.Request{URL: "http://a.test/2", Priority: 1},
	)
	for i, page := range []string{"1", "3", "later", "2"} {
		d.visit("http://a.test/"+page, time.Duration(i)*time.Second)
	}
}

func rescoresWhatWaits(d *desk) {
	d.urls("http://a.test/done", "http://a.test/leased", "http://a.test/waits")
	d.visit("http://a.test/done", 0)
	a := d.next("http://a.test/leased", time.Second)
	var reqs []frontier.Request
	for _, page := range []string{"done", "leased", "waits", "new"} {
		reqs = append(reqs, frontier.Request{URL: "http://a.test/" + page, Priority: 1})
	}
	d.rescore(1, append(reqs, frontier.Request{URL: "http://b.test/", Priority: 1})...)
	f, _ := frontier.As[frontier.Rescorer](d.f)
	n, err := f.Rescore(d.Context(), frontier.Request{URL: "nonsense"}, frontier.Request{URL: "http://a.test/waits", Priority: 2})
	if ue, ok := errors.AsType[*frontier.URLError](err); n != 1 || !ok || ue.URL != "nonsense" {
		d.Errorf("Rescore of nonsense: %d, %v", n, err)
	}
	d.done(a, frontier.Outcome{Again: time.Now()})
	if req := d.next("http://a.test/waits", 2*time.Second); req.Priority != 2 {
		d.Errorf("got %+v", req)
	}
	d.stats(frontier.Stats{Seen: 3, Queued: 1, Leased: 1, Done: 1, Hosts: 1})
}
