package frontier_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// timing is a crawl of a few hosts, some of which are away for a while. It goes on in one
// frontier after the other, and keeps the true time.
type timing struct {
	*testing.T
	*rand.Rand
	f       frontier.Frontier
	passed  time.Duration // true time before this frontier
	begun   time.Time     // when it was made, by the bubble's clock
	last    map[string]time.Duration
	gap     map[string]time.Duration // asked for at the last visit
	away    map[string][2]time.Duration
	missed  map[string]int
	visited map[string]int
}

func newTiming(t *testing.T, r *rand.Rand) *timing {
	return &timing{
		T: t, Rand: r, last: map[string]time.Duration{}, gap: map[string]time.Duration{},
		away: map[string][2]time.Duration{}, missed: map[string]int{}, visited: map[string]int{},
	}
}

// now is the true time since the start.
func (x *timing) now() time.Duration { return x.passed + time.Since(x.begun) }

// during goes on with another frontier.
func (x *timing) during(t *testing.T, f frontier.Frontier) { x.T, x.f, x.begun = t, f, time.Now() }

// crawl makes so many visits, or as many as there are, and says whether all is done.
func (x *timing) crawl(visits int) bool {
	x.Helper()
	for range visits {
		l, err := x.f.Next(x.Context())
		if errors.Is(err, frontier.ErrDrained) {
			return true
		}
		if err != nil {
			x.Fatal(err)
		}
		host, _, _ := strings.Cut(strings.TrimPrefix(l.URL, "http://"), "/")
		now := x.now()
		if last, ok := x.last[host]; ok && now-last < x.gap[host] {
			x.Errorf("%s %v after the visit before, which asked for %v", l.URL, now-last, x.gap[host])
		}
		took := time.Duration(x.IntN(900)) * time.Millisecond
		time.Sleep(took)
		out := frontier.Outcome{Took: time.Millisecond}
		x.last[host], x.gap[host] = now, time.Second
		switch a := x.away[host]; {
		case now >= a[0] && now < a[1]:
			x.missed[host]++
			x.gap[host] = took + time.Minute
			out = frontier.Outcome{Trouble: frontier.Unreached, Again: time.Now()}
		case x.IntN(4) == 0: // it wants a long pause
			pause := time.Duration(x.IntN(20)) * time.Minute
			x.gap[host] = max(took+pause, time.Second)
			out.Delay = pause
			x.visited[l.URL]++
		case x.IntN(4) == 0: // the page is wanted again
			out.Again = time.Now().Add(time.Duration(x.IntN(30)) * time.Minute)
		default:
			x.visited[l.URL]++
		}
		finish(x.T, x.f, l, out)
	}
	return false
}

// over expects that all has been visited once, and away hosts as often as is documented.
func (x *timing) over(pages int) {
	x.Helper()
	if len(x.visited) != pages {
		x.Errorf("%d of %d pages were visited", len(x.visited), pages)
	}
	for url, n := range x.visited {
		if n != 1 {
			x.Errorf("%s was visited %d times", url, n)
		}
	}
}

// TestClockSet: whatever the machine's clock is set to before a run goes on, all pages are visited, no gap is shorter than was asked for, and no run ends early.
// What passes while nobody has the folder open is what the clock says, if that is set
// forward.
func TestClockSet(t *testing.T) {
	t.Parallel()
	for seed := range uint64(rounds(300)) {
		r := rand.New(rand.NewPCG(seed, 5))
		steps := []time.Duration{-time.Hour, -3 * time.Hour, -20 * 24 * time.Hour, 24 * time.Hour, -time.Minute, 90 * time.Minute, 0}
		set := steps[r.IntN(len(steps))]
		t.Run(fmt.Sprintf("%d: %v", seed, set), func(t *testing.T) {
			t.Parallel()
			x := newTiming(t, r)
			dir := t.TempDir()
			const hosts, pages = 3, 8
			wall := 30 * 24 * time.Hour // of the machine's clock, since the start of a bubble's
			for run, over := 0, false; !over; run++ {
				synctest.Test(t, func(t *testing.T) {
					time.Sleep(wall)
					d := opened(t, dir)
					x.during(t, d)
					if run == 0 {
						for i := range hosts * pages {
							add(t, d, fmt.Sprintf("http://h%d.test/%d", i%hosts, i))
						}
						if r.IntN(2) == 0 {
							from := time.Duration(r.IntN(600)) * time.Second
							x.away["h1.test"] = [2]time.Duration{from, from + time.Duration(r.IntN(7200))*time.Second}
						}
					}
					visits := 1 + r.IntN(20)
					if run > 3 {
						visits = 1000
					}
					if over = x.crawl(visits); over {
						if s := statsOf(d); s.Queued != 0 && s.States.Parked == 0 {
							t.Errorf("run %d ends and leaves %+v", run, s)
						}
					}
					if err := d.Close(); err != nil {
						t.Fatal(err)
					}
					closed := time.Duration(r.IntN(120)) * time.Second
					wall += time.Since(x.begun) + closed
					x.passed = x.now() + closed
					if by := set * time.Duration(r.IntN(2)); by > 0 {
						wall += by
						x.passed += by
					} else {
						wall += by
					}
				})
			}
			x.over(hosts * pages)
		})
	}
}

