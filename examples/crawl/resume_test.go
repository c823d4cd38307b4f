package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// TestMain lets the test binary be the program itself, for tests that kill it.
func TestMain(m *testing.M) {
	if os.Getenv("CRAWL_TEST_CHILD") != "" {
		os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// chain is a web of n pages, each linking to the three after it.
func chain(n int) string {
	var b strings.Builder
	for i := range n {
		u := "http://www.site.test/"
		if i > 0 {
			u += fmt.Sprint(i)
		}
		fmt.Fprintf(&b, "-- %s --\n<title>Page %d</title>\n", u, i)
		for next := i + 1; next <= i+3 && next < n; next++ {
			fmt.Fprintf(&b, "<a href=/%d>next</a>\n", next)
		}
	}
	return b.String()
}

func TestResume(t *testing.T) {
	t.Parallel()
	w, args := site(t, chain(20), "-dir", filepath.Join(t.TempDir(), "state"))
	out := filepath.Join(t.TempDir(), "out.jsonl")
	args = append(args, "-out", out)
	for _, pages := range []int{5, 5, 12} { // the limit is for all runs together
		if code, stderr := try(args, "-pages", fmt.Sprint(pages)); code != exitDone {
			t.Fatalf("exit code %d, %s", code, stderr)
		}
		if got := len(records(t, out)); got != pages {
			t.Fatalf("%d pages, want %d", got, pages)
		}
	}
	f, err := os.OpenFile(out, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	torn := `{"url":"http://www.site.test/` + strings.Repeat("x", 100_000)
	if _, err := f.WriteString(torn); err != nil {
		t.Fatal(err)
	}
	f.Close()
	for range 2 { // the second run has nothing left to do
		if code, stderr := try(args); code != exitDone {
			t.Fatalf("exit code %d, %s", code, stderr)
		}
		if got := len(records(t, out)); got != 20 {
			t.Fatalf("%d pages, want 20", got)
		}
	}
	w.EachOnce(t)
	asked := 0
	for _, r := range w.Requests() {
		if strings.HasSuffix(r.URL, "/robots.txt") {
			asked++
		}
	}
	if asked != 1 {
		t.Errorf("robots.txt was asked for %d times", asked)
	}

	os.Remove(out)
	if code, stderr := try(args); code != exitFailed || !strings.Contains(stderr, "is gone") {
		t.Errorf("output lost: exit code %d, %s", code, stderr)
	}
}

// TestWrittenBeforeAKill: a page whose line is on disk, though the frontier was
// killed before it knew, is not written again.
func TestWrittenBeforeAKill(t *testing.T) {
	t.Parallel()
	_, args := site(t, chain(20), "-dir", filepath.Join(t.TempDir(), "state"))
	out := filepath.Join(t.TempDir(), "out.jsonl")
	args = append(args, "-out", out)
	if code, stderr := try(args, "-pages", "5"); code != exitDone {
		t.Fatalf("exit code %d, %s", code, stderr)
	}
	f, err := os.OpenFile(out, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 600_000)
	if _, err := fmt.Fprintf(f, `{"url":"http://www.site.test/18","text":%q}`+"\n"+`{"url":"http://www.site.test/19"}`+"\n", long); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if code, stderr := try(args); code != exitDone {
		t.Fatalf("exit code %d, %s", code, stderr)
	}
	seen := make(map[string]bool)
	for _, r := range records(t, out) {
		if seen[r.URL] {
			t.Errorf("%s is there twice", r.URL)
		}
		seen[r.URL] = true
	}
	if len(seen) != 20 {
		t.Errorf("%d pages, want 20", len(seen))
	}
}

func TestLocked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, args := site(t, web, "-dir", dir)
	held, err := open(&options{dir: dir, out: filepath.Join(t.TempDir(), "out")}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	code, stderr := try(args, "-out", filepath.Join(t.TempDir(), "out"))
	if code != exitFailed || !strings.HasPrefix(stderr, "crawl: -dir: ") || !strings.Contains(stderr, "locked") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}

// TestKilled kills the program again and again while it crawls. In the end each
// page must be in the output, and none more often than it was under way when
// the program was killed.
func TestKilled(t *testing.T) {
	t.Parallel()
	const pages, every, workers = 60, 9, 4
	w, args := site(t, chain(pages), "-dir", filepath.Join(t.TempDir(), "state"),
		"-per-host", fmt.Sprint(workers), "-workers", fmt.Sprint(workers))
	var asked atomic.Int64
	kill := make(chan struct{}, 1)
	farm := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if asked.Add(1)%every == 0 {
			select {
			case kill <- struct{}{}:
			default:
			}
		}
		w.ServeHTTP(rw, r)
	}))
	defer farm.Close()
	out := filepath.Join(t.TempDir(), "out.jsonl")
	args = append(args, "-out", out, "-proxy", farm.URL)

	kills := 0
	for done := false; !done; {
		if kills > pages {
			t.Fatal("no progress")
		}
		child := exec.Command(os.Args[0], args...)
		child.Env = append(os.Environ(), "CRAWL_TEST_CHILD=1")
		ended := make(chan error, 1)
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		go func() { ended <- child.Wait() }()
		select {
		case <-kill:
			child.Process.Kill()
			<-ended
			kills++
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
			done = true
		}
	}
	lines := map[string]int{}
	for _, r := range records(t, out) {
		lines[r.URL]++
	}
	total := 0
	for _, n := range lines {
		total += n
	}
	if len(lines) != pages || total > pages+kills*workers {
		t.Errorf("%d lines of %d pages after %d kills, want %d pages", total, len(lines), kills, pages)
	}
	if kills < 3 {
		t.Errorf("killed %d times only", kills)
	}
	fetches := 0
	for _, r := range w.Requests() {
		if !strings.HasSuffix(r.URL, "/robots.txt") {
			fetches++
		}
	}
	if fetches > pages+kills*workers {
		t.Errorf("%d fetches of %d pages after %d kills", fetches, pages, kills)
	}
}
