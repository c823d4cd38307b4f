package frontier_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// looksHold is how long 95 of 100 calls of Add, Next and Done may wait at most for those who
// look at a large host, on a machine that does much else, and
// few times as long under the race detector. On an idle one the longest wait is
// below looksHoldIdle, which QUARRY_FRONTIER_IDLE=1 checks.
const (
	looksHold     = 150 * time.Millisecond
	looksHoldIdle = 5 * time.Millisecond
)

// TestLooksHoldUpNobody measures how long Add, Next and Done wait while a host with a
// million URLs (with -short, a hundred thousand) is looked at in all ways, all the time: in
// memory, and with nearly all of it on disk.
func TestLooksHoldUpNobody(t *testing.T) {
	n := 1_000_000
	if testing.Short() {
		n = 100_000
	}
	opt := frontier.Options{Limits: benchLimits, Horizon: -1, SyncEvery: -1}
	for name, open := range map[string]func(t *testing.T) frontier.Frontier{
		"memory": func(*testing.T) frontier.Frontier { return frontier.New(opt) },
		"disk": func(t *testing.T) frontier.Frontier {
			d, err := frontier.OpenCrowded(scratch(t), opt, n/10)
			if err != nil {
				t.Fatal(err)
			}
			return d
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := open(t)
			defer f.Close()
			held := &heldUp{Frontier: f, n: n}
			held.fill(t)
			_, alone := held.waits(t)
			most, longest := held.waits(t, func(ctx context.Context) { held.look(t, ctx) }, func(ctx context.Context) { held.list(t, ctx) })
			t.Logf("most waits are below %v, the longest is %v, and %v without looks; %d requests were looked at", most, longest, alone, held.looks.Load())
			idle := os.Getenv("QUARRY_FRONTIER_IDLE") != ""
			if most > few*looksHold || idle && longest > looksHoldIdle || held.looks.Load() == 0 {
				t.Errorf("looks hold others up")
			}
		})
	}
}

// heldUp is a frontier with many URLs of one host, of which the first half is never visited,
// and some of others.
type heldUp struct {
	frontier.Frontier
	n     int
	added int // URLs of other hosts
	looks atomic.Int64
}

func bigURL(i int) string { return fmt.Sprintf("http://big.test/%d", i) }

func (h *heldUp) fill(t *testing.T) {
	for from := 0; from < h.n; from += 1000 {
		reqs := make([]frontier.Request, 1000)
		for i := range reqs {
			reqs[i] = frontier.Request{URL: bigURL(from + i), Priority: float64((from + i) % 10)}
		}
		if _, err := h.Add(t.Context(), reqs...); err != nil {
			t.Fatal(err)
		}
	}
	if d, ok := h.Frontier.(*frontier.Disk); ok {
		d.Settle()
	}
	h.visits(t, 100*time.Millisecond, nil) // the first of a large queue takes long
}

// visits leases and ends visits for so long, and until there is enough if that is not nil, of
// which each tenth is of another host, and returns how long the calls took.
func (h *heldUp) visits(t *testing.T, long time.Duration, enough func() bool) (waits []time.Duration) {
	measure := func(f func() error) {
		start := time.Now()
		if err := f(); err != nil {
			t.Error(err)
		}
		waits = append(waits, time.Since(start))
	}
	for i, start := 0, time.Now(); time.Since(start) < long || enough != nil && !enough() && time.Since(start) < time.Minute; i++ {
		if i%10 == 0 {
			h.added++
			measure(func() error {
				_, err := h.Add(t.Context(), frontier.Request{URL: fmt.Sprintf("http://other%d.test/", h.added), Priority: 100})
				return err
			})
		}
		var l frontier.Lease
		measure(func() (err error) { l, err = h.Next(t.Context()); return err })
		measure(func() error {
			return h.Done(t.Context(), l, frontier.Outcome{Again: time.Now(), Priority: new(l.Priority)})
		})
		time.Sleep(200 * time.Microsecond)
	}
	return waits
}

// waits returns below what 95 of 100 waits are while others look, and the longest.
func (h *heldUp) waits(t *testing.T, looks ...func(context.Context)) (most, longest time.Duration) {
	ctx, stop := context.WithCancel(t.Context())
	var looking sync.WaitGroup
	for _, look := range looks {
		looking.Go(func() { look(ctx) })
	}
	var enough func() bool
	if len(looks) > 0 {
		enough = func() bool { return h.looks.Load() > 0 }
	}
	waits := h.visits(t, time.Second, enough)
	stop()
	looking.Wait()
	slices.Sort(waits)
	return waits[len(waits)*95/100], waits[len(waits)-1]
}

// look looks in all ways but one until the context ends.
func (h *heldUp) look(t *testing.T, ctx context.Context) {
	f, _ := frontier.As[frontier.Inspector](h.Frontier)
	for ctx.Err() == nil {
		_, err := f.Explain(ctx, bigURL(9*h.n/10))
		if err == nil {
			_, err = h.Stats(ctx)
		}
		if err == nil {
			_, _, _, err = f.Resting(ctx, 10)
		}
		for _, e := range f.Hosts(ctx) {
			err = errors.Join(err, e)
		}
		if err != nil && ctx.Err() == nil {
			t.Error(err)
		}
	}
}

