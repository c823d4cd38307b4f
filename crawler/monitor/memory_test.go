package monitor

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/webquarry/quarry/crawler"
)

// TestRecent: of the last visits each URL's last one is known, and nothing else
// is kept.
func TestRecent(t *testing.T) {
	t.Parallel()
	r := recent{most: 10}
	for i := range 100 {
		r.add(Visit{URL: fmt.Sprint(i % 17), Kind: crawler.Failed, Error: fmt.Sprint(i)})
		for back := range 17 {
			n := i - back
			v, ok := r.of(fmt.Sprint((n + 17*7) % 17))
			if want := n >= 0 && back < 10; ok != want || ok && v.Error != fmt.Sprint(n) {
				t.Fatalf("after %d: %d is %+v, %v", i, n, v, ok)
			}
		}
		if len(r.visits) > 10 || len(r.at) > 10 {
			t.Fatalf("%d visits, %d URLs", len(r.visits), len(r.at))
		}
	}
	for range 30 { // one URL alone
		r.add(Visit{URL: "x", Kind: crawler.Fetched})
	}
	if len(r.at) != 1 || len(r.trouble(5)) != 0 {
		t.Errorf("%v, %v", r.at, r.trouble(5))
	}
	for i := range 7 {
		r.add(Visit{URL: fmt.Sprint(i), Kind: crawler.Retrying})
	}
	var last []string
	for _, v := range r.trouble(3) {
		last = append(last, v.URL)
	}
	if !slices.Equal(last, []string{"6", "5", "4"}) {
		t.Errorf("%q", last)
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	r := ring{step: time.Second, steps: make([]point, 5)}
	start := time.Unix(1000, 0)
	if s := r.series(start); len(s.Pages) != 0 {
		t.Errorf("%+v", s)
	}
	r.at(start).pages, r.at(start).queued = 3, 7
	r.at(start.Add(2*time.Second)).pages++
	if s := r.series(start.Add(3 * time.Second)); !slices.Equal(s.Pages, []int64{3, 0, 1, 0}) || !slices.Equal(s.Queued, []int64{7, 7, 7, 7}) {
		t.Errorf("%+v", s)
	}
	if s := r.series(start.Add(6 * time.Second)); !slices.Equal(s.Pages, []int64{1, 0, 0, 0, 0}) {
		t.Errorf("%+v", s)
	}
	if s := r.series(start.Add(1000 * time.Second)); !slices.Equal(s.Pages, make([]int64, 5)) || !slices.Equal(s.Queued, []int64{7, 7, 7, 7, 7}) {
		t.Errorf("%+v", s)
	}
	if r.at(start) != r.at(start.Add(1000*time.Second)) { // a clock set back counts now
		t.Error("a time before the last")
	}
}

func TestHostsAreBounded(t *testing.T) {
	t.Parallel()
	h := hosts{most: 3}
	for i := range 10 {
		for range i + 1 {
			h.add(crawler.Event{Kind: crawler.Fetched, URL: fmt.Sprintf("http://h%d.test/", i)}, 5, time.Now())
		}
	}
	top := h.busiest(2)
	if len(h.all) != 3 || len(top) != 2 || top[0].name != "http://h2.test" || top[0].pages != 3 || top[0].bytes != 15 {
		t.Errorf("%d hosts, %+v", len(h.all), top)
	}
}
