package dedup

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/webquarry/quarry/internal/durable"
	"github.com/webquarry/quarry/internal/faultfs"
)

// changing are pages whose texts change, are edited and become those of others.
type changing struct {
	r     *rand.Rand
	words map[string][]string
	texts map[string]Fingerprint // of what was added
}

func newChanging(seed uint64) *changing {
	return &changing{rand.New(rand.NewPCG(seed, 8)), map[string][]string{}, map[string]Fingerprint{}}
}

// next draws the text of a page.
func (c *changing) next(url string) Fingerprint {
	text := words(c.r, 5+c.r.IntN(90))
	switch of := c.words[url]; c.r.IntN(4) {
	case 0:
		if keys := slices.Sorted(maps.Keys(c.words)); len(keys) > 0 {
			text = c.words[keys[c.r.IntN(len(keys))]]
		}
	case 1:
		if len(of) > 0 {
			text = edited(c.r, of, 0.03)
		}
	}
	c.words[url] = text
	return Of(strings.Join(text, " "))
}

func (c *changing) add(x *Index, n int) error {
	url := fmt.Sprintf("http://h%d.test/%d", n%3, n)
	f := c.next(url)
	_, err := x.Add(url, f)
	if err == nil {
		c.texts[url] = f
	}
	return err
}

// check holds an index to what was added: each page is known by its present text,
// and those that say the same are of one group.
func (c *changing) check(t *testing.T, x *Index) {
	t.Helper()
	groups := make(map[uint64]string)
	for url, f := range c.texts {
		m, ok, err := x.Group(url)
		if err != nil || !ok {
			t.Fatalf("%s: %v, %v", url, ok, err)
		}
		if _, same, err := lookUp(x, url, f); err != nil || !same {
			t.Fatalf("%s has another text than was added last: %v", url, err)
		}
		if g, ok := groups[f.Exact]; ok && g != m.Group && f.Words > 0 {
			t.Fatalf("%s is of %s, and another page with its text of %s", url, m.Group, g)
		}
		groups[f.Exact] = m.Group
	}
}

// lookUp finds the pages that are like a text, as Add does.
func lookUp(x *Index, url string, f Fingerprint) (hit, bool, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.find(url, f)
}

func namesOf(t *testing.T, c *changing, x *Index) map[string]string {
	t.Helper()
	names := make(map[string]string)
	for url := range c.texts {
		m, _, err := x.Group(url)
		if err != nil {
			t.Fatal(err)
		}
		names[url] = m.Group
	}
	return names
}

func folderSize(t *testing.T, dir string) (size int64) {
	t.Helper()
	es, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range es {
		st, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		size += st.Size()
	}
	return size
}

