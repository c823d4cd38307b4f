package refresh_test

import (
	"fmt"
	"math"
	"time"

	"github.com/webquarry/quarry/frontier/refresh"
)

const day = 24 * time.Hour

// A crawler that has four visits a day for two pages tells the scheduler of
// each, and is told when to come back.
func ExampleScheduler() {
	s := &refresh.Scheduler{PerSecond: 4.0 / 86400}
	stored := map[string][]byte{} // the history of each page, in the crawler's own records

	visited := func(url string, at time.Time, changed bool) time.Time {
		var h refresh.History
		if b := stored[url]; b != nil {
			if err := h.UnmarshalBinary(b); err != nil {
				panic(err)
			}
		}
		h, again := s.Visit(h, refresh.Visit{At: at, Changed: changed})
		stored[url], _ = h.AppendBinary(nil)
		return again
	}

	start := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	const today, about = "https://example.org/today", "https://example.org/about"
	due := map[string]time.Time{}
	visits := map[string]int{}
	for now := start; now.Before(start.Add(30 * day)); now = now.Add(10 * time.Minute) {
		for _, url := range []string{today, about} {
			if !due[url].After(now) {
				visits[url]++
				due[url] = visited(url, now, url == today)
			}
		}
	}
	fmt.Println("the page that is always another is visited more:", visits[today] > 3*visits[about])
	// Output: the page that is always another is visited more: true
}

// rooted visits pages more often that change often, but less than in proportion.
type rooted struct{}

func (rooted) Interval(rate, weight, price float64) float64 {
	return price / math.Sqrt(rate*weight)
}

// Any rule of thumb is a policy, and is held to the budget like the others.
func ExamplePolicy() {
	plan, err := refresh.Allocate(rooted{}, []refresh.Page{{Rate: 1.0 / 86400}, {Rate: 4.0 / 86400}}, 3.0/86400)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.2f and %.2f visits a day\n", 86400/plan.Intervals[0], 86400/plan.Intervals[1])
	// Output: 1.00 and 2.00 visits a day
}

// What was learned of all pages is kept over a restart, as JSON for example.
func ExampleScheduler_Resume() {
	var before, after refresh.Scheduler
	before.Visit(refresh.History{}, refresh.Visit{At: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)})
	fmt.Println(after.Resume(before.Price()), after.Price().Pages)
	// Output: <nil> 1
}

// Of five pages that change one to five times a day, with five visits a day,
// the fastest is best left alone.
func ExampleAllocate() {
	var pages []refresh.Page
	for changes := 1.0; changes <= 5; changes++ {
		pages = append(pages, refresh.Page{Rate: changes / 86400})
	}
	plan, err := refresh.Allocate(refresh.Optimal{}, pages, 5.0/86400)
	if err != nil {
		panic(err)
	}
	for i, seconds := range plan.Intervals {
		fmt.Printf("%d changes a day: %.2f visits\n", i+1, 86400/seconds)
	}
	// Output:
	// 1 changes a day: 1.15 visits
	// 2 changes a day: 1.36 visits
	// 3 changes a day: 1.35 visits
	// 4 changes a day: 1.14 visits
	// 5 changes a day: 0.00 visits
}

// Ten visits, a day apart, six of which found a change.
func ExampleByContent() {
	fmt.Printf("%.2f changes a day\n", 86400*refresh.ByContent(10, 6, 10*day))
	// Output: 0.92 changes a day
}

func ExampleByLastModified() {
	// By what the server said, the page had been as it was for six days in all.
	fmt.Printf("%.2f changes a day\n", 86400*refresh.ByLastModified(10, 6, 6*day))
	// Output: 0.94 changes a day
}

func ExampleLikeliest() {
	gaps := []refresh.Gap{{Length: 2 * day, Changed: true}, {Length: day}}
	fmt.Printf("%.2f changes a day\n", 86400*refresh.Likeliest(gaps))
	// Output: 0.55 changes a day
}

func ExampleFresh() {
	daily := 1.0 / 86400
	fmt.Printf("a copy a day old is true at %.0f %%, with visits every day %.0f %% are\n",
		100*refresh.Fresh(daily, day), 100*refresh.MeanFresh(daily, day))
	// Output: a copy a day old is true at 37 %, with visits every day 63 % are
}

func ExampleHistory_Rate() {
	var h refresh.History
	at := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	for i := range 11 { // the first visit has nothing to be compared with
		h = h.Next(refresh.Visit{At: at, Changed: i <= 6})
		at = at.Add(day)
	}
	fmt.Printf("%d changes in %d visits: %.2f a day\n", h.Changes, h.Visits, 86400*h.Rate())
	// Output: 6 changes in 10 visits: 0.92 a day
}

// Ten visits a second, a quarter of them for pages already known.
func ExampleSplit() {
	split := &refresh.Split{PerSecond: 10, Refresh: 0.25}
	scheduler := &refresh.Scheduler{PerSecond: split.Left()}

	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	for range 8 {
		turn, next := split.Turn(now, true, true) // there is a page to discover, and one is due
		if turn == refresh.Revisit {
			fmt.Print("again ")
		} else {
			fmt.Print("new ")
		}
		now = next
	}
	scheduler.Budget(split.Left()) // from time to time: what discovering leaves
	// Output: new new new again new new new again
}
