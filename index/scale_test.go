package index_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
)

// These tests take minutes, and run when QUARRY_INDEX_SCALE is set:
//
//	QUARRY_INDEX_SCALE=1 go test ./index -run Scale -v -timeout 1h
const (
	scale     = "QUARRY_INDEX_SCALE"
	scaleRole = "QUARRY_INDEX_SCALE_ROLE"
	scaleDir  = "QUARRY_INDEX_SCALE_DIR"
)

// shortDocs yields documents of some twenty words in batches.
func shortDocs(from, to int, yield func([]index.Document)) {
	rnd := rand.New(rand.NewPCG(uint64(from), uint64(to)))
	zipf := rand.NewZipf(rnd, 1.1, 4, 1_000_000)
	var batch []index.Document
	for i := from; i < to; i++ {
		var b strings.Builder
		for range 10 + rnd.IntN(20) {
			fmt.Fprintf(&b, "w%d ", zipf.Uint64())
		}
		batch = append(batch, index.Document{
			Key:    fmt.Sprintf("https://host%d.example/%d", i%997, i),
			Fields: []index.Field{{Name: "title", Value: fmt.Sprintf("Page %d", i)}, {Name: "body", Value: b.String()}},
		})
		if len(batch) == 500 || i == to-1 {
			yield(batch)
			batch = nil
		}
	}
}

// roles run in a process of their own, whose memory is then theirs alone. They
// print what they find.
var roles = map[string]func(dir string) error{
	"million": func(dir string) error { return million(dir, 1_000_000) },
	"again":   func(dir string) error { return again(dir, 100_000, 10) },
}

// alone runs a role, and returns the numbers that it prints, by name.
func alone(t *testing.T, role, dir string) map[string][]float64 {
	t.Helper()
	if os.Getenv(scale) == "" {
		t.Skip("takes minutes: set " + scale)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), scaleRole+"="+role, scaleDir+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	t.Logf("%s", out)
	must(t, err)
	found := map[string][]float64{}
	for _, word := range strings.Fields(string(out)) {
		name, value, _ := strings.Cut(word, "=")
		x, err := strconv.ParseFloat(value, 64)
		must(t, err)
		found[name] = append(found[name], x)
	}
	return found
}

// memoryMB returns a line of /proc/self/status, such as VmHWM, the most memory
// that the process ever held, in megabytes.
func memoryMB(line string) int {
	b, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(b), line+":")
	kb, _ := strconv.Atoi(strings.Fields(rest + " 0")[0])
	return kb * 1024 / 1e6
}

func diskMB(dir string) float64 {
	entries, _ := os.ReadDir(dir)
	total := int64(0)
	for _, e := range entries {
		if st, err := e.Info(); err == nil {
			total += st.Size()
		}
	}
	return float64(total) / 1e6
}

// million builds an index of n short documents with a budget of 256 MiB.
func million(dir string, n int) error {
	ix, err := index.Open(dir, index.Options{MemoryBudget: 256 << 20})
	if err != nil {
		return err
	}
	w, err := ix.Writer()
	if err != nil {
		return err
	}
	ctx, start := context.Background(), time.Now()
	var group sync.WaitGroup
	var failed atomic.Value
	const adders = 2
	for g := range adders {
		group.Go(func() {
			shortDocs(g*n/adders, (g+1)*n/adders, func(docs []index.Document) {
				if err := w.Add(ctx, docs...); err != nil {
					failed.Store(err)
				}
			})
		})
	}
	group.Wait()
	if err, ok := failed.Load().(error); ok {
		return err
	}
	if err := w.Commit(ctx); err != nil {
		return err
	}
	fmt.Printf("built_s=%.1f peak_MB=%d\n", time.Since(start).Seconds(), memoryMB("VmHWM"))
	if err := w.Merge(ctx); err != nil {
		return err
	}
	fmt.Printf("merged_s=%.1f peak_merged_MB=%d\n", time.Since(start).Seconds(), memoryMB("VmHWM"))
	if err := ix.Close(); err != nil {
		return err
	}
	best := time.Hour
	for range 5 {
		start = time.Now()
		if ix, err = index.Open(dir, index.Options{}); err != nil {
			return err
		}
		best = min(best, time.Since(start))
		s, err := ix.Snapshot()
		if err != nil {
			return err
		}
		if s.Docs() != n {
			return fmt.Errorf("%d documents", s.Docs())
		}
		s.Close()
		ix.Close()
	}
	fmt.Printf("open_ms=%.2f\n", best.Seconds()*1000)
	return nil
}

// A million short documents stay within the budget, and open at once.
func TestScaleMillion(t *testing.T) {
	dir := t.TempDir()
	got := alone(t, "million", dir)
	if rss := got["peak_merged_MB"][0]; rss > 600 {
		t.Errorf("%v MB", rss)
	}
	if ms := got["open_ms"][0]; ms > 10 {
		t.Errorf("opens in %v ms", ms)
	}
	t.Logf("%.1f MB on disk", diskMB(dir))
}

