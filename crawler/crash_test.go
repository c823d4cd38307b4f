package crawler

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/webquarry/quarry/crawler/crawlertest"
	"github.com/webquarry/quarry/frontier"
)

const (
	crashPages   = 500
	crashWorkers = 4
	crashKills   = 20
)

// TestCrashChild is no test: it is the process that TestCrash kills.
func TestCrashChild(t *testing.T) {
	dir, proxy := os.Getenv("CRASH_DIR"), os.Getenv("CRASH_PROXY")
	if dir == "" {
		t.Skip("runs as a child of TestCrash")
	}
	via, err := url.Parse(proxy)
	if err != nil {
		t.Fatal(err)
	}
	f, err := frontier.Open(filepath.Join(dir, "state"), frontier.Options{
		Limits: frontier.Limits{PerHost: crashWorkers, PerDomain: -1, Delay: -1},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out, err := os.OpenFile(filepath.Join(dir, "pages"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	c := Crawler{
		UserAgent: testAgent, Frontier: f, Workers: crashWorkers, Fetcher: &HTTP{UserAgent: testAgent, Proxy: via},
		Sink: Pages(func(_ context.Context, p *Page) error {
			_, err := out.WriteString(p.URL + "\n")
			return err
		}),
	}
	if err := c.Run(t.Context(), "http://a.test/0"); err != nil {
		t.Fatal(err)
	}
}

// crashWeb is a web of a tree of pages, with links back and across.
func crashWeb(t *testing.T) *crawlertest.Web {
	w, err := crawlertest.Parse("")
	if err != nil {
		t.Fatal(err)
	}
	for i := range crashPages {
		var b strings.Builder
		for _, to := range []int{2*i + 1, 2*i + 2, i / 2, i * 7 % crashPages} {
			if to < crashPages {
				fmt.Fprintf(&b, "<a href='/%d'>x</a> ", to)
			}
		}
		w.Add(fmt.Sprintf("http://a.test/%d", i), b.String())
	}
	return w
}

// TestCrash: a crawl that is killed at random moments, and started again each
// time, puts every page, and asks for none again but those under way.
func TestCrash(t *testing.T) {
	t.Parallel()
	web, dir := crashWeb(t), t.TempDir()
	proxy := web.Serve(t)
	kills := 0
	for ended := false; !ended; {
		ended = runAndKill(t, web, dir, proxy, kills < crashKills)
		if !ended {
			kills++
		}
	}
	asked := make(map[string]int)
	for _, r := range web.Requests() {
		if !strings.HasSuffix(r.URL, "/robots.txt") {
			asked[r.URL]++
		}
	}
	put := make(map[string]int)
	data, err := os.ReadFile(filepath.Join(dir, "pages"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		put[string(bytes.TrimSpace(line))]++
	}
	again, twice := 0, 0
	for _, u := range web.URLs() {
		if put[u] == 0 || asked[u] == 0 {
			t.Errorf("%s was asked for %d times and put %d times", u, asked[u], put[u])
		}
		again += asked[u] - 1
		twice += put[u] - 1
	}
	t.Logf("%d kills: %d pages asked for again, %d put again", kills, again, twice)
	if kills == 0 || again > kills*crashWorkers || twice > kills*crashWorkers {
		t.Errorf("%d kills: %d pages asked for again, %d put again, at most %d may", kills, again, twice, kills*crashWorkers)
	}
	if len(web.Unknown()) > 0 {
		t.Errorf("asked for %q", web.Unknown())
	}
}

// runAndKill starts the crawl and kills it when it has made some more requests,
// or lets it end. It reports whether it ended.
func runAndKill(t *testing.T, web *crawlertest.Web, dir string, proxy *url.URL, kill bool) (ended bool) {
	t.Helper()
	var out bytes.Buffer
	child := exec.Command(os.Args[0], "-test.run=^TestCrashChild$", "-test.timeout=60s")
	child.Env = append(os.Environ(), "CRASH_DIR="+dir, "CRASH_PROXY="+proxy.String())
	child.Stdout, child.Stderr = &out, &out
	until := len(web.Requests()) + 1 + rand.IntN(2*crashPages/crashKills)
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan error, 1)
	go func() { exited <- child.Wait() }()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-exited:
			if err != nil {
				t.Fatalf("the crawl failed: %v\n%s", err, &out)
			}
			return true
		case <-tick.C:
			if kill && len(web.Requests()) >= until {
				child.Process.Kill()
				<-exited
				return false
			}
		}
	}
}
