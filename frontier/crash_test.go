package frontier_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/webquarry/quarry/frontier"
	"github.com/webquarry/quarry/internal/durable"
	"github.com/webquarry/quarry/internal/faultfs"
)

// ledger is what a frontier has acknowledged.
type ledger struct {
	waiting map[string]bool // to be offered, or leased
	done    map[string]bool
}

// life opens a folder, adds, leases, ends and compacts, and closes it. It goes
// on after errors and writes down what was acknowledged, and what was not but
// may have happened all the same.
func life(t *testing.T, dir string, hook durable.Hook, known ledger) (unsure map[string]bool) {
	unsure = map[string]bool{}
	opt := frontier.Options{Limits: frontier.Limits{Delay: -1, PerHost: -1, PerDomain: -1}}
	d, err := frontier.OpenTuned(dir, opt, 1<<30, hook)
	if err != nil {
		return unsure
	}
	defer d.Close()
	add := func(us ...string) {
		_, err := d.Add(t.Context(), urls(us...)...)
		for _, u := range us {
			if err == nil {
				known.waiting[u] = !known.done[u]
			} else {
				unsure[u] = true
			}
		}
	}
	visit := func(found ...string) {
		req, err := d.Next(t.Context())
		if err != nil {
			return
		}
		if known.done[req.URL] {
			t.Errorf("%s was offered although done", req.URL)
		}
		if err := d.Done(t.Context(), req, frontier.Outcome{Found: urls(found...)}); err != nil {
			unsure[req.URL] = true
			for _, u := range found {
				unsure[u] = true
			}
			return
		}
		known.done[req.URL], known.waiting[req.URL] = true, false
		for _, u := range found {
			known.waiting[u] = !known.done[u]
		}
	}
	add("http://a.test/1", "http://b.test/1", "http://b.test/2")
	visit("http://a.test/2", "http://c.test/1")
	visit()
	d.Compact()
	add("http://a.test/3")
	visit("http://d.test/1", "http://d.test/2")
	d.Next(t.Context()) // a lease that is lost
	return unsure
}

// TestFaultAtEveryOperation lets every operation of two lives fail, once, with
// all that follow, or with all that follow and the loss of what was not synced.
// What was acknowledged is there afterwards, and no more than what was asked for.
func TestFaultAtEveryOperation(t *testing.T) {
	t.Parallel()
	for kind, fault := range map[string]func(string, int) *faultfs.Power{
		"fail":  func(_ string, n int) *faultfs.Power { return &faultfs.Power{Fault: faultfs.Fail(n)} },
		"crash": func(_ string, n int) *faultfs.Power { return &faultfs.Power{Fault: faultfs.Crash(n)} },
		"power": faultfs.PowerCut,
	} {
		until(t, 1, few, 7, func(n int) bool {
			dir := scratch(t)
			f := fault(dir, n)
			hook := f.Fault.Hook
			if kind == "power" {
				hook = f.Hook
			}
			known := ledger{map[string]bool{}, map[string]bool{}}
			unsure := life(t, dir, hook, known)
			maps.Copy(unsure, life(t, dir, hook, known))
			if err := f.Lose(); err != nil {
				t.Error(err)
			}
			if err := audit(t, dir, known, unsure); err != nil {
				t.Errorf("%s at operation %d: %v", kind, n, err)
			}
			return f.Fired()
		})
	}
}

// until calls do with growing numbers, many at a time since they wait for the
// disk, until it says no or the test has failed. The steps are longer with -short.
func until(t *testing.T, first, step, shortStep int, do func(n int) bool) {
	if testing.Short() {
		step = shortStep
	}
	var over atomic.Bool
	for n := first; !over.Load() && !t.Failed(); {
		var wg sync.WaitGroup
		for range 16 {
			at := n
			n += step
			wg.Go(func() {
				if !do(at) {
					over.Store(true)
				}
			})
		}
		wg.Wait()
	}
}

// audit opens a folder and visits all that is left in it.
func audit(t *testing.T, dir string, known ledger, unsure map[string]bool) error {
	d, err := frontier.Open(dir, frontier.Options{Limits: frontier.Limits{Delay: -1}, SyncEvery: -1})
	if err != nil {
		return err
	}
	defer d.Close()
	offered := map[string]bool{}
	for {
		req, err := d.Next(t.Context())
		if errors.Is(err, frontier.ErrDrained) {
			break
		}
		if err != nil {
			return err
		}
		if offered[req.URL] || known.done[req.URL] || !known.waiting[req.URL] && !unsure[req.URL] {
			return fmt.Errorf("%s was offered: %+v", req.URL, known)
		}
		offered[req.URL] = true
		if err := d.Done(t.Context(), req, frontier.Outcome{}); err != nil {
			return err
		}
	}
	for u, waits := range known.waiting {
		if waits && !offered[u] && !unsure[u] {
			return fmt.Errorf("%s is lost; offered %v", u, slices.Sorted(maps.Keys(offered)))
		}
	}
	return nil
}

