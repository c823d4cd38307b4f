package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/index/serve"
)

// childArgs holds the command line of the program, one argument a line, in the
// environment of a child of the tests.
const childArgs = "SITESEARCH_TEST_ARGS"

func TestMain(m *testing.M) {
	if args := os.Getenv(childArgs); args != "" {
		os.Args = append(os.Args[:1], strings.Split(args, "\n")...)
		main()
	}
	os.Exit(m.Run())
}

// child is the program as a process of its own.
func child(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childArgs+"="+strings.Join(args, "\n"))
	return cmd
}

// countedSite is a site of numbered pages that counts how often each is fetched.
type countedSite struct {
	pages int

	mu      sync.Mutex
	fetched map[int]int
	total   int
	robots  int           // how often it was asked for a robots.txt
	at      int           // total at which reached is closed
	reached chan struct{} // nil: nobody waits
}

func (s *countedSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
	if err != nil || n >= s.pages {
		if r.URL.Path == "/robots.txt" {
			s.mu.Lock()
			s.robots++
			s.mu.Unlock()
		}
		http.NotFound(w, r)
		return
	}
	s.fetch(n)
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(w, "<title>Number %d</title><p>This is number n%d.", n, n)
	for _, to := range []int{3*n + 1, 3*n + 2, 3*n + 3, (n * 7919) % s.pages} { // the last is an extra, for pages with many ways to them
		if to < s.pages {
			fmt.Fprintf(w, " <a href=/%d>%d</a>", to, to)
		}
	}
}

func (s *countedSite) fetch(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fetched == nil {
		s.fetched = make(map[int]int)
	}
	s.fetched[n]++
	s.total++
	if s.reached != nil && s.total >= s.at {
		close(s.reached)
		s.reached = nil
	}
}

// count is how many pages were fetched.
func (s *countedSite) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total
}

// after is closed when so many more pages are fetched.
func (s *countedSite) after(more int) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := make(chan struct{})
	s.at, s.reached = s.total+more, c
	return c
}

// A crawl that is killed again and again finds every page, fetches none again
// but those under way, indexes each once, and asks for robots.txt once.
func TestKillAndResume(t *testing.T) {
	t.Parallel()
	pages, kills := 2000, 20
	if testing.Short() {
		pages, kills = 300, 5
	}
	site := &countedSite{pages: pages}
	srv := httptest.NewServer(site)
	t.Cleanup(srv.Close)
	dir := t.TempDir()
	const workers = 16
	args := []string{"-dir", dir, "-delay", "0", "-allow-private", "-pages", "0", "-workers", fmt.Sprint(workers), "-query", "number n1234 OR n123", "-json"}
	start := append([]string{"-seed", srv.URL + "/0", "-user-agent", "test/1.0 (+http://test.example)"}, args...)
	resume := append([]string{"-resume"}, args...)

	next := start
	for range kills {
		reached := site.after(1 + rand.IntN(2*pages/kills*3/4))
		cmd := child(t, next...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case <-reached:
			cmd.Process.Kill()
			<-ended
		case err := <-ended: // it had no more to do
			if err != nil {
				t.Fatalf("child: %v", err)
			}
		}
		if _, err := os.Stat(filepath.Join(dir, "crawl.json")); err == nil {
			next = resume
		}
	}
	var log bytes.Buffer
	cmd := child(t, resume...)
	cmd.Stderr = &log
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("the last run: %v: %s", err, log.String())
	}
	var last serve.Answer
	if err := json.Unmarshal(out, &last); err != nil || last.Total.Value == 0 {
		t.Errorf("the last run answers %s: %v", out, err)
	}

	checkIndex(t, filepath.Join(dir, "index"), srv.URL, pages)
	again := 0
	for i := range pages {
		if site.fetched[i] == 0 {
			t.Errorf("page %d was never fetched", i)
		}
		again += site.fetched[i] - 1
	}
	if again > kills*(workers+workers/8) { // for each eight workers there is one more, as pages are read and put beside requests
		t.Errorf("%d pages fetched again after %d kills with %d workers", again, kills, workers)
	}
	if site.robots != 1 {
		t.Errorf("robots.txt was asked for %d times", site.robots)
	}
	t.Logf("%d pages, %d kills, %d fetched again", pages, kills, again)
}

// checkIndex wants the pages /0 to /pages-1, each once, and no other.
func checkIndex(t *testing.T, dir, root string, pages int) {
	t.Helper()
	ix, err := index.Open(dir, index.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	snap, err := ix.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	res, err := snap.Search(t.Context(), query.All{}, index.SearchOptions{Limit: 2 * pages})
	if err != nil {
		t.Fatal(err)
	}
	times := map[string]int{}
	for _, h := range res.Hits {
		times[h.Key]++
	}
	for i := range pages {
		if u := fmt.Sprintf("%s/%d", root, i); times[u] != 1 {
			t.Errorf("%s is in the index %d times", u, times[u])
		}
	}
	if len(res.Hits) != pages || snap.Docs() != pages {
		t.Errorf("%d hits and %d documents, want %d", len(res.Hits), snap.Docs(), pages)
	}
	if err := snap.Verify(t.Context()); err != nil {
		t.Errorf("the index: %v", err)
	}
}