// list lists what waits until the context ends.
func (h *heldUp) list(t *testing.T, ctx context.Context) {
	f, _ := frontier.As[frontier.Inspector](h.Frontier)
	for ctx.Err() == nil {
		for _, err := range f.Pending(ctx, bigURL(0)) {
			if err == nil {
				h.looks.Add(1)
			} else if ctx.Err() == nil {
				t.Error(err)
			}
		}
	}
}

// TestPendingOnce lists what waits of a host, in small steps, while requests of it are visited,
// shelved, brought back, rescored and become due: what waits all the time is listed once, and
// each URL that waits is explained so.
func TestPendingOnce(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func() (frontier.Frontier, error){
		"memory": func() (frontier.Frontier, error) { return frontier.NewStepping(benchOptions()), nil },
		"disk":   func() (frontier.Frontier, error) { return frontier.OpenTuned(scratch(t), benchOptions(), 20_000) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := open()
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			listOnce(t, f)
		})
	}
}

// TestListsEnd lists what waits of a host, and the hosts, while for each that is listed there are
// more that wait: what came later is not waited for.
func TestListsEnd(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func() (frontier.Frontier, error){
		"memory": func() (frontier.Frontier, error) { return frontier.NewStepping(benchOptions()), nil },
		"disk":   func() (frontier.Frontier, error) { return frontier.OpenTuned(scratch(t), benchOptions(), 20_000) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := open()
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			x, _ := frontier.As[frontier.Inspector](f)
			const n = 100
			added := 0
			more := func(priority float64) {
				for range 5 {
					added++
					add1(t, f, frontier.Request{URL: bigURL(added), Priority: priority})
					add1(t, f, frontier.Request{URL: fmt.Sprintf("http://host%d.test/", added)})
				}
			}
			for range n / 5 {
				more(1)
			}
			listed := 0
			for _, err := range x.Pending(t.Context(), bigURL(0)) {
				if err != nil || listed == n {
					t.Fatalf("after %d requests: %v, more of them", listed, err)
				}
				more(float64(listed % 3))
				listed++
			}
			if listed != n {
				t.Errorf("%d requests are listed, want %d", listed, n)
			}
			hosts, most := 0, added+1
			for _, err := range x.Hosts(t.Context()) {
				if err != nil || hosts == most {
					t.Fatalf("after %d hosts: %v, more of them", hosts, err)
				}
				more(0)
				hosts++
			}
			if hosts != most {
				t.Errorf("%d hosts are listed, want %d", hosts, most)
			}
		})
	}
}

func benchOptions() frontier.Options {
	return frontier.Options{Limits: benchLimits, Horizon: -1, SyncEvery: -1}
}

func listOnce(t *testing.T, f frontier.Frontier) {
	const fixed, moving = 120, 60
	start := time.Now()
	for i := range fixed { // a third due at once, a third that becomes due during the lists, a third later
		r := frontier.Request{URL: bigURL(i), Priority: -1 - float64(i%7)}
		if i%3 > 0 {
			r.Due = start.Add(time.Duration(i%3/2)*time.Hour + time.Duration(i)*5*time.Millisecond)
		}
		add1(t, f, r)
	}
	for i := fixed; i < fixed+moving; i++ {
		add1(t, f, frontier.Request{URL: bigURL(i), Priority: float64(i % 5)})
	}
	ctx, stop := context.WithCancel(t.Context())
	var others sync.WaitGroup
	rescorer, _ := frontier.As[frontier.Rescorer](f)
	for w := range 2 {
		others.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				l, err := f.Next(ctx)
				if err != nil {
					break
				}
				if l.Priority < 0 {
					t.Errorf("%s was leased", l.URL)
				}
				out := frontier.Outcome{Again: time.Now(), Priority: new(float64(n % 5))}
				if n%10 == 0 && n < 10_000 {
					out.Found = []frontier.Request{{URL: fmt.Sprintf("http://big.test/new/%d/%d", w, n), Priority: 1}}
				}
				if err := f.Done(ctx, l, out); err != nil {
					t.Error(err)
				}
				if _, err := rescorer.Rescore(ctx, frontier.Request{URL: bigURL(fixed + n%moving), Priority: float64(n % 4)}); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
				runtime.Gosched() // with one processor, those who list would have to wait for a time slice at each step
			}
		})
	}
	defer others.Wait()
	defer stop()
	x, _ := frontier.As[frontier.Inspector](f)
	for time.Since(start) < 700*time.Millisecond {
		listed := map[string]int{}
		for r, err := range x.Pending(ctx, bigURL(0)) {
			if err != nil {
				t.Fatal(err)
			}
			listed[r.URL]++
		}
		for i := range fixed {
			if n := listed[bigURL(i)]; n != 1 {
				t.Errorf("%s is listed %d times", bigURL(i), n)
			}
		}
		if e, err := x.Explain(ctx, bigURL(len(listed)%fixed)); err != nil || e.State != frontier.Queued {
			t.Errorf("%+v, %v", e, err)
		}
	}
}

func add1(t *testing.T, f frontier.Frontier, r frontier.Request) {
	t.Helper()
	if n, err := f.Add(t.Context(), r); n != 1 || err != nil {
		t.Fatal(n, err)
	}
}
