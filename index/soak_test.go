package index_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
)

// Nothing grows with how long an index has been written to: neither files, mappings
// and descriptors, nor memory, nor how long a commit and opening take. What is
// written here has a bounded size: documents of a few thousand keys come again and
// again, are deleted, given new values and linked to from a bounded number of pages.

const (
	soakTime   = "QUARRY_INDEX_SOAK"     // how long TestSoak takes, such as 30m; it is skipped without
	soakDir    = "QUARRY_INDEX_SOAK_DIR" // of its child
	soakRound  = "QUARRY_INDEX_SOAK_ROUND"
	manyCommit = "QUARRY_INDEX_COMMITS" // how many TestNothingGrows makes, such as 100000
)

const soakKeys = 3000

var soakOptions = index.Options{
	Schema: index.Schema{
		{Name: "body", Stored: true}, {Name: "price", Kind: index.Integer, Column: true}, {Name: "seen", Kind: index.Integer, Column: true},
		{Name: "tag", Kind: index.Keyword, Column: true}, {Name: "anchor", Anchors: 2},
	},
	MemoryBudget: 4 << 20, AnchorsWithin: 50 * time.Millisecond, KeepUnchanged: true, KeepFilters: 4,
}

// soakStep changes a little of everything and commits.
func soakStep(ctx context.Context, w *index.Writer, rnd *rand.Rand) error {
	key := func() string { return fmt.Sprintf("https://h%d.example/%d", rnd.IntN(40), rnd.IntN(soakKeys/40)) }
	for range 4 {
		var words strings.Builder
		for range 40 {
			fmt.Fprintf(&words, "w%d ", int(5000*rnd.Float64()*rnd.Float64()))
		}
		err := w.Add(ctx, index.Document{Key: key(), Fields: []index.Field{
			{Name: "body", Value: words.String()}, {Name: "price", Value: rnd.IntN(1000)}, {Name: "tag", Value: fmt.Sprint("t", rnd.IntN(30))},
		}})
		if err != nil {
			return err
		}
	}
	if err := w.Delete(ctx, key()); err != nil {
		return err
	}
	for range 2 {
		if _, err := w.Set(ctx, key(), index.Field{Name: []string{"price", "seen"}[rnd.IntN(2)], Value: rnd.IntN(1000)}); err != nil {
			return err
		}
	}
	var links []index.Anchor
	for range 6 {
		links = append(links, index.Anchor{Target: key(), Source: fmt.Sprintf("https://h%d.example/%d", rnd.IntN(10), rnd.IntN(20)), Text: fmt.Sprint("link ", rnd.IntN(500))})
	}
	if err := w.AddAnchors(ctx, links...); err != nil {
		return err
	}
	return w.Commit(ctx)
}

func soakSearch(ctx context.Context, ix *index.Index, rnd *rand.Rand) error {
	word := fmt.Sprint("w", rnd.IntN(300))
	for _, q := range []query.Query{
		query.Match{Text: word}, query.Prefix{Field: "body", Text: word}, query.Match{Field: "anchor", Text: "link"},
		query.And{query.Match{Text: word}, query.Constant{Query: query.Range{Field: "price", From: "100", To: fmt.Sprint(200 + rnd.IntN(5))}}},
	} {
		if _, err := ix.Search(ctx, q, index.SearchOptions{Limit: 5, Sort: []index.SortBy{{Field: "price"}}}); err != nil {
			return err
		}
	}
	return nil
}

// size is what may grow.
type soakSize struct {
	files, anchors, maps, fds int
	heap, disk                int64
	commit, open              time.Duration
}

func (s soakSize) String() string {
	return fmt.Sprintf("%d %d %d %d %d %d %d %d", s.files, s.anchors, s.maps, s.fds, s.heap, s.disk, s.commit, s.open)
}

