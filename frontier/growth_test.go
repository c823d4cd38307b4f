package frontier_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// manyRounds says how many rounds TestNothingGrows makes, such as 5000.
const manyRounds = "QUARRY_FRONTIER_ROUNDS"

// burden is how large a frontier is after a round, and how long that took.
type burden struct {
	files, disk, open, memory int
	took                      time.Duration
}

const (
	growHosts = 12
	growPages = 10
)

func growURL(i int) string {
	return fmt.Sprintf("http://h%d.d%d.test/%d", i%growHosts, i%3, i/growHosts)
}

// asked is a frontier that can do all that a long run asks of it.
type asked interface {
	watched
	frontier.Rescorer
	frontier.Locator
}

// growRound makes some visits of a fixed set of pages, each of which is offered again, and
// all else that happens in a long run: hosts go away and are parked, ask for rests and
// change their addresses, one comes that is never heard of again; leases expire; known
// links are found at other depths; what waits gets other priorities.
func growRound(t *testing.T, f asked, r *rand.Rand, round int) {
	t.Helper()
	add(t, f, fmt.Sprintf("http://once%d.test/", round))
	for range 30 {
		req := next(t, f)
		time.Sleep(time.Duration(r.IntN(2000)) * time.Millisecond)
		out := frontier.Outcome{Took: time.Duration(r.IntN(300)) * time.Millisecond, Bytes: 1000}
		if !strings.Contains(req.URL, "once") {
			out.Again = time.Now().Add(time.Duration(r.IntN(4)) * time.Hour)
		}
		for range 5 {
			out.Found = append(out.Found, frontier.Request{URL: growURL(r.IntN(growHosts * growPages)), Depth: r.IntN(1000), Priority: r.Float64()})
		}
		switch r.IntN(12) {
		case 0:
			out.Trouble = frontier.Refused
		case 1:
			out.Delay = time.Duration(r.IntN(3000)) * time.Second
		case 2:
			out.Addr = netip.AddrFrom4([4]byte{192, 0, 2, byte(r.IntN(4))})
		case 3:
			if _, err := f.Locate(t.Context(), req.URL, netip.AddrFrom4([4]byte{192, 0, 2, byte(r.IntN(4))})); err != nil {
				t.Fatal(err)
			}
		case 4:
			continue // it is never heard of again
		case 5:
			out.Trouble = frontier.Unreached
		}
		if strings.Contains(req.URL, "h1.") || strings.Contains(req.URL, "once") {
			out.Trouble = frontier.Unreached // these are always away
		}
		if err := f.Done(t.Context(), req, out); err != nil && !errors.Is(err, frontier.ErrLeaseExpired) {
			t.Fatal(err)
		}
	}
	var reqs []frontier.Request
	for range 20 {
		reqs = append(reqs, frontier.Request{URL: growURL(r.IntN(growHosts * growPages)), Priority: r.Float64()})
	}
	if _, err := f.Rescore(t.Context(), reqs...); err != nil {
		t.Fatal(err)
	}
}

// burdenOf measures a frontier and its folder, if it has one.
func burdenOf(t *testing.T, f frontier.Frontier, dir string) burden {
	t.Helper()
	b := burden{memory: frontier.Weigh(f)}
	if dir == "" {
		return b
	}
	err := filepath.Walk(dir, func(_ string, st os.FileInfo, err error) error {
		if err == nil && !st.IsDir() {
			b.files++
			b.disk += int(st.Size())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	links, _ := os.ReadDir("/proc/self/fd")
	for _, l := range links {
		if to, err := os.Readlink("/proc/self/fd/" + l.Name()); err == nil && strings.HasPrefix(to, dir) {
			b.open++
		}
	}
	maps, _ := os.ReadFile("/proc/self/maps")
	b.open += strings.Count(string(maps), dir)
	return b
}

// TestNothingGrows recrawls a fixed set of pages: files, what they hold, what is open or
// mapped, memory and the time of a round are the same early and late. The long form is
//
//	QUARRY_FRONTIER_ROUNDS=5000 go test -v -run TestNothingGrows -timeout 60m ./frontier
func TestNothingGrows(t *testing.T) { // not parallel: it measures the time of the processor
	rounds := 150 / min(few, 3)
	if testing.Short() {
		rounds = 50
	}
	if n, err := strconv.Atoi(os.Getenv(manyRounds)); err == nil {
		rounds = n
	}
	opt := frontier.Options{
		SyncEvery: -1, Horizon: -1, LeaseFor: 12 * time.Hour,
		Limits: frontier.Limits{
			Outage: frontier.Outage{Rest: time.Second, MaxRest: time.Minute, Wait: time.Minute, WaitNew: 1},
			Budget: frontier.HostBudget{Share: 0.3, Of: 100},
		},
	}
	for name, open := range map[string]func(dir string) asked{
		"memory": func(string) asked { return frontier.New(opt) },
		"disk": func(dir string) asked {
			d, err := frontier.OpenTuned(dir, opt, 32<<10)
			if err != nil {
				t.Fatal(err)
			}
			return d
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := ""
			if name == "disk" {
				dir = scratch(t)
			}
			synctest.Test(t, func(t *testing.T) {
				r := rand.New(rand.NewPCG(1, 1))
				f := open(dir)
				for i := range growHosts * growPages {
					add(t, f, growURL(i))
				}
				for round := range 150 { // until all that is bounded is full
					if name == "memory" {
						growRound(t, f, r, -1-round)
					}
				}
				var all []burden
				for round := range rounds {
					from := processorTime()
					growRound(t, f, r, round)
					took := processorTime() - from
					if d, ok := f.(*frontier.Disk); ok {
						d.Settle()
						if round%10 == 9 {
							from := processorTime()
							if err := d.Close(); err != nil {
								t.Fatal(err)
							}
							f = open(dir)
							took += processorTime() - from
						}
					}
					synctest.Wait()
					b := burdenOf(t, f, dir)
					b.took = took
					all = append(all, b)
					if round%(rounds/10) == 0 {
						t.Logf("round %d: %+v", round, b)
					}
				}
				f.(interface{ Close() error }).Close()
				early, late := all[len(all)/5:len(all)/2], all[len(all)*7/10:]
				for what, of := range map[string]func(b burden) int{
					"files": func(b burden) int { return b.files }, "bytes on disk": func(b burden) int { return b.disk },
					"files open or mapped": func(b burden) int { return b.open }, "bytes in memory": func(b burden) int { return b.memory },
					"ns for a round": func(b burden) int { return int(b.took) },
				} {
					before, after := middle(early, of), middle(late, of)
					t.Logf("%s: %d, %d later", what, before, after)
					if after > before+before/4+20*rounds/2 && what == "bytes in memory" || after > 2*before+4 {
						t.Errorf("%d %s, %d before", after, what, before)
					}
				}
			})
		})
	}
}

// middle is the median.
func middle(bs []burden, of func(burden) int) int {
	var all []int
	for _, b := range bs {
		all = append(all, of(b))
	}
	slices.Sort(all)
	return all[len(all)/2]
}
