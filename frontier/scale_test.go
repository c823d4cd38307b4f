package frontier_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// scaleURLs says how many URLs the test of scale adds, scaleDir where it keeps
// them; it is left out when the first is not set.
const (
	scaleURLs = "QUARRY_FRONTIER_URLS"
	scaleDir  = "QUARRY_FRONTIER_DIR"
)

// scaleHosts is how many hosts there are, the larger ones with far more URLs:
// the n-th largest has about 1/n of what the largest has.
const scaleHosts = 1_000_000

// scaleURL makes the n-th URL, 60 to 80 bytes. Links of one page go to few hosts.
func scaleURL(b []byte, n int) []byte {
	rnd := rand.New(rand.NewPCG(uint64(n/10), 1))
	h := int(math.Pow(scaleHosts, rnd.Float64())) - 1
	if n/10%4 == 0 {
		h = n / 40 % scaleHosts // each has some
	}
	b = append(b, "https://www.site-"...)
	b = strconv.AppendInt(b, int64(h), 10)
	b = append(b, ".example.com/articles/"...)
	b = strconv.AppendInt(b, int64(n/10%97), 10)
	b = append(b, "/some-words-of-a-title-"...)
	b = strconv.AppendInt(b, int64(n), 10)
	return append(b, ".html"...)
}

// scaleSize is how many URLs a test of scale adds; without it the test is left out.
func scaleSize(t *testing.T) int {
	total, _ := strconv.Atoi(os.Getenv(scaleURLs))
	if total == 0 {
		t.Skipf("%s is not set", scaleURLs)
	}
	return total
}

