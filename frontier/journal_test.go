package frontier

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/webquarry/quarry/frontier/internal/wal"
)

// TestLogLimit holds the size of a log to a multiple of the state before it.
func TestLogLimit(t *testing.T) {
	t.Parallel()
	const m = 1 << 20
	for state, want := range map[int64]int64{0: 4 * m, 1000: 4 * m, 2 * m: 4 * m, 10 * m: 20 * m, 24 * m: 48 * m, 90 * m: 48 * m, 200 * m: 100 * m} {
		if got := usualSizes().limit(state); got != want {
			t.Errorf("behind a state of %d bytes the log may have %d, want %d", state, got, want)
		}
	}
}

// TestFilesOfSmallQueue visits many more URLs than ever wait, and looks at what log and state
// take all the time, when the folder is opened again included. QUARRY_FRONTIER_VISITS sets
// another number of visits.
func TestFilesOfSmallQueue(t *testing.T) {
	t.Parallel()
	visits, _ := strconv.Atoi(os.Getenv("QUARRY_FRONTIER_VISITS"))
	if visits == 0 {
		visits = 150_000
	}
	opt := Options{Limits: Limits{PerHost: -1, PerDomain: -1, PerIP: -1, Global: -1, Delay: -1}, SyncEvery: -1}
	dir := t.TempDir()
	d, err := Open(dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { d.Close() }()
	const step, queue = 1000, 500
	var most, written int64
	for n := 0; n < visits; n += step {
		if n%(10*step) == 9*step { // opened again, it is no larger
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			if d, err = Open(dir, opt); err != nil {
				t.Fatal(err)
			}
			t.Logf("opened in %v, with %d bytes of log and state", time.Since(start).Round(time.Microsecond), journalSize(t, dir))
		}
		before := journalSize(t, dir)
		for range step / queue {
			smallQueue(t, d, queue)
		}
		d.Settle()
		size := journalSize(t, dir)
		most, written = max(most, size), written+max(size-before, 0)
	}
	limit := usualSizes().log + 1<<20
	if written < 2*limit && visits >= 150_000 {
		t.Fatalf("%d bytes were written, which shows nothing", written)
	}
	if most > limit {
		t.Errorf("log and state took %d bytes, want %d at most", most, limit)
	}
}

// smallQueue adds and visits so many URLs.
func smallQueue(t *testing.T, d *Disk, n int) {
	t.Helper()
	reqs := make([]Request, n)
	from := statsNow(t, d).Seen
	for i := range reqs {
		reqs[i] = Request{URL: "http://h" + strconv.Itoa(i%50) + ".test/some/page/of/it/" + strconv.Itoa(from+i), Depth: 1}
	}
	if added, err := d.Add(t.Context(), reqs...); added != n || err != nil {
		t.Fatal(added, err)
	}
	for range n {
		l, err := d.Next(t.Context())
		if err == nil {
			err = d.Done(t.Context(), l, Outcome{})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func statsNow(t *testing.T, f Frontier) Stats {
	t.Helper()
	x, err := f.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// journalSize is what the logs and states in a folder take.
func journalSize(t *testing.T, dir string) (size int64) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasPrefix(f.Name(), wal.LogName) && !strings.HasPrefix(f.Name(), wal.StateName) {
			continue
		}
		if st, err := os.Stat(filepath.Join(dir, f.Name())); err == nil {
			size += st.Size()
		}
	}
	return size
}
