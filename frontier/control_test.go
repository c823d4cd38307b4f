package frontier_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/webquarry/quarry/frontier"
	"github.com/webquarry/quarry/internal/durable"
	"github.com/webquarry/quarry/internal/faultfs"
)

// orders is what hosts may be after what was ordered of them by hand, and how many of their URLs
// may wait. What was acknowledged is so, what was not may be.
type orders map[string]map[orderedHost]bool

type orderedHost struct {
	state  frontier.State // Parked, Blocked or Dropped; empty: none of these
	queued int
}

func (o orders) change(host string, err error, change func(orderedHost) orderedHost) {
	after := map[orderedHost]bool{}
	if err != nil {
		maps.Copy(after, o[host])
	}
	for before := range o[host] {
		after[change(before)] = true
	}
	o[host] = after
}

// orderedLife holds hosts up by hand and has them visited again, and writes down what may be of
// them. It goes on after errors.
func orderedLife(t *testing.T, dir string, hook durable.Hook, known orders) {
	opt := benchOptions()
	opt.SyncEvery = 0
	d, err := frontier.OpenTuned(dir, opt, 1<<30, hook)
	if err != nil {
		return
	}
	defer d.Close()
	url := func(host string, n int) string { return fmt.Sprintf("http://%s.test/%d", host, n) }
	next := 0
	add := func(host string) {
		next++
		s, err := d.Stats(t.Context())
		if err != nil {
			return
		}
		_, err = d.Add(t.Context(), frontier.Request{URL: fmt.Sprintf("%s/%d", url(host, next), s.Seen)})
		known.change(host, err, func(h orderedHost) orderedHost {
			if h.state != frontier.Dropped {
				h.queued++
			}
			return h
		})
	}
	order := func(host string, state frontier.State) {
		var err error
		switch state {
		case frontier.Parked:
			err = d.Park(t.Context(), url(host, 0), time.Now().Add(24*time.Hour))
		case frontier.Blocked:
			err = d.Block(t.Context(), url(host, 0))
		case frontier.Dropped:
			_, err = d.Drop(t.Context(), url(host, 0))
		default:
			err = d.Resume(t.Context(), url(host, 0))
		}
		known.change(host, err, func(h orderedHost) orderedHost {
			switch {
			case state == frontier.Dropped:
				return orderedHost{state: state}
			case state != "" && h.state == frontier.Dropped:
				return h
			}
			h.state = state
			return h
		})
	}
	for _, host := range []string{"a", "b", "c", "d"} {
		if known[host] == nil {
			known[host] = map[orderedHost]bool{{}: true}
		}
		add(host)
	}
	order("a", frontier.Blocked)
	order("b", frontier.Parked)
	order("c", frontier.Dropped)
	order("d", frontier.Dropped)
	add("c")
	order("d", "")
	add("d")
	add("a")
	d.Compact()
	order("b", "")
	order("d", frontier.Parked)
	add("d")
	order("c", "")
	add("c")
	order("c", frontier.Blocked)
}

// TestFaultInOrders lets every operation on the disk of two lives fail in which hosts are held
// up by hand. What was acknowledged holds afterwards.
func TestFaultInOrders(t *testing.T) {
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
			known := orders{}
			orderedLife(t, dir, hook, known)
			orderedLife(t, dir, hook, known)
			if err := f.Lose(); err != nil {
				t.Error(err)
			}
			if err := orderedAudit(t, dir, known); err != nil {
				t.Errorf("%s at operation %d: %v", kind, n, err)
			}
			return f.Fired()
		})
	}
}

// orderedAudit opens a folder twice and compares its hosts with what they may be.
func orderedAudit(t *testing.T, dir string, known orders) error {
	var first map[string]orderedHost
	for range 2 {
		d, err := frontier.Open(dir, frontier.Options{SyncEvery: -1})
		if err != nil {
			return err
		}
		got := map[string]orderedHost{}
		dropped := 0
		for host, may := range known {
			h, err := d.Host(t.Context(), "http://"+host+".test/")
			if err != nil {
				return err
			}
			x := orderedHost{queued: h.Queued}
			if slices.Contains([]frontier.State{frontier.Parked, frontier.Blocked, frontier.Dropped}, h.State) {
				x.state = h.State
			}
			if !may[x] {
				t.Errorf("%s is %+v, may be %v", host, x, may)
			}
			if got[host] = x; x.state == frontier.Dropped {
				dropped++
			}
		}
		if s := statsOf(d); s.States.Dropped != dropped || s.Done < 0 || (s.Dropped > 0) != (dropped > 0) {
			t.Errorf("%+v with %d hosts dropped", s, dropped)
		}
		if first == nil {
			first = got
		} else if !maps.Equal(got, first) {
			t.Errorf("opened again: %v, before %v", got, first)
		}
		if err := d.Compact(); err != nil {
			return err
		}
		if err := d.Close(); err != nil {
			return err
		}
	}
	return nil
}