// TestFullDisk fills the disk after any number of bytes: the folder opens when
// there is room again.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	until(t, 0, 17, 97, func(room int) bool {
		dir := scratch(t)
		f := faultfs.Full(room)
		known := ledger{map[string]bool{}, map[string]bool{}}
		unsure := life(t, dir, f.Hook, known)
		if err := audit(t, dir, known, unsure); err != nil {
			t.Errorf("room for %d bytes: %v", room, err)
		}
		return f.Fired()
	})
}

// TestFullDiskIsSaid expects the reason in the errors of all methods, and of
// those that wait.
func TestFullDiskIsSaid(t *testing.T) {
	t.Parallel()
	d, err := frontier.OpenTuned(scratch(t), frontier.Options{}, 1<<30, faultfs.Full(1500).Hook)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err := d.Add(t.Context(), urls("http://a.test/1", "http://a.test/2")...); err != nil {
		t.Fatal(err)
	}
	req, err := d.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	waits := make(chan error)
	go func() {
		_, err := d.Next(t.Context())
		waits <- err
	}()
	for err == nil {
		_, err = d.Add(t.Context(), urls(fmt.Sprintf("http://a.test/%d", time.Now().UnixNano()))...)
	}
	_, next := d.Next(t.Context())
	for _, err := range []error{err, next, <-waits, d.Done(t.Context(), req, frontier.Outcome{})} {
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("got %v, want ENOSPC", err)
		}
	}
}

// TestCompactionAmidWork ends visits while the state is being written, between
// any two of its records, and loses power afterwards. Nothing of it was synced,
// so a visit may be forgotten, but never the links of one that is not, nor the
// clock of its host.
func TestCompactionAmidWork(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		dir := scratch(t)
		compactAmidWork(t, dir, seed)
		offered := map[string]bool{}
		d := openDisk(t, dir, frontier.Options{Limits: frontier.Limits{Delay: -1, PerHost: -1}, SyncEvery: -1})
		for i := range amidPages {
			add(t, d, amidPage(i)+"more")
		}
		for {
			req, err := d.Next(t.Context())
			if errors.Is(err, frontier.ErrDrained) {
				break // what is left waits for its host, beyond the horizon
			}
			if err != nil {
				t.Fatal(err)
			}
			offered[req.URL] = true
			if err := d.Done(t.Context(), req, frontier.Outcome{}); err != nil {
				t.Fatal(err)
			}
		}
		for i := range amidPages {
			page, link, more := offered[amidPage(i)], offered[amidLink(i)], offered[amidPage(i)+"more"]
			if page == link || page != more {
				t.Errorf("seed %d: page %d is offered: %v, its link: %v, another of its host: %v", seed, i, page, link, more)
			}
		}
		d.Close()
	}
}

const amidPages = 30

func amidPage(i int) string { return fmt.Sprintf("http://page%d.test/", i) }
func amidLink(i int) string { return fmt.Sprintf("http://link%d.test/", i) }

// compactAmidWork leases pages and ends the leases at random writes of a
// compaction, each with one link and a rest for its host.
func compactAmidWork(t *testing.T, dir string, seed uint64) {
	power := faultfs.PowerCut(dir, 1<<30)
	var d *frontier.Disk
	var open []frontier.Lease
	rnd := rand.New(rand.NewPCG(seed, 0))
	d, err := frontier.OpenTuned(dir, frontier.Options{SyncEvery: -1}, 1<<30, func(op durable.Op) error {
		if op.Kind == "write" && strings.HasPrefix(op.Name, "state-") && len(open) > 0 && rnd.IntN(4) == 0 {
			i := rnd.IntN(len(open))
			req := open[i]
			open = slices.Delete(open, i, i+1)
			var n int
			fmt.Sscanf(req.URL, "http://page%d.test/", &n)
			if err := d.Done(t.Context(), req, frontier.Outcome{Found: urls(amidLink(n)), Delay: 2 * time.Hour}); err != nil {
				t.Error(err)
			}
		}
		return power.Hook(op)
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range amidPages {
		add(t, d, amidPage(i))
		open = append(open, next(t, d))
	}
	if err := d.Compact(); err != nil {
		t.Fatal(err)
	}
	power.Stop()
	d.Close()
	if err := power.Lose(); err != nil {
		t.Fatal(err)
	}
}
