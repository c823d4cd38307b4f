package crawler_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/dedup"
	"github.com/webquarry/quarry/crawler/middleware"
	"github.com/webquarry/quarry/crawler/monitor"
	"github.com/webquarry/quarry/crawler/recrawl"
	"github.com/webquarry/quarry/crawler/session"
	"github.com/webquarry/quarry/crawler/trap"
	"github.com/webquarry/quarry/crawler/warc"
	"github.com/webquarry/quarry/frontier"
	"github.com/webquarry/quarry/frontier/refresh"
)

// crawlRounds says how many rounds TestNoCrawlGrows makes of each kind, such as 1000.
const crawlRounds = "QUARRY_CRAWL_ROUNDS"

// steadyWeb is a web of a fixed set of URLs that changes all the time: pages that differ
// from hour to hour, and say the same as others; sessions, redirects that set cookies, a
// calendar; robots.txt that expires; hosts that fail for a while, and one that is away.
type steadyWeb struct {
	mu  sync.Mutex
	rnd *rand.Rand
}

const (
	steadyHosts = 12
	steadyPages = 12
	steadyDays  = 60 // of a calendar
)

func steadyHost(i int) string { return fmt.Sprintf("http://h%d.d%d.test", i%steadyHosts, i%4) }

func (w *steadyWeb) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	chance, other := w.rnd.IntN(100), w.rnd.IntN(steadyHosts*steadyPages)
	w.mu.Unlock()
	hour := time.Now().Unix() / 3600
	if strings.HasPrefix(r.URL.Host, "h3.") && hour%24 < 3 || strings.HasPrefix(r.URL.Host, "h4.") {
		return nil, errors.New("connection refused")
	}
	status, header := 200, http.Header{"Content-Type": {"text/html"}, "Date": {time.Now().UTC().Format(http.TimeFormat)}}
	header.Add("Set-Cookie", fmt.Sprintf("session=%x; Max-Age=86400", chance))
	header.Add("Set-Cookie", fmt.Sprintf("c%d=%d", chance%3, hour))
	var body bytes.Buffer
	dir, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch n, _ := strconv.Atoi(name); {
	case r.URL.Path == "/robots.txt":
		header.Set("Content-Type", "text/plain")
		header.Set("Cache-Control", "max-age=1200")
		fmt.Fprintf(&body, "User-agent: *\nDisallow: /private/%d\n", hour)
	case chance < 3:
		status = 503
	case chance < 5:
		status = 404
	case dir == "r":
		status = 302
		header.Set("Location", "/p/"+name)
	case dir == "cal":
		fmt.Fprintf(&body, "<title>Day %d</title><p>nothing on day %d<a href=/cal/%d>next</a> <a href=/cal/%d>last</a>", n, n, (n+1)%steadyDays, (n+steadyDays-1)%steadyDays)
	default:
		version := hour / int64(1+n*n)
		h := fnv.New64a()
		fmt.Fprint(h, r.URL.Host, n, version)
		tag := fmt.Sprintf(`"%x"`, h.Sum64())
		header.Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			status = 304
			break
		}
		subject := r.URL.Host
		if n >= steadyPages-3 {
			subject = "everywhere" // the same on all hosts
		}
		fmt.Fprintf(&body, "<title>%s %d</title><p>", subject, n)
		words := rand.New(rand.NewPCG(uint64(n), uint64(version)))
		for range 60 {
			fmt.Fprintf(&body, "%s-word%d ", subject, words.IntN(3000))
		}
		for i := range 6 {
			to := (n*7 + i*5 + other) % (steadyHosts * steadyPages)
			fmt.Fprintf(&body, "<a href=%s/%s/%d>link %d %x</a> ", steadyHost(to), []string{"p", "p", "r"}[i%3], to/steadyHosts, i, other)
		}
		body.WriteString("<a href=/cal/1>calendar</a> <a href=/private/1>x</a>")
	}
	return &http.Response{Request: r, StatusCode: status, Header: header, Body: io.NopCloser(&body)}, nil
}

// crawlBurden is what a crawl takes.
type crawlBurden struct {
	files, disk         map[string]int // by the first part of the path
	open, mapped        int
	goroutines, heap    int
	opening, processing time.Duration // of the processor
	visits              int
}

