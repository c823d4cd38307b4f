package frontiertest

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/webquarry/quarry/frontier"
)

func orderCases() map[string]func(*desk) {
	return map[string]func(*desk){
		"priority within a host":              priorityWithinHost,
		"priority across hosts":               priorityAcrossHosts,
		"first come, first served":            firstComeFirstServed,
		"hosts take turns":                    hostsTakeTurns,
		"the host that is ready for longest":  readyForLongest,
		"a slow host does not hold up others": slowHost,
		"what becomes due takes its place":    dueTakesItsPlace,
		"a better link overtakes":             betterLinkOvertakes,
		"priorities that are not numbers":     oddPriorities,
		"a host of few URLs among large ones": smallAmongLarge,
	}
}

func priorityWithinHost(d *desk) {
	for i, p := range []float64{0, -1, 5, 0.5, math.Inf(1), math.Inf(-1)} {
		d.add(1, frontier.Request{URL: fmt.Sprintf("http://a.test/%d", i), Priority: p})
	}
	for i, n := range []int{4, 2, 3, 0, 1, 5} {
		d.visit(fmt.Sprintf("http://a.test/%d", n), time.Duration(i)*time.Second)
	}
}

func priorityAcrossHosts(d *desk) {
	d.add(4,
		frontier.Request{URL: "http://a.test/1", Priority: 1},
		frontier.Request{URL: "http://b.test/3", Priority: 3},
		frontier.Request{URL: "http://b.test/2", Priority: 2},
		frontier.Request{URL: "http://c.test/2", Priority: 2},
	)
	d.visit("http://b.test/3", 0)
	d.visit("http://c.test/2", 0)
	d.visit("http://a.test/1", 0)
	d.visit("http://b.test/2", time.Second)
}

func firstComeFirstServed(d *desk) {
	var want []string
	for i := range 50 {
		want = append(want, fmt.Sprintf("http://a.test/%d", i*7%50))
	}
	d.urls(want...)
	for i, u := range want {
		d.visit(u, time.Duration(i)*time.Second)
	}
}

func hostsTakeTurns(d *desk) {
	const hosts, pages = 20, 5
	for h := range hosts {
		for p := range pages {
			d.urls(fmt.Sprintf("http://h%d/%d", h, p))
		}
	}
	for p := range pages {
		for h := range hosts {
			d.visit(fmt.Sprintf("http://h%d/%d", h, p), time.Duration(p)*time.Second)
		}
	}
	d.drained()
}

func readyForLongest(d *desk) {
	d.urls("http://a.test/1", "http://a.test/2", "http://b.test/1", "http://b.test/2")
	a := d.next("http://a.test/1", 0)
	b := d.next("http://b.test/1", 0)
	time.Sleep(2 * time.Second)
	d.done(b, frontier.Outcome{}) // ready from now on
	d.urls("http://c.test/1")     // this one too, but later
	time.Sleep(time.Second)
	d.done(a, frontier.Outcome{})
	d.visit("http://b.test/2", 3*time.Second)
	d.visit("http://c.test/1", 3*time.Second)
	d.visit("http://a.test/2", 3*time.Second)
}

// slowHost has a thousand URLs on a hundred hosts, one of which takes 30 s to
// answer: the others are done when they would be without it.
func slowHost(d *desk) {
	for i := range 1000 {
		d.urls(fmt.Sprintf("http://h%d/%d", i%100, i/100))
	}
	type visit struct {
		req  frontier.Lease
		over time.Time
	}
	var open []visit
	var fastDone time.Duration
	for fast := 990; fast > 0; {
		for len(open) < 20 && fast > 0 { // that many workers
			slowest := len(open)
			req, err := d.f.Next(d.Context())
			if err != nil {
				d.Fatal(err)
			}
			takes := 50 * time.Millisecond
			if req.URL[:len("http://h0/")] == "http://h0/" {
				takes = 30 * time.Second
			} else {
				fast--
				fastDone = time.Since(d.start)
			}
			open = slices.Insert(open, slowest, visit{req, time.Now().Add(takes)})
		}
		slices.SortFunc(open, func(a, b visit) int { return a.over.Compare(b.over) })
		time.Sleep(time.Until(open[0].over))
		d.done(open[0].req, frontier.Outcome{})
		open = open[1:]
	}
	if fastDone > 11*time.Second {
		d.Errorf("the other hosts took %v, want 9 s and little more", fastDone)
	}
}

func dueTakesItsPlace(d *desk) {
	d.add(3,
		frontier.Request{URL: "http://a.test/now"},
		frontier.Request{URL: "http://a.test/too"},
		frontier.Request{URL: "http://a.test/later", Priority: 1, Due: d.start.Add(500 * time.Millisecond)},
	)
	d.add(1, frontier.Request{URL: "http://b.test/past", Due: d.start.Add(-time.Hour)})
	d.visit("http://a.test/now", 0)
	d.visit("http://b.test/past", 0)
	d.visit("http://a.test/later", time.Second)
	d.visit("http://a.test/too", 2*time.Second)
	d.add(2,
		frontier.Request{URL: "http://a.test/3"},
		frontier.Request{URL: "http://c.test/later", Priority: 1, Due: d.start.Add(5 * time.Second)},
	)
	time.Sleep(4 * time.Second) // now both are ready
	d.visit("http://c.test/later", 6*time.Second)
	d.visit("http://a.test/3", 6*time.Second)
}

func betterLinkOvertakes(d *desk) {
	d.urls("http://a.test/1", "http://b.test/1", "http://b.test/2")
	d.done(d.next("http://a.test/1", 0), frontier.Outcome{Found: []frontier.Request{
		{URL: "http://b.test/3", Priority: 1},
		{URL: "http://a.test/2", Priority: 2},
	}})
	d.visit("http://b.test/3", 0)
	d.visit("http://a.test/2", time.Second)
	d.visit("http://b.test/1", time.Second)
	d.visit("http://b.test/2", 2*time.Second)
}

func oddPriorities(d *desk) {
	d.add(3,
		frontier.Request{URL: "http://a.test/-1", Priority: -1},
		frontier.Request{URL: "http://a.test/nan", Priority: math.NaN()},
		frontier.Request{URL: "http://a.test/1", Priority: 1},
	)
	d.visit("http://a.test/1", 0)
	d.visit("http://a.test/nan", time.Second)
	d.visit("http://a.test/-1", 2*time.Second)
}

func smallAmongLarge(d *desk) {
	for h := range 3 {
		for p := range 100 {
			d.urls(fmt.Sprintf("http://large%d/%d", h, p))
		}
	}
	d.urls("http://small/")
	d.visit("http://large0/0", 0)
	d.visit("http://large1/0", 0)
	d.visit("http://large2/0", 0)
	d.visit("http://small/", 0)
}
