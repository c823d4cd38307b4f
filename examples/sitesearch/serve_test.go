package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/webquarry/quarry/index/serve"
)

// started runs the program in this process and returns the address of its
// search page, what it prints after that, and a channel with its exit status.
func started(t *testing.T, ctx context.Context, args ...string) (page string, rest *bufio.Reader, exit <-chan int) {
	t.Helper()
	r, w := io.Pipe()
	code := make(chan int, 1)
	var log bytes.Buffer
	go func() {
		c := run(ctx, append([]string{"-addr", "127.0.0.1:0"}, args...), w, &log)
		w.CloseWithError(fmt.Errorf("exit status %d: %s", c, log.String()))
		code <- c
	}()
	return readAddress(t, r)(code)
}

// readAddress reads the line that says where to look.
func readAddress(t *testing.T, out io.Reader) func(<-chan int) (string, *bufio.Reader, <-chan int) {
	t.Helper()
	r := bufio.NewReader(out)
	line, err := r.ReadString('\n')
	if err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	page, ok := strings.CutPrefix(line, "Search at ")
	page, _, ok2 := strings.Cut(page, " ")
	if !ok || !ok2 {
		t.Fatalf("the first line is %q", line)
	}
	return func(code <-chan int) (string, *bufio.Reader, <-chan int) { return page, r, code }
}

// get asks a running program for JSON.
func get(t *testing.T, u string, into any) {
	t.Helper()
	resp, err := http.Get(u)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		t.Fatal(err)
	}
}

// Pages can be found within a second of being fetched, while the crawl goes on.
func TestSearchWhileCrawling(t *testing.T) {
	t.Parallel()
	site := &countedSite{pages: 100_000}
	srv := httptest.NewServer(site)
	t.Cleanup(srv.Close)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	page, rest, exit := started(t, ctx, "-seed", srv.URL+"/0", "-traps=false", "-delay", "10ms", "-allow-private", "-user-agent", testAgent)
	go io.Copy(io.Discard, rest)
	var st serve.Status
	quickest := time.Hour
	for range 3 { // a busy machine may be late now and then
		<-site.after(10)
		fetched, want := time.Now(), site.count()
		for st.Documents < want {
			if get(t, page+"api/status", &st); time.Since(fetched) > 10*time.Second {
				t.Fatalf("%d pages were fetched, and ten seconds later the status is %+v", want, st)
			}
		}
		quickest = min(quickest, time.Since(fetched))
	}
	if quickest > time.Second {
		t.Errorf("a page could be found %v after it was fetched", quickest)
	}
	var a serve.Answer
	get(t, page+"api/search?q="+url.QueryEscape("number n4"), &a)
	if !st.Running || a.AllWords.Value != 1 || a.Hits[0].Title != "Number 4" {
		t.Errorf("during the crawl: status %+v, answer %+v", st, a)
	}
	stop()
	if code := <-exit; code != 0 {
		t.Errorf("exit status %d", code)
	}
	if _, err := http.Get(page); err == nil {
		t.Error("the search page is served after the end")
	}
}

// Without flags the program serves and crawls the bundled site.
func TestBundledServer(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	page, rest, exit := started(t, ctx)
	if line, err := rest.ReadString('\n'); err != nil || line != "Crawl finished: 43 pages, 1 failed.\n" {
		t.Errorf("%q: %v", line, err)
	}
	var a serve.Answer
	get(t, page+"api/search?q=seven+sisters", &a)
	if len(a.Hits) == 0 {
		t.Fatal("no hits")
	}
	resp, err := http.Get(a.Hits[0].URL) // the site is there as long as its search is
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("the first hit: %v %v", resp, err)
	} else {
		resp.Body.Close()
	}
	stop()
	if code := <-exit; code != 0 {
		t.Errorf("exit status %d", code)
	}
}

// Ctrl-C ends the program in good order, and -resume goes on from there.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	site := &countedSite{pages: 60}
	srv := httptest.NewServer(site)
	t.Cleanup(srv.Close)
	dir := t.TempDir()
	args := []string{"-dir", dir, "-delay", "20ms", "-allow-private"}
	tenth := site.after(10)
	cmd := child(t, append(args, "-addr", "127.0.0.1:0", "-seed", srv.URL+"/0", "-user-agent", testAgent)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, rest, _ := readAddress(t, out)(nil)
	<-tenth
	cmd.Process.Signal(os.Interrupt)
	said, _ := io.ReadAll(rest)
	if err := cmd.Wait(); err != nil {
		t.Errorf("after an interrupt: %v", err)
	}
	if want := "Go on with -dir " + dir + " -resume.\n"; !strings.HasPrefix(string(said), "Crawl stopped: ") || !strings.HasSuffix(string(said), want) {
		t.Errorf("it said %q", said)
	}
	before := site.total
	var answer, log bytes.Buffer
	if code := run(t.Context(), append(args, "-resume", "-query", "number"), &answer, &log); code != 0 {
		t.Fatalf("exit status %d: %s", code, log.String())
	}
	if !strings.HasPrefix(answer.String(), "60 pages in ") || before >= 60 || site.total != 60 {
		t.Errorf("%d pages fetched before and %d in all, then: %.40s", before, site.total, answer.String())
	}
	checkIndex(t, filepath.Join(dir, "index"), srv.URL, 60)
}

// A folder that was crawled is searched without crawling again, and the bundled
// site comes back at the address that the index has for it. The test is not
// parallel, lest another one takes the port meanwhile.
func TestBundledFolder(t *testing.T) {
	dir := t.TempDir()
	var seen []string
	for range 2 {
		ctx, stop := context.WithCancel(t.Context())
		page, rest, exit := started(t, ctx, "-dir", dir)
		if len(seen) == 0 {
			if line, err := rest.ReadString('\n'); err != nil || !strings.HasPrefix(line, "Crawl finished") {
				t.Errorf("%q: %v", line, err)
			}
		}
		var a serve.Answer
		get(t, page+"api/search?q=seven+sisters", &a)
		if len(a.Hits) == 0 {
			t.Fatal("no hits")
		}
		seen = append(seen, a.Hits[0].URL)
		if resp, err := http.Get(a.Hits[0].URL); err != nil {
			t.Error(err)
		} else {
			resp.Body.Close()
		}
		stop()
		if code := <-exit; code != 0 {
			t.Errorf("exit status %d", code)
		}
	}
	if seen[0] != seen[1] {
		t.Errorf("the first hit was at %s and is now at %s", seen[0], seen[1])
	}
}