func measure(t testing.TB, dir string, commits []time.Duration) (s soakSize) {
	names := files(t, dir)
	s.files, s.anchors = len(names), strings.Count(strings.Join(names, " "), "anchors-")
	s.maps, s.fds, s.disk = mappedFiles(dir), openFiles(dir), size(t, dir)
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	s.heap = int64(m.HeapAlloc)
	slices.Sort(commits)
	if len(commits) > 0 {
		s.commit = commits[len(commits)/2]
	}
	return s
}

// flat reports what is more in later sizes than in earlier ones, by half and some:
// the most there was, but of times the median, and these only in long runs, since
// the machine and the disk may be busy with other things.
func flat(t *testing.T, earlier, later []soakSize, times bool) {
	t.Helper()
	for _, c := range []struct {
		what string
		of   func(soakSize) int64
		some int64
	}{
		{"files", func(s soakSize) int64 { return int64(s.files) }, 20},
		{"files of anchors", func(s soakSize) int64 { return int64(s.anchors) }, 6},
		{"mappings", func(s soakSize) int64 { return int64(s.maps) }, 20},
		{"descriptors", func(s soakSize) int64 { return int64(s.fds) }, 4},
		{"bytes of memory", func(s soakSize) int64 { return s.heap }, 8 << 20},
		{"bytes on disk", func(s soakSize) int64 { return s.disk }, 2 << 20},
		{"ns of a commit", func(s soakSize) int64 { return int64(s.commit) }, 20e6},
		{"ns of opening", func(s soakSize) int64 { return int64(s.open) }, 50e6},
	} {
		most := func(of []soakSize) (n int64) {
			for _, s := range of {
				n = max(n, c.of(s))
			}
			return n
		}
		if strings.HasPrefix(c.what, "ns ") {
			if !times {
				continue
			}
			most = func(of []soakSize) int64 {
				var all []int64
				for _, s := range of {
					if s.files > 0 { // else nothing was heard of the child in that minute
						all = append(all, c.of(s))
					}
				}
				slices.Sort(all)
				return all[len(all)/2]
			}
		}
		if before, after := most(earlier), most(later); after > before*3/2+c.some {
			t.Errorf("%d %s, %d before", after, c.what, before)
		}
	}
}

// The long form is
//
//	QUARRY_INDEX_COMMITS=100000 go test -v -run TestNothingGrows -timeout 60m ./index
func TestNothingGrows(t *testing.T) {
	if few > 1 {
		t.Skip("counts, and no races")
	}
	// Not parallel: the heap that is measured is that of the process.
	commits, long := 150, os.Getenv(manyCommit) != ""
	if testing.Short() {
		commits = 60
	}
	if n, err := strconv.Atoi(os.Getenv(manyCommit)); err == nil {
		commits = n
	}
	dir := t.TempDir()
	ix := opens(t, dir, soakOptions)
	w := writer(t, ix)
	rnd := rand.New(rand.NewPCG(1, 2))
	var sizes []soakSize
	var took []time.Duration
	for i := range commits {
		from := time.Now()
		must(t, soakStep(t.Context(), w, rnd))
		took = append(took, time.Since(from))
		if i%10 == 0 {
			must(t, soakSearch(t.Context(), ix, rnd))
		}
		if (i+1)%max(1, commits/20) == 0 {
			s := measure(t, dir, took)
			took = nil
			from := time.Now()
			other, err := index.Open(dir, soakOptions)
			must(t, err)
			s.open = time.Since(from)
			must(t, other.Close())
			sizes = append(sizes, s)
			t.Logf("%6d commits: %d files, %d of anchors, %d mapped, %d open, %.1f MB heap, %.1f MB on disk, commit %.2f ms, open %.2f ms", i+1,
				s.files, s.anchors, s.maps, s.fds, float64(s.heap)/1e6, float64(s.disk)/1e6, s.commit.Seconds()*1e3, s.open.Seconds()*1e3)
		}
	}
	flat(t, sizes[len(sizes)/4:len(sizes)/2], sizes[len(sizes)*3/4:], long)
	must(t, w.Close(), ix.Close())
	if n := mappedFiles(dir); n > 0 {
		t.Errorf("%d files are still mapped", n)
	}
}

