package frontier_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// The web of the test: pages link to others, hosts want killDelay between visits.
const (
	killHosts = 40
	killDelay = 100 * time.Millisecond
)

// killCount says how often a crawl is killed, 20 times if it is not set; the web is
// larger then, too.
const killCount = "QUARRY_FRONTIER_KILLS"

// killWeb is how many pages there are and how often the crawl is killed.
func killWeb() (pages, kills int) {
	if n, _ := strconv.Atoi(os.Getenv(killCount)); n > 0 {
		return 25 * n, n
	}
	return 600, 20
}

// killChild holds the folder and the setting of a child process of this test.
const killChild = "QUARRY_FRONTIER_CHILD"

func TestMain(m *testing.M) {
	if child := os.Getenv(killChild); child != "" {
		every, dir, _ := strings.Cut(child, " ")
		d, _ := time.ParseDuration(every)
		if err := crawl(dir, d); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func killURL(n int) string {
	return fmt.Sprintf("http://h%d.d%d.test/%d", n%killHosts, n%killHosts/2, n)
}

// killMeta is what every third URL carries.
func killMeta(url string) (m frontier.Meta) {
	if len(url)%3 == 0 {
		m = m.With("test.url", url).With("quarry.x", "\x00")
	}
	return m
}

// crawl visits the web until the end and writes down what it does: one line, and
// one write, for each visit that starts and each that was acknowledged.
func crawl(dir string, every time.Duration) error {
	out, err := os.OpenFile(filepath.Join(dir, "events"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	opt := frontier.Options{Limits: frontier.Limits{Delay: killDelay}, SyncEvery: every}
	d, err := frontier.OpenTuned(filepath.Join(dir, "state"), opt, 10_000)
	if err != nil {
		return err
	}
	first := frontier.Request{URL: killURL(0), Meta: killMeta(killURL(0))}
	if _, err := d.Add(context.Background(), first); err != nil {
		return err
	}
	killPages, _ := killWeb()
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for w := range errs {
		wg.Go(func() { errs[w] = worker(d, out, killPages) })
	}
	wg.Wait()
	return errors.Join(append(errs, d.Close())...)
}

func worker(d *frontier.Disk, out *os.File, killPages int) error {
	for {
		called := time.Now()
		req, err := d.Next(context.Background())
		if errors.Is(err, frontier.ErrDrained) {
			return nil
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "start %s %d %d %d\n", req.URL, req.Attempt, called.UnixNano(), time.Now().UnixNano())
		var host, dom, n int
		fmt.Sscanf(req.URL, "http://h%d.d%d.test/%d", &host, &dom, &n)
		time.Sleep(time.Duration(n%20) * time.Millisecond) // for a kill to fall into
		var found []string
		for _, m := range []int{2*n + 1, 2*n + 2, n / 2, n*7 + 3} {
			if m < killPages {
				found = append(found, killURL(m))
			}
		}
		if req.Meta != killMeta(req.URL) {
			return fmt.Errorf("%s came with %v", req.URL, req.Meta)
		}
		links := urls(found...)
		for i := range links {
			links[i].Meta = killMeta(links[i].URL)
		}
		if err := d.Done(context.Background(), req, frontier.Outcome{Found: links}); err != nil {
			return err
		}
		fmt.Fprintf(out, "acked %s\n", req.URL)
	}
}

// TestKill kills a crawl again and again, and lets it end at last: no page is
// lost, none is visited again after its visit was acknowledged, attempts are
// counted, and no host is visited before its clock allows it.
func TestKill(t *testing.T) {
	t.Parallel()
	killPages, kills := killWeb()
	if testing.Short() {
		kills = 4
	}
	for name, every := range map[string]time.Duration{"every step": 0, "interval": 50 * time.Millisecond, "never": -1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := scratch(t)
			rnd := rand.New(rand.NewPCG(1, uint64(every)))
			killed := 0
			for killed < kills && runChild(t, dir, every, time.Duration(20+rnd.IntN(80))*time.Millisecond) {
				killed++
			}
			if killed < kills {
				t.Logf("the crawl ended after %d kills", killed)
			} else if runChild(t, dir, every, time.Hour) {
				t.Fatal("the last run was killed")
			}
			checkEvents(t, filepath.Join(dir, "events"), killPages)
		})
	}
}

// runChild crawls in a child process and says whether it had to be killed.
func runChild(t *testing.T, dir string, every, lives time.Duration) (killed bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s", killChild, every, dir))
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(lives, func() { cmd.Process.Kill() })
	err := cmd.Wait()
	if killed = !timer.Stop(); !killed && err != nil {
		t.Fatal(err)
	}
	return killed
}

func checkEvents(t *testing.T, path string, killPages int) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	starts, acked, last := map[string]int{}, map[string]bool{}, map[string]int64{}
	repeated := 0
	for s := bufio.NewScanner(f); s.Scan(); {
		var kind, url string
		var attempt int
		var called, returned int64
		fmt.Sscan(s.Text(), &kind, &url, &attempt, &called, &returned)
		if kind == "acked" {
			acked[url] = true
			continue
		}
		if acked[url] {
			t.Errorf("%s was visited again after it was acknowledged", url)
		}
		// A kill between the lease and the line leaves no line.
		if attempt < starts[url] {
			t.Errorf("%s was visited for time %d as attempt %d", url, starts[url]+1, attempt)
		}
		starts[url]++
		repeated += min(1, starts[url]-1)
		host, _, _ := strings.Cut(strings.TrimPrefix(url, "http://"), "/")
		// A visit begins between the call of Next and its return, so the gap was at
		// most this long.
		if gap := time.Duration(returned - last[host]); gap < killDelay {
			t.Errorf("%s was visited after a gap of at most %v", host, gap)
		}
		last[host] = called
	}
	if len(starts) != killPages {
		t.Errorf("%d pages were visited, want %d", len(starts), killPages)
	}
	t.Logf("%d visits were repeated", repeated)
}