// scaleFolder returns a folder that is removed at the end.
func scaleFolder(t *testing.T) string {
	dir := filepath.Join(os.Getenv(scaleDir), fmt.Sprintf("frontier-%s-%d", strings.ReplaceAll(t.Name(), "/", "-"), os.Getpid()))
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

var scaleOptions = frontier.Options{Limits: benchLimits, SyncEvery: time.Second}

// TestScale adds very many URLs and says how quickly it goes and what it takes,
// then visits some and opens the folder again.
func TestScale(t *testing.T) {
	total := scaleSize(t)
	dir := scaleFolder(t)
	d, err := frontier.Open(dir, scaleOptions)
	if err != nil {
		t.Fatal(err)
	}
	stage := max(total/10, 1)
	begin := time.Now()
	for from := 0; from < total; from += stage {
		n := min(stage, total-from)
		took := scaleAdd(t, d, from, n)
		known, cpu := scaleKnown(t, d, from+n)
		t.Logf("%d URLs: %.0f new/s, %.0f known/s (%.0f by processor time), %s, %.1f disk B/URL", from+n,
			float64(n)/took.Seconds(), known, cpu, resident(), float64(folderSize(t, dir))/float64(from+n))
	}
	t.Logf("all in %v", time.Since(begin))
	d.Settle()
	known, cpu := scaleKnown(t, d, total)
	t.Logf("with nothing in the background: %.0f known/s (%.0f by processor time), %s, %.1f disk B/URL", known, cpu, resident(), float64(folderSize(t, dir))/float64(total))
	visits := min(total/10, 1_000_000)
	start := time.Now()
	scaleVisit(t, d, visits)
	t.Logf("%.0f visits/s, %s", float64(visits)/time.Since(start).Seconds(), resident())
	want := statsOf(d)
	start = time.Now()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("closed in %v, %.1f disk B/URL", time.Since(start), float64(folderSize(t, dir))/float64(total))
	debug.FreeOSMemory()
	start = time.Now()
	if d, err = frontier.Open(dir, scaleOptions); err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	t.Logf("opened in %v, %s", time.Since(start), resident())
	if bare(statsOf(d)) != bare(want) {
		t.Errorf("stats %+v, want %+v", statsOf(d), want)
	}
}

// scaleKnown adds a hundred thousand of the URLs once more, a thousand at a time,
// and returns how many of them it took in a second: the median, since those who add
// wait for room in memory, and by processor time, that of the background included.
func scaleKnown(t *testing.T, d *frontier.Disk, total int) (rate, cpu float64) {
	t.Helper()
	const pages = 100
	n := min(1000, total)
	var spent time.Duration
	var took []time.Duration
	for page := range pages {
		reqs := scaleLinks(total/pages*page/1000*1000, n)
		start, used := time.Now(), processorTime()
		if n, err := d.Add(t.Context(), reqs...); n != 0 || err != nil {
			t.Fatal(n, err)
		}
		took = append(took, time.Since(start))
		spent += processorTime() - used
	}
	slices.Sort(took)
	return float64(n) / took[pages/2].Seconds(), float64(pages*n) / spent.Seconds()
}

func scaleVisit(t *testing.T, d *frontier.Disk, n int) {
	t.Helper()
	for range n {
		req, err := d.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Done(t.Context(), req, frontier.Outcome{}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestScaleKill lets another process add URLs and visit some, kills it, and opens
// the folder: all that it was told is there.
func TestScaleKill(t *testing.T) {
	total := min(scaleSize(t), 10_000_000)
	dir := scaleFolder(t)
	if from, ok := os.LookupEnv(scaleChild); ok {
		scaleLife(t, from, total)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestScaleKill$", "-test.timeout=0")
	cmd.Env = append(os.Environ(), scaleChild+"="+dir)
	cmd.Stderr = os.Stderr
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var want frontier.Stats
	in := bufio.NewScanner(out)
	for want.Seen == 0 && in.Scan() {
		json.Unmarshal(in.Bytes(), &want)
	}
	if err := cmd.Process.Kill(); err != nil || want.Seen != total {
		t.Fatalf("%v, %+v", err, want)
	}
	cmd.Wait()
	start := time.Now()
	d, err := frontier.Open(dir, scaleOptions)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	t.Logf("opened in %v, %s", time.Since(start), resident())
	if got := statsOf(d); bare(got) != bare(want) {
		t.Errorf("stats %+v, want %+v", got, want)
	}
}

// scaleChild holds the folder of the process that is killed.
const scaleChild = "QUARRY_FRONTIER_SCALE_CHILD"

// scaleLife says what it has done and waits for its end.
func scaleLife(t *testing.T, dir string, total int) {
	d, err := frontier.Open(dir, scaleOptions)
	if err != nil {
		t.Fatal(err)
	}
	for from := 0; from < total; from += 1000 {
		scaleAdd(t, d, from, min(1000, total-from))
	}
	scaleVisit(t, d, total/1000)
	b, _ := json.Marshal(statsOf(d))
	fmt.Printf("%s\n", b)
	io.Copy(io.Discard, os.Stdin) // it is closed if the test ends early
}

func scaleLinks(from, n int) []frontier.Request {
	reqs := make([]frontier.Request, n)
	via := string(scaleURL(nil, from/1000))
	var b []byte
	for i := range reqs {
		b = scaleURL(b[:0], from+i)
		reqs[i] = frontier.Request{URL: string(b), Via: via, Depth: 1}
		if i%50 == 0 {
			via = string(scaleURL(nil, (from+i)/50))
		}
	}
	return reqs
}

// scaleAdd adds URLs, a hundred at a time, and returns how long that took without
// making them up.
func scaleAdd(t *testing.T, d *frontier.Disk, from, n int) (took time.Duration) {
	t.Helper()
	for ; n > 0; from, n = from+1000, n-1000 {
		reqs := scaleLinks(from, min(n, 1000))
		start := time.Now()
		for len(reqs) > 0 {
			page := min(len(reqs), 100)
			if added, err := d.Add(t.Context(), reqs[:page]...); added != page || err != nil {
				t.Fatal(added, err)
			}
			reqs = reqs[page:]
		}
		took += time.Since(start)
	}
	return took
}

// resident is how much memory the process takes, and took at most.
func resident() string {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return fmt.Sprintf("%d MB from the system", m.Sys>>20)
	}
	var found []string
	for line := range strings.Lines(string(b)) {
		if name, size, ok := strings.Cut(line, ":"); ok && (name == "VmHWM" || name == "VmRSS" || name == "RssAnon") {
			found = append(found, name+" "+strings.TrimSpace(size))
		}
	}
	return strings.Join(found, ", ")
}

// residentSize is how many kilobytes of memory the process takes, where the system says
// so; else 0.
func residentSize() (kB int) {
	_, size, _ := strings.Cut(resident(), "VmRSS ")
	fmt.Sscan(size, &kB)
	return kB
}

func folderSize(t *testing.T, dir string) (size int64) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if st, err := f.Info(); err == nil {
			size += st.Size()
		}
	}
	return size
}