// TestRecrawlsStayFlat: 200 rounds over the same pages, which change all the time, take no
// more room in the end than after the first few, in memory and on disk, opened again and again or not.
func TestRecrawlsStayFlat(t *testing.T) {
	t.Parallel()
	rounds, pages := 200, 60
	if testing.Short() {
		rounds, pages = 40, 40
	}
	opt := Options{Memory: 64}
	for _, kind := range []string{"memory", "disk", "reopened"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			x := New(opt)
			open := func() {
				var err error
				if x, err = Open(dir, opt); err != nil {
					t.Fatal(err)
				}
			}
			if kind != "memory" {
				open()
			}
			c := newChanging(1)
			var sizes []int64
			for round := range rounds {
				for n := range pages {
					if err := c.add(x, n); err != nil {
						t.Fatal(err)
					}
				}
				x.mu.Lock()
				x.awaitCompaction()
				x.mu.Unlock()
				if kind == "reopened" {
					if err := x.Close(); err != nil {
						t.Fatal(err)
					}
					open()
				}
				if kind == "memory" {
					sizes = append(sizes, x.pages.size)
				} else {
					sizes = append(sizes, folderSize(t, dir))
				}
				if round%20 == 7 {
					c.check(t, x)
				}
			}
			early, late := slices.Max(sizes[rounds/10:rounds/5]), slices.Max(sizes[rounds/2:])
			if slack := int64(3 * len(x.recent) * blockSize); late > early*3/2+slack { // three runs of few pages
				t.Errorf("%d bytes in rounds %d to %d, %d later", early, rounds/10, rounds/5, late)
			}
			if len(x.merges.to) > 2*pages {
				t.Errorf("%d groups that became part of another are remembered", len(x.merges.to))
			}
			c.check(t, x)
			if err := x.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestCompactKeepsGroups: the groups after a compaction are those before it, by name.
func TestCompactKeepsGroups(t *testing.T) {
	t.Parallel()
	seeds := 12
	if testing.Short() {
		seeds = 2
	}
	for seed := range uint64(seeds) {
		c := newChanging(seed)
		dir := t.TempDir()
		opt := Options{Memory: 16 << (seed % 4)}
		var x *Index
		if seed%5 == 0 {
			x = New(opt)
		} else {
			var err error
			if x, err = Open(dir, opt); err != nil {
				t.Fatal(err)
			}
		}
		x.notBefore = 1 << 30 // not by itself
		for round := range 4 {
			for range 300 {
				if err := c.add(x, c.r.IntN(80)); err != nil {
					t.Fatal(err)
				}
			}
			groups, names, size := groupsOf(t, x), namesOf(t, c, x), x.pages.size
			if err := x.Compact(); err != nil {
				t.Fatal(err)
			}
			x.notBefore = 1 << 30
			if got := groupsOf(t, x); !maps.Equal(got, groups) {
				t.Fatalf("seed %d, round %d: groups %v, were %v", seed, round, got, groups)
			}
			if got := namesOf(t, c, x); !maps.Equal(got, names) {
				t.Fatalf("seed %d, round %d: names %v, were %v", seed, round, got, names)
			}
			if x.stale != 0 || x.count > 2*len(c.texts) || x.pages.size > size {
				t.Fatalf("seed %d, round %d: %d records of %d pages, %d of them stale; %d bytes, were %d", seed, round, x.count, len(c.texts), x.stale, x.pages.size, size)
			}
			c.check(t, x)
			if x.dir != nil && round%2 == 0 {
				if err := x.Close(); err != nil {
					t.Fatal(err)
				}
				var err error
				if x, err = Open(dir, opt); err != nil {
					t.Fatal(err)
				}
				x.notBefore = 1 << 30
				if got := groupsOf(t, x); !maps.Equal(got, groups) {
					t.Fatalf("seed %d, round %d: opened again: groups %v, were %v", seed, round, got, groups)
				}
			}
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// everyOperation has TestCompactionCrashes try every operation, which takes minutes:
//
//	QUARRY_DEDUP_CRASHES=all go test -run TestCompactionCrashes ./crawler/dedup
const everyOperation = "QUARRY_DEDUP_CRASHES"

// TestCompactionCrashes makes an operation of the disk fail once, or be the last: what was
// added is there, or, when the power goes, what was synced.
func TestCompactionCrashes(t *testing.T) {
	t.Parallel()
	faults := map[string]func(string, int) *faultfs.Power{
		"fail":  func(_ string, n int) *faultfs.Power { return &faultfs.Power{Fault: faultfs.Fail(n)} },
		"crash": func(_ string, n int) *faultfs.Power { return &faultfs.Power{Fault: faultfs.Crash(n)} },
		"power": faultfs.PowerCut,
	}
	for kind, fault := range faults {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			step := 1
			if os.Getenv(everyOperation) == "" {
				step = 11
			}
			if testing.Short() {
				step = 97
			}
			for n := 1 + rand.IntN(step); compactionSurvives(t, n, fault, kind == "power"); n += step {
			}
		})
	}
}

// compactionSurvives reports whether the fault came.
func compactionSurvives(t *testing.T, n int, fault func(string, int) *faultfs.Power, lose bool) bool {
	dir := t.TempDir()
	opt := Options{Memory: 12}
	f := fault(dir, n)
	c := newChanging(3)
	synced := map[string]Fingerprint{}
	hook := f.Fault.Hook
	if lose {
		hook = f.Hook
	}
	x, err := openHooked(dir, opt, hook)
	if err == nil {
		for i := 0; i < 90 && err == nil; i++ {
			if err = c.add(x, i%9); err == nil && i%20 == 10 {
				if err = x.Sync(); err == nil {
					synced = maps.Clone(c.texts)
				}
			}
			if err == nil && i == 60 {
				err = x.Compact()
			}
		}
		if cerr := x.Close(); cerr == nil && err == nil {
			synced = maps.Clone(c.texts)
		}
	}
	f.Stop()
	if lose {
		if err := f.Lose(); err != nil {
			t.Fatal(err)
		}
	}
	x, err = Open(dir, opt)
	if err != nil {
		t.Fatalf("fault %d: %v", n, err)
	}
	if !lose { // an Add that failed may have been written all the same
		c.check(t, knownIn(t, x, c.texts))
	}
	for url := range synced {
		if _, ok, err := x.Group(url); err != nil || !ok {
			t.Fatalf("fault %d: %s was synced: %v, %v", n, url, ok, err)
		}
	}
	for i := range 30 {
		if err := c.add(x, i%9); err != nil {
			t.Fatalf("fault %d: after it: %v", n, err)
		}
	}
	if err := x.Compact(); err != nil {
		t.Fatalf("fault %d: after it: %v", n, err)
	}
	c.check(t, x)
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	es, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range es {
		if strings.HasPrefix(e.Name(), "pages-") && e.Name() != x.pagesName() {
			t.Errorf("fault %d: %s is left", n, e.Name())
		}
	}
	return f.Fired()
}

// knownIn fails unless the pages of an index have the texts that were acknowledged, or later ones.
func knownIn(t *testing.T, x *Index, texts map[string]Fingerprint) *Index {
	t.Helper()
	x.mu.Lock()
	defer x.mu.Unlock()
	for url, f := range texts {
		_, r, ok, err := x.latest(url)
		if err != nil || !ok {
			t.Fatalf("%s: %v, %v", url, ok, err)
		}
		if !r.Same(f) { // it was written, and the operation after that failed
			texts[url] = r.Fingerprint
		}
	}
	return x
}

// TestCompactionHoldsUpNobody: pages are added, and asked for, while a compaction waits for its disk.
func TestCompactionHoldsUpNobody(t *testing.T) {
	t.Parallel()
	writing, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	hook := func(op durable.Op) error {
		if op.Kind == "write" && op.Name == "pages-1" {
			once.Do(func() { close(writing) })
			<-goOn
		}
		return nil
	}
	dir := t.TempDir()
	x, err := openHooked(dir, Options{Memory: 32}, hook)
	if err != nil {
		t.Fatal(err)
	}
	c := newChanging(5)
	for i := range 40 {
		if err := c.add(x, i%10); err != nil {
			t.Fatal(err)
		}
	}
	<-writing
	for i := range 100 {
		if err := c.add(x, i%10); err != nil {
			t.Fatal(err)
		}
	}
	c.check(t, x)
	for _, err := range x.Groups() {
		if err != nil {
			t.Fatal(err)
		}
	}
	close(goOn)
	if err := x.Compact(); err != nil {
		t.Fatal(err)
	}
	c.check(t, x)
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestCompactionWaitsForGroups: groups that are gone through are those of one state.
func TestCompactionWaitsForGroups(t *testing.T) {
	t.Parallel()
	x := New(Options{Memory: 32})
	c := newChanging(6)
	for i := range 60 {
		if err := c.add(x, i%10); err != nil {
			t.Fatal(err)
		}
	}
	x.mu.Lock()
	x.awaitCompaction()
	x.mu.Unlock()
	done := make(chan error)
	first := true
	for g, err := range x.Groups() {
		if err != nil || len(g) < 2 {
			t.Fatal(g, err)
		}
		if first {
			first = false
			go func() { done <- x.Compact() }()
		}
		for i := range 50 {
			if err := c.add(x, i%10); err != nil {
				t.Fatal(err)
			}
		}
	}
	if first {
		t.Fatal("no groups")
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	c.check(t, x)
}

// TestCompactionWithoutRoom: where the disk has no room for the new files, the old ones stay
// in use, Close tells, and the next time it is tried again.
func TestCompactionWithoutRoom(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	hook := func(op durable.Op) error {
		if op.Kind == "write" && op.Name == "pages-1" && op.Size > len(pagesMagic) {
			return syscall.ENOSPC
		}
		return nil
	}
	x, err := openHooked(dir, Options{Memory: 32}, hook)
	if err != nil {
		t.Fatal(err)
	}
	c := newChanging(7)
	for i := range 400 {
		if err := c.add(x, i%10); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Compact(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Compact without room: %v", err)
	}
	c.check(t, x)
	if err := x.Close(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Close after a compaction without room: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "pages-1")); err == nil {
		t.Error("what was written of the new files is left")
	}
	if x, err = Open(dir, Options{Memory: 32}); err != nil {
		t.Fatal(err)
	}
	if err := x.Compact(); err != nil {
		t.Fatal(err)
	}
	c.check(t, x)
	if x.count > 20 {
		t.Errorf("%d records of 10 pages", x.count)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
}