// soakChild works until it is killed, and tells how large things are.
func soakChild(dir string) {
	fail := func(err error) {
		if err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
	}
	ctx := context.Background()
	round, _ := strconv.ParseUint(os.Getenv(soakRound), 10, 64)
	rnd := rand.New(rand.NewPCG(round, 1))
	from := time.Now()
	ix, err := index.Open(dir, soakOptions)
	fail(err)
	open := time.Since(from)
	w, err := ix.Writer()
	fail(err)
	go func() {
		rnd := rand.New(rand.NewPCG(round, 2))
		for {
			fail(soakSearch(ctx, ix, rnd))
			time.Sleep(time.Millisecond)
		}
	}()
	var took []time.Duration
	last := time.Now()
	for i := 1; ; i++ {
		from := time.Now()
		fail(soakStep(ctx, w, rnd))
		took = append(took, time.Since(from))
		if i%2000 == 0 {
			fail(w.Merge(ctx))
		}
		if time.Since(last) > 5*time.Second {
			s := measure(soakTB{}, dir, took)
			s.open = open
			fmt.Println(s, i)
			took, last = nil, time.Now()
		}
	}
}

// soakTB is for helpers of tests in a process that is none.
type soakTB struct{ testing.TB }

func (soakTB) Helper()           {}
func (soakTB) Fatal(args ...any) { panic(fmt.Sprint(args...)) }

// TestSoak has a child write and search, and kills it twice a minute.
func TestSoak(t *testing.T) {
	long, err := time.ParseDuration(os.Getenv(soakTime))
	if err != nil {
		t.Skip("takes as long as " + soakTime + " says, such as 30m")
	}
	dir := filepath.Join(t.TempDir(), "index")
	began := time.Now()
	byMinute := map[int][]soakSize{}
	kills, commits := 0, 0
	for round := 0; time.Since(began) < long; round++ {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), soakDir+"="+dir, fmt.Sprintf("%s=%d", soakRound, round))
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		must(t, err, cmd.Start())
		kill := time.AfterFunc(time.Duration(20+rand.IntN(20))*time.Second, func() { cmd.Process.Kill() })
		lines, made := bufio.NewScanner(out), 0
		for lines.Scan() {
			var s soakSize
			if _, err := fmt.Sscan(lines.Text(), &s.files, &s.anchors, &s.maps, &s.fds, &s.heap, &s.disk, &s.commit, &s.open, &made); err != nil {
				t.Errorf("round %d: the child says %s", round, lines.Text())
				break
			}
			minute := int(time.Since(began).Minutes())
			byMinute[minute] = append(byMinute[minute], s)
		}
		kill.Stop()
		cmd.Process.Kill()
		cmd.Wait()
		kills, commits = kills+1, commits+made
		ix := opens(t, dir, index.Options{})
		s, err := ix.Snapshot()
		must(t, err, s.Verify(t.Context()), s.Close(), ix.Close())
		if t.Failed() {
			return
		}
	}
	var worst []soakSize
	for minute := range int(long.Minutes()) {
		var m soakSize
		for _, s := range byMinute[minute] {
			m.files, m.anchors, m.maps, m.fds = max(m.files, s.files), max(m.anchors, s.anchors), max(m.maps, s.maps), max(m.fds, s.fds)
			m.heap, m.disk, m.commit, m.open = max(m.heap, s.heap), max(m.disk, s.disk), max(m.commit, s.commit), max(m.open, s.open)
		}
		worst = append(worst, m)
		t.Logf("minute %2d: %d files, %d of anchors, %d mapped, %d open, %.1f MB heap, %.1f MB on disk, commit %.2f ms, open %.2f ms", minute+1,
			m.files, m.anchors, m.maps, m.fds, float64(m.heap)/1e6, float64(m.disk)/1e6, m.commit.Seconds()*1e3, m.open.Seconds()*1e3)
	}
	t.Logf("%d kills, %d commits", kills, commits)
	third := len(worst) / 3
	flat(t, worst[third:2*third], worst[2*third:], true)
}