// again indexes the same n documents again and again with a budget of 64 MiB.
func again(dir string, n, rounds int) error {
	ix, err := index.Open(dir, index.Options{MemoryBudget: 64 << 20})
	if err != nil {
		return err
	}
	w, err := ix.Writer()
	if err != nil {
		return err
	}
	ctx := context.Background()
	for range rounds {
		shortDocs(0, n, func(docs []index.Document) {
			if err == nil {
				err = w.Add(ctx, docs...)
			}
		})
		if err == nil {
			err = w.Commit(ctx)
		}
		if err != nil {
			return err
		}
		fmt.Printf("rss_MB=%d disk_MB=%.1f\n", memoryMB("VmRSS"), diskMB(dir))
	}
	if err := w.Merge(ctx); err != nil {
		return err
	}
	fmt.Printf("rss_MB=%d disk_merged_MB=%.1f peak_MB=%d\n", memoryMB("VmRSS"), diskMB(dir), memoryMB("VmHWM"))
	return ix.Close()
}

// Ten times the same documents take no more memory than once, and no more disk
// once they are merged.
func TestScaleAgain(t *testing.T) {
	got := alone(t, "again", t.TempDir())
	rss, once := got["rss_MB"], got["disk_MB"][0]
	if most := slices.Max(rss); most > 1.5*rss[0] && most > 200 {
		t.Errorf("memory grows: %v", rss)
	}
	if disk := got["disk_merged_MB"][0]; disk > 1.1*once {
		t.Errorf("%v MB on disk, once %v", disk, once)
	}
}

// Single documents, each put and committed by itself, leave few files. Every
// commit syncs four times: TMPDIR=/dev/shm makes it a matter of minutes. The slowest
// commit is told only: on a disk with other work it says how busy that is.
func TestScaleSingles(t *testing.T) {
	if os.Getenv(scale) == "" {
		t.Skip("takes minutes: set " + scale)
	}
	dir := t.TempDir()
	ix := opens(t, dir, index.Options{})
	w := writer(t, ix)
	most, fds, slowest := 0, 0, time.Duration(0)
	for i, d := range numberedDocs(0, 100_000) {
		start := time.Now()
		must(t, w.Add(t.Context(), d), w.Commit(t.Context()))
		slowest = max(slowest, time.Since(start))
		if i%37 == 0 {
			most, fds = max(most, len(files(t, dir))), max(fds, descriptors())
		}
	}
	t.Logf("%d files, %d descriptors, the slowest commit %v, %+v", most, fds, slowest, w.Stats())
	if most > 60 || fds > 100 {
		t.Errorf("%d files, %d descriptors", most, fds)
	}
}

func descriptors() int {
	entries, _ := os.ReadDir("/proc/self/fd")
	return len(entries)
}

// A document that is put is found within a second, at a thousand a second, and
// searches are not much slower meanwhile.
func TestScaleFresh(t *testing.T) {
	if os.Getenv(scale) == "" {
		t.Skip("takes minutes: set " + scale)
	}
	const before = 200_000
	dir := t.TempDir()
	ix := opens(t, dir, index.Options{CommitWithin: 800 * time.Millisecond})
	w := writer(t, ix)
	shortDocs(0, before, func(docs []index.Document) { must(t, w.Add(t.Context(), docs...)) })
	must(t, w.Merge(t.Context()))
	idle := searching(t, ix, 10*time.Second)

	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	var latest time.Duration // from Add to the first search that finds it
	group.Go(func() { latest = putting(t, ctx, ix, w, before) })
	busy := searching(t, ix, 30*time.Second)
	cancel()
	group.Wait()
	t.Logf("p99 %v with nothing else, %v while 1,000 documents a second are put; found after %v at most", idle, busy, latest)
	if latest > time.Second || busy > 2*idle {
		t.Errorf("found after %v, p99 %v, %v with nothing else", latest, busy, idle)
	}
}

// searching searches for so long, and returns the 99th percentile of the times.
func searching(t *testing.T, ix *index.Index, d time.Duration) time.Duration {
	rnd := rand.New(rand.NewPCG(3, 4))
	zipf := rand.NewZipf(rnd, 1.1, 4, 1_000_000)
	var times []time.Duration
	for end := time.Now().Add(d); time.Now().Before(end); {
		q := query.Or{query.Match{Text: fmt.Sprintf("w%d", zipf.Uint64())}, query.Match{Text: fmt.Sprintf("w%d", zipf.Uint64())}}
		start := time.Now()
		_, err := ix.Search(t.Context(), q, index.SearchOptions{Limit: 10})
		must(t, err)
		times = append(times, time.Since(start))
		time.Sleep(2 * time.Millisecond)
	}
	slices.Sort(times)
	return times[len(times)*99/100]
}

// putting puts a thousand documents a second, one in ten of which replaces an
// older one, and looks each tenth of a second for one of them.
func putting(t *testing.T, ctx context.Context, ix *index.Index, w *index.Writer, next int) (latest time.Duration) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	waiting := map[string]time.Time{}
	for n := 0; ctx.Err() == nil; n++ {
		<-tick.C
		shortDocs(next, next+10, func(docs []index.Document) {
			docs[0].Key = fmt.Sprintf("https://host%d.example/%d", n%997, n)
			if err := w.Add(t.Context(), docs...); err != nil {
				t.Error(err)
			}
			if n%10 == 0 {
				waiting[docs[9].Key] = time.Now()
			}
		})
		next += 10
		s, err := ix.Snapshot()
		if err != nil {
			t.Error(err)
			return 0
		}
		for key, since := range waiting {
			if _, ok, _ := s.Document(key); ok {
				latest = max(latest, time.Since(since))
				delete(waiting, key)
			}
		}
		s.Close()
	}
	return latest
}
