package frontier_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/frontier"
	"github.com/webquarry/quarry/frontier/frontiertest"
	"github.com/webquarry/quarry/internal/durable"
)

func TestDisk(t *testing.T) {
	t.Parallel()
	frontiertest.Test(t, func(t *testing.T) frontier.Frontier {
		return openDisk(t, scratch(t), frontier.Options{SyncEvery: -1})
	})
	frontiertest.TestOptions(t, func(t *testing.T, opt frontier.Options) frontier.Frontier {
		opt.SyncEvery = -1
		return openDisk(t, scratch(t), opt)
	})
}

func openDisk(t *testing.T, dir string, opt frontier.Options) *frontier.Disk {
	t.Helper()
	d, err := frontier.Open(dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// mortal is a Disk that can be made to die as if its process were killed.
type mortal struct {
	*frontier.Disk
	dir  string
	dead *atomic.Bool
}

var errDead = errors.New("the process is dead")

func openMortal(t *testing.T, dir string, opt frontier.Options, least int64) *mortal {
	t.Helper()
	return openMortalSeeded(t, dir, opt, least, 0)
}

func openMortalSeeded(t *testing.T, dir string, opt frontier.Options, least int64, seed uint64) *mortal {
	t.Helper()
	m := &mortal{dir: dir, dead: new(atomic.Bool)}
	d, err := frontier.OpenSeeded(dir, opt, least, seed, func(durable.Op) error {
		if m.dead.Load() {
			return errDead
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	m.Disk = d
	return m
}

// kill ends the frontier without another byte being written.
func (m *mortal) kill() {
	m.dead.Store(true)
	m.Close()
}

// seedCount says how many random runs are compared with the model, 60 if it is not
// set.
const seedCount = "QUARRY_FRONTIER_SEEDS"

func diskSeeds() int {
	if n, _ := strconv.Atoi(os.Getenv(seedCount)); n > 0 {
		return n
	}
	return 60
}

// TestDiskAgainstModel compares the frontier with the model while it is closed or
// killed and opened again, and compacts itself all the time.
func TestDiskAgainstModel(t *testing.T) {
	t.Parallel()
	for seed := range uint64(rounds(diskSeeds())) {
		least := int64(1 << 30)
		if seed%2 == 0 {
			least = 500
		}
		maker := frontiertest.Maker{
			Open: func(t *testing.T, opt frontier.Options) frontier.Frontier {
				return openMortalSeeded(t, scratch(t), opt, least, seed+1)
			},
			Reopen: func(t *testing.T, f frontier.Frontier, opt frontier.Options) frontier.Frontier {
				m := f.(*mortal)
				if time.Now().UnixMilli()%2 == 0 {
					m.kill()
				} else if err := m.Close(); err != nil {
					t.Error(err)
				}
				return openMortal(t, m.dir, opt, least)
			},
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) { frontiertest.Random(t, maker, seed, 120) })
	}
}

func TestDiskRefusesSecondOpener(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := openDisk(t, dir, frontier.Options{})
	start := time.Now()
	_, err := frontier.Open(dir, frontier.Options{})
	le, ok := errors.AsType[*frontier.LockedError](err)
	if !ok || !errors.Is(err, frontier.ErrLocked) || le.Dir != dir || !strings.HasPrefix(le.Holder, fmt.Sprintf("pid %d on ", os.Getpid())) {
		t.Errorf("got %v", err)
	}
	if took := time.Since(start); took > 30*time.Second { // at once, but for a busy machine
		t.Errorf("took %v", took)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	openDisk(t, dir, frontier.Options{})
}

// TestDiskKeepsClocks restarts between visits, robots' delays and Retry-After.
func TestDiskKeepsClocks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir, start := t.TempDir(), time.Now()
		m := openMortal(t, dir, frontier.Options{}, 1<<30)
		reopen := func() {
			m.kill()
			m = openMortal(t, dir, frontier.Options{}, 1<<30)
		}
		next := func(url string, at time.Duration, attempt int) frontier.Lease {
			t.Helper()
			req, err := m.Next(t.Context())
			if err != nil || req.URL != url || time.Since(start) != at || req.Attempt != attempt {
				t.Fatalf("Next: %+v, %v after %v, want %s after %v with attempt %d", req, err, time.Since(start), url, at, attempt)
			}
			return req
		}
		done := func(req frontier.Lease, out frontier.Outcome) {
			t.Helper()
			if err := m.Done(t.Context(), req, out); err != nil {
				t.Fatal(err)
			}
		}
		m.Add(t.Context(), urls("http://a.test/1", "http://a.test/2", "http://a.test/3", "http://a.test/4")...)
		done(next("http://a.test/1", 0, 0), frontier.Outcome{})
		time.Sleep(300 * time.Millisecond)
		reopen()
		req := next("http://a.test/2", time.Second, 0)
		time.Sleep(500 * time.Millisecond)
		done(req, frontier.Outcome{Delay: 10 * time.Second})
		reopen()
		next("http://a.test/3", 11500*time.Millisecond, 0)
		time.Sleep(time.Second)
		reopen() // the lease is lost, the gap of ten seconds is not
		req = next("http://a.test/3", 22500*time.Millisecond, 1)
		req.Attempt++
		done(req, frontier.Outcome{Again: time.Now().Add(20 * time.Second), Delay: 5 * time.Second})
		reopen()
		done(next("http://a.test/4", 27500*time.Millisecond, 0), frontier.Outcome{})
		reopen()
		done(next("http://a.test/3", 42500*time.Millisecond, 2), frontier.Outcome{})
		reopen()
		if _, err := m.Next(t.Context()); !errors.Is(err, frontier.ErrDrained) {
			t.Errorf("Next at the end: %v", err)
		}
		m.Close()
	})
}

func urls(us ...string) []frontier.Request {
	reqs := make([]frontier.Request, len(us))
	for i, u := range us {
		reqs[i].URL = u
	}
	return reqs
}

// TestDiskSeedsAgain passes the same seeds to every run.
func TestDiskSeedsAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	opt := frontier.Options{Limits: frontier.Limits{Delay: -1}}
	for run := range 3 {
		d := openDisk(t, dir, opt)
		n, err := d.Add(t.Context(), urls("http://a.test/", "http://b.test/", "http://c.test/")...)
		if err != nil || run == 0 && n != 3 || run > 0 && n != 0 {
			t.Fatalf("run %d added %d, %v", run, n, err)
		}
		req, err := d.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Done(t.Context(), req, frontier.Outcome{}); err != nil {
			t.Fatal(err)
		}
		if want := (frontier.Stats{Seen: 3, Queued: 2 - run, Done: run + 1, Hosts: 2 - run}); bare(statsOf(d)) != want {
			t.Errorf("run %d: %+v, want %+v", run, statsOf(d), want)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// fillOptions let visits wait for the milliseconds that a host asked for, and end a
// run when all else is due in an hour.
var fillOptions = frontier.Options{
	Limits:    frontier.Limits{Delay: -1, PerHost: -1, PerDomain: -1},
	Horizon:   time.Minute,
	SyncEvery: -1,
}

// fill makes a folder with a state, runs and a log and returns what it holds.
func fill(t *testing.T, dir string) frontier.Stats {
	t.Helper()
	d, err := frontier.OpenTuned(dir, fillOptions, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 120 {
		if _, err := d.Add(t.Context(), urls(fmt.Sprintf("http://h%d.test/%d", i%7, i), fmt.Sprintf("http://h%d.test/%d/more", i%7, i))...); err != nil {
			t.Fatal(err)
		}
		if i == 80 {
			if err := d.Compact(); err != nil {
				t.Fatal(err)
			}
		}
		if i%2 == 0 {
			continue
		}
		req, err := d.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if i%3 == 0 {
			err = d.Done(t.Context(), req, frontier.Outcome{Found: urls("http://found.test/" + fmt.Sprint(i))})
		} else if i%5 == 0 {
			err = d.Done(t.Context(), req, frontier.Outcome{Again: time.Now().Add(time.Hour), Delay: time.Millisecond})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	s := statsOf(d)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	s.Queued, s.Leased = s.Queued+s.Leased, 0
	return s
}

// visitAll visits all that is due and returns it in order of URL.
func visitAll(t *testing.T, d *frontier.Disk) (all []frontier.Request, err error) {
	for {
		req, err := d.Next(t.Context())
		if errors.Is(err, frontier.ErrDrained) {
			slices.SortFunc(all, func(a, b frontier.Request) int { return strings.Compare(a.URL, b.URL) })
			return all, nil
		}
		if err == nil {
			all = append(all, req.Request)
			err = d.Done(t.Context(), req, frontier.Outcome{})
		}
		if err != nil {
			return nil, err
		}
	}
}

// TestDiskDamage flips bytes of every file: the damage is found when the state is
// opened or when what is damaged is read, or nothing is other than it was.
func TestDiskDamage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	want := fill(t, dir)
	whole := map[string][]byte{}
	kinds := map[string]bool{}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if file.Name() == "stats" {
			continue // nothing depends on it
		}
		if whole[file.Name()], err = os.ReadFile(filepath.Join(dir, file.Name())); err != nil {
			t.Fatal(err)
		}
		kinds[strings.TrimRight(file.Name(), "0123456789")] = true
	}
	if len(kinds) != 6 || !kinds["run-"] || !kinds["state-"] || !kinds["log-"] || !kinds["seen-"] {
		t.Fatalf("files %v, want lock, logs, states, runs, and two kinds of seen", kinds)
	}
	open := func(damaged string, b []byte) (string, []frontier.Request, error) {
		dir := t.TempDir()
		for name, content := range whole {
			if name == damaged {
				content = b
			}
			if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		d, err := frontier.OpenTuned(dir, fillOptions, 1<<30)
		if err != nil {
			return dir, nil, err
		}
		defer d.Close()
		got, err := d.Stats(t.Context())
		if err != nil { // what reads ahead or merges was faster
			return dir, nil, err
		}
		if bare(got) != bare(want) {
			t.Errorf("%s: opened with %+v, want %+v", damaged, got, want)
		}
		all, err := visitAll(t, d)
		return dir, all, err
	}
	_, right, err := open("", nil)
	if err != nil || len(right) == 0 {
		t.Fatal(len(right), err)
	}
	for name, content := range whole {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused := 0
			for i := 0; i < len(content); i += 1 + len(content)/30 + i%2 {
				broken := slices.Clone(content)
				broken[i] ^= 0x10
				_, got, err := open(name, broken)
				ce, damaged := errors.AsType[*frontier.CorruptError](err)
				switch {
				case err == nil && !slices.Equal(got, right):
					t.Errorf("byte %d: other requests than before", i)
				case damaged && filepath.Base(ce.File) == name && errors.Is(err, frontier.ErrCorrupt):
					refused++
				case err != nil:
					t.Errorf("byte %d: %v", i, err)
				}
			}
			if refused == 0 && !strings.HasPrefix(name, "run-") && name != "lock" {
				t.Errorf("no flip was refused")
			}
		})
	}
}

// TestDiskMissingFiles removes each file that is needed.
func TestDiskMissingFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fill(t, dir)
	logs, err := filepath.Glob(filepath.Join(dir, "log-*"))
	if err != nil || len(logs) != 1 {
		t.Fatal(logs, err)
	}
	if err := os.Rename(logs[0], filepath.Join(dir, "elsewhere")); err != nil {
		t.Fatal(err)
	}
	if _, err := frontier.Open(dir, frontier.Options{}); !errors.Is(err, frontier.ErrCorrupt) {
		t.Errorf("without its log: %v", err)
	}
	if err := os.Rename(filepath.Join(dir, "elsewhere"), filepath.Join(dir, "log-000099")); err != nil {
		t.Fatal(err)
	}
	if _, err := frontier.Open(dir, frontier.Options{}); !errors.Is(err, frontier.ErrCorrupt) {
		t.Errorf("with a log of another generation: %v", err)
	}
}

// TestDiskStrangers leaves files alone that are not its own.
func TestDiskStrangers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	names := []string{"notes.txt", "log-", "log-1", "state-abc", "other.tmp"}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := openDisk(t, dir, frontier.Options{}).Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(b) != "mine" {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
}

func statsOf(f frontier.Frontier) frontier.Stats {
	s, err := f.Stats(context.Background())
	if err != nil {
		panic(err)
	}
	return s
}