func (b *crawlBurden) weigh(t *testing.T, dir string) {
	t.Helper()
	b.files, b.disk = map[string]int{}, map[string]int{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		st, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a file of one moment
		}
		part, _, _ := strings.Cut(strings.TrimPrefix(path, dir+string(filepath.Separator)), string(filepath.Separator))
		b.files[part]++
		b.disk[part] += int(st.Size())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if fds, err := os.ReadDir("/proc/self/fd"); err == nil {
		b.open = len(fds)
	}
	if maps, err := os.ReadFile("/proc/self/maps"); err == nil {
		b.mapped = bytes.Count(maps, []byte(filepath.Base(dir)))
	}
	runtime.GC()
	runtime.GC() // what has a finaliser is freed by the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.goroutines, b.heap = runtime.NumGoroutine(), int(m.HeapAlloc)
}

// steadyCrawl is a crawl with all that keeps something, in a folder.
type steadyCrawl struct {
	crawler.Crawler
	monitor *monitor.Monitor
	visits  int
	opened  []io.Closer // in the order in which they are to be closed
}

func openSteady(t *testing.T, dir string, web *steadyWeb, scheduler *refresh.Scheduler) *steadyCrawl {
	t.Helper()
	must := func(err error) {
		if t.Helper(); err != nil {
			t.Fatal(err)
		}
	}
	f, err := frontier.Open(filepath.Join(dir, "frontier"), frontier.Options{
		SyncEvery: -1, Horizon: -1, Limits: frontier.Limits{Delay: time.Second, Outage: frontier.Outage{Wait: 2 * time.Hour, WaitNew: time.Hour}},
	})
	must(err)
	jar, err := session.Open(filepath.Join(dir, "cookies"))
	must(err)
	guard, err := trap.Open(filepath.Join(dir, "traps"), trap.Options{})
	must(err)
	same, err := dedup.Open(filepath.Join(dir, "dedup"), dedup.Options{Memory: 1 << 12})
	must(err)
	store, err := middleware.OpenDisk(filepath.Join(dir, "kept"), 1<<20)
	must(err)
	archive, err := warc.OpenWriter(filepath.Join(dir, "warc"), warc.Options{MaxFile: 4 << 20, NoSync: true})
	must(err)
	const agent = "quarrytest/1.0 (+https://quarry.test/)"
	fetcher := archive.Capture(&crawler.HTTP{UserAgent: agent, Transport: web, Cookies: jar})
	s := &steadyCrawl{opened: []io.Closer{archive, same, guard, jar, store, f}}
	s.Crawler = crawler.Crawler{
		UserAgent: agent, Frontier: f, Workers: 4,
		Fetcher: middleware.KeepRobots{Store: store}.Wrap((&middleware.Cache{Store: store}).Wrap(fetcher)),
		Sink:    &dedup.Sink{Index: same, Next: func(context.Context, *crawler.Page, dedup.Match) error { return nil }},
		Follow:  func(_ *crawler.Page, l crawler.Link) (float64, bool) { return float64(len(l.Text)), true },
		Revisit: (&recrawl.Policy{Scheduler: scheduler}).Revisit,
		OnEvent: func(crawler.Event) { s.visits++ },
	}
	s.Plugins = []crawler.Plugin{guard}
	s.monitor = monitor.New(&s.Crawler, monitor.Options{Recent: 200, Judges: map[string]monitor.Judge{"traps": guard}})
	return s
}

// run crawls for so long.
func (s *steadyCrawl) run(t *testing.T, d time.Duration) {
	t.Helper()
	over := errors.New("time is over")
	ctx, cancel := context.WithTimeoutCause(t.Context(), d, over)
	defer cancel()
	var seeds []string
	for i := range steadyHosts {
		seeds = append(seeds, steadyHost(i)+"/p/0")
	}
	if err := s.Run(s.monitor.Watch(ctx), seeds...); !errors.Is(err, over) {
		t.Fatal(err)
	}
	s.monitor.State(true)
}