// TestAllAway: every host is away at the same time, for a minute, an hour or a day. No page
// is lost, and no host has more visits meanwhile than Outage says.
func TestAllAway(t *testing.T) {
	for _, tt := range []struct {
		away time.Duration
		most int
	}{
		{time.Minute, 2},
		{time.Hour, 7},
		{24 * time.Hour, 7 + 23*6/5},
	} {
		t.Run(tt.away.String(), func(t *testing.T) {
			both(t, frontier.Options{}, func(t *testing.T, f frontier.Frontier) {
				const hosts, pages = 20, 5
				x := newTiming(t, rand.New(rand.NewPCG(1, uint64(tt.away))))
				x.during(t, f)
				for i := range hosts * pages {
					host := fmt.Sprintf("h%d.test", i%hosts)
					x.away[host] = [2]time.Duration{time.Minute, time.Minute + tt.away}
					add(t, f, fmt.Sprintf("http://%s/%d", host, i))
				}
				for range hosts { // each is there once
					finish(t, f, next(t, f), frontier.Outcome{Took: time.Millisecond})
				}
				time.Sleep(time.Minute)
				if !x.crawl(10000) {
					t.Fatal("the run does not end")
				}
				x.over(hosts * (pages - 1))
				for host, n := range x.missed {
					if n > tt.most {
						t.Errorf("%s had %d visits while it was away for %v, want at most %d", host, n, tt.away, tt.most)
					}
				}
			})
		})
	}
}

// TestSetWhileOpen: the machine's clock is set while a frontier is open. Times that
// programs give and get are by the machine's clock as it is then, and what is wanted in a
// moment comes in a moment.
func TestSetWhileOpen(t *testing.T) {
	t.Parallel()
	for _, by := range []time.Duration{0, -time.Hour, -100 * 24 * time.Hour, 24 * time.Hour} {
		t.Run(by.String(), func(t *testing.T) {
			t.Parallel()
			for name, f := range map[string]frontier.Frontier{
				"memory": frontier.New(frontier.Options{Limits: frontier.OwnHost(4)}),
				"disk":   openDisk(t, scratch(t), frontier.Options{Limits: frontier.OwnHost(4), SyncEvery: -1}),
			} {
				// The frontier was made by a clock that has been set since, by so much.
				frontier.SetMachine(t, f, by)
				begun := time.Now()
				soon, later := begun.Add(30*time.Millisecond), begun.Add(45*time.Minute).Round(0)
				add(t, f, "http://a.test/again")
				l := next(t, f)
				finish(t, f, l, frontier.Outcome{Again: time.Now().Add(20 * time.Millisecond)})
				reqs := []frontier.Request{{URL: "http://a.test/soon", Due: soon}, {URL: "http://a.test/dated", Due: soon.Round(0)}, {URL: "http://a.test/later", Due: later}}
				if _, err := f.Add(t.Context(), reqs...); err != nil {
					t.Fatal(err)
				}
				w := f.(watched)
				if e := explained(w, "http://a.test/later"); !near(e.Due, later) || !near(e.Request.Due, later) {
					t.Errorf("%s: due %v and %v, want %v", name, e.Due, e.Request.Due, later)
				}
				if e := explained(w, "http://a.test/again"); !near(e.Last.At, time.Now()) || !near(e.Last.Again, time.Now()) {
					t.Errorf("%s: %+v", name, e.Last)
				}
				for range 3 {
					l := next(t, f)
					if !near(l.Due, soon) {
						t.Errorf("%s: %s was due %v, want %v", name, l.URL, l.Due, soon)
					}
					finish(t, f, l, frontier.Outcome{})
				}
				if took := time.Since(begun); took > 20*time.Second {
					t.Errorf("%s: it took %v", name, took)
				}
				if s := statsOf(w); s.Queued != 1 || s.Done != 3 {
					t.Errorf("%s: %+v", name, s)
				}
			}
		})
	}
}

func near(a, b time.Time) bool { return a.Sub(b).Abs() < 30*time.Second }