func (s *steadyCrawl) close(t *testing.T) {
	t.Helper()
	for _, c := range s.opened {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNoCrawlGrows: a crawl of a fixed set of URLs that goes on and on, with all that keeps
// something (frontier, robots.txt, cache, cookies, traps, duplicates, archive, monitor),
// takes no more files, descriptors, mappings, goroutines, memory and time the longer it
// lasts; nor does one that is closed and opened again and again. The archive alone grows by
// what is fetched.
// A round is some time of the clock of synctest; QUARRY_CRAWL_ROUNDS=1000
// has it make as many, and look at the time that they take, too:
//
//	QUARRY_CRAWL_ROUNDS=1000 go test -run TestNoCrawlGrows -timeout 2h -v ./crawler
func TestNoCrawlGrows(t *testing.T) { // not parallel: it measures what the process has
	rounds, every := 16, time.Hour
	if testing.Short() {
		rounds, every = 12, 15*time.Minute
	}
	if n, err := strconv.Atoi(os.Getenv(crawlRounds)); err == nil {
		rounds, every = max(n, 12), time.Hour
	}
	for _, again := range []bool{false, true} {
		t.Run(map[bool]string{false: "one run", true: "opened again and again"}[again], func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				web := &steadyWeb{rnd: rand.New(rand.NewPCG(1, 2))}
				scheduler := &refresh.Scheduler{PerSecond: 0.03, Min: 10 * time.Minute, Max: 12 * time.Hour}
				s := openSteady(t, dir, web, scheduler)
				var all []crawlBurden
				for round := range rounds {
					var b crawlBurden
					begun, visits := processorTime(), s.visits
					s.run(t, every)
					b.visits = s.visits - visits
					b.processing = (processorTime() - begun) / time.Duration(max(b.visits, 1))
					if again {
						begun = processorTime()
						s.close(t)
						s = openSteady(t, dir, web, scheduler)
						b.opening = processorTime() - begun
					}
					synctest.Wait()
					b.weigh(t, dir)
					all = append(all, b)
					if round%max(rounds/20, 1) == 0 {
						t.Logf("round %d: %+v", round, b)
					}
				}
				s.close(t)
				flat(t, all)
			})
		})
	}
}

// flat compares the last third of the rounds with the second quarter of them.
func flat(t *testing.T, all []crawlBurden) {
	t.Helper()
	early, late := all[len(all)/4:len(all)/2], all[len(all)*2/3:]
	median := func(bs []crawlBurden, of func(b crawlBurden) int) int {
		var xs []int
		for _, b := range bs {
			xs = append(xs, of(b))
		}
		slices.Sort(xs)
		return xs[len(xs)/2]
	}
	check := func(what string, slack int, of func(b crawlBurden) int) {
		before, after := median(early, of), median(late, of)
		t.Logf("%s: %d, later %d", what, before, after)
		if after > before+before/4+slack {
			t.Errorf("%s: %d, later %d", what, before, after)
		}
	}
	check("descriptors", 10, func(b crawlBurden) int { return b.open })
	check("mappings", 4, func(b crawlBurden) int { return b.mapped })
	check("goroutines", 4, func(b crawlBurden) int { return b.goroutines })
	check("bytes of the heap", 1<<20, func(b crawlBurden) int { return b.heap })
	if os.Getenv(crawlRounds) != "" { // a few rounds beside other tests say nothing of time
		// An archive looks through its files when it is opened, and a frontier reads its journal.
		check("µs to close and open", 1_000_000, func(b crawlBurden) int { return int(b.opening.Microseconds()) })
		check("µs for a visit", 1000, func(b crawlBurden) int { return int(b.processing.Microseconds()) })
	}
	parts := all[len(all)-1].files
	for part := range parts {
		slack := 256 << 10
		switch part {
		case "warc":
			continue
		case "frontier":
			slack = 48 << 20 // a journal that long is written anew
		}
		check("files of "+part, 10, func(b crawlBurden) int { return b.files[part] })
		check("bytes of "+part, slack, func(b crawlBurden) int { return b.disk[part] })
	}
	for _, b := range all {
		if b.visits < 10 {
			t.Errorf("a round of %d visits", b.visits)
			break
		}
	}
}
