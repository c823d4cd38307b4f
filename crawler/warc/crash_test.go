package warc_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/warc"
	"github.com/webquarry/quarry/frontier"
	"github.com/webquarry/quarry/internal/durable"
	"github.com/webquarry/quarry/internal/faultfs"
)

// numbered is a page with a text of its own.
func numbered(n int) *crawler.Page {
	url := fmt.Sprintf("http://a.test/%d", n)
	return &crawler.Page{URL: url, Response: &crawler.Response{Request: frontier.Request{URL: url}, URL: url, Status: 200,
		Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte(fmt.Sprintf("<p>page %d</p>", n))}}
}

// check opens an archive after a crash and returns the URLs that it
// holds. All records are whole, all files complete and indexed.
func check(t *testing.T, dir string, opt warc.Options) map[string]int {
	t.Helper()
	w, err := warc.OpenWriter(dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if left := files(t, dir, "*.open*"); len(left) > 0 {
		t.Fatalf("%q are open", left)
	}
	got := map[string]int{}
	a, err := warc.OpenArchive(dir)
	if errors.Is(err, warc.ErrNoCapture) {
		return got
	}
	if err != nil {
		t.Fatal(err)
	}
	for rec, err := range a.Records() {
		if err == nil {
			err = rec.Verify()
		}
		if err != nil {
			t.Fatal(err)
		}
		if rec.Type != warc.Response {
			continue
		}
		got[rec.URL]++
		found, err := a.Find(rec.URL)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s is not in the index: %v", rec.URL, err)
		}
		if _, file, err := a.Load(found[0]); err != nil {
			t.Fatal(err)
		} else {
			file.Close()
		}
	}
	if n := len(files(t, dir, "*.cdxj")); n != len(files(t, dir, "*.warc"))+len(files(t, dir, "*.warc.gz")) {
		t.Fatalf("%d indexes: %q", n, files(t, dir, "*"))
	}
	return got
}

// TestFaultAtEveryOperation lets every operation of a writer fail: once, with
// all that follow, and with the loss of what was not synced. What was
// acknowledged is there afterwards.
func TestFaultAtEveryOperation(t *testing.T) {
	t.Parallel()
	for kind, fault := range map[string]func(string, int) *faultfs.Power{
		"fail":  func(_ string, n int) *faultfs.Power { return &faultfs.Power{Fault: faultfs.Fail(n)} },
		"crash": func(_ string, n int) *faultfs.Power { return &faultfs.Power{Fault: faultfs.Crash(n)} },
		"power": faultfs.PowerCut,
	} {
		for _, plain := range []bool{false, true} {
			t.Run(fmt.Sprint(kind, plain), func(t *testing.T) {
				t.Parallel()
				opt := warc.Options{MaxFile: 1500, Plain: plain}
				const atOnce = 16 // for they wait for the disk
				var past atomic.Bool
				for from := 1; !past.Load(); from += atOnce {
					t.Run("from", func(t *testing.T) {
						for n := from; n < from+atOnce; n++ {
							t.Run(fmt.Sprint(n), func(t *testing.T) {
								t.Parallel()
								if !survives(t, opt, func(dir string) *faultfs.Power { return fault(dir, n) }, kind == "power") {
									past.Store(true)
								}
							})
						}
					})
				}
			})
		}
	}
}

// survives lets a writer live with a fault, and reports whether that came up.
func survives(t *testing.T, opt warc.Options, fault func(dir string) *faultfs.Power, lose bool) bool {
	dir := t.TempDir()
	power := fault(dir)
	hook := power.Fault.Hook
	if lose {
		hook = power.Hook
	}
	acked := life(t, dir, opt, hook)
	if lose {
		if err := power.Lose(); err != nil {
			t.Fatal(err)
		}
	}
	got := check(t, dir, opt)
	for _, url := range acked {
		if got[url] == 0 {
			t.Errorf("%s was lost; there are %v", url, got)
		}
	}
	return power.Fired()
}

// life writes five pages and returns those that were acknowledged.
func life(t *testing.T, dir string, opt warc.Options, hook durable.Hook) (acked []string) {
	w, err := warc.OpenHooked(dir, opt, hook)
	if err != nil {
		return nil
	}
	for n := range 5 {
		page := numbered(n)
		err := w.Put(t.Context(), fresh(page))
		if err == nil {
			acked = append(acked, page.URL)
		} else if we, ok := errors.AsType[*warc.WriteError](err); !ok || !we.Fatal() {
			t.Errorf("error %v is no WriteError", err)
		}
	}
	w.Close()
	return acked
}

// TestCutAnywhere cuts the open file at every byte: what was whole stays.
func TestCutAnywhere(t *testing.T) {
	t.Parallel()
	for _, opt := range []warc.Options{{}, {Plain: true}} {
		dir := t.TempDir()
		w, err := warc.OpenWriter(dir, opt)
		if err != nil {
			t.Fatal(err)
		}
		for n := range 2 {
			if err := w.Put(t.Context(), fresh(numbered(n))); err != nil {
				t.Fatal(err)
			}
		}
		open := files(t, dir, "*.open")[0]
		whole, err := os.ReadFile(open)
		if err != nil {
			t.Fatal(err)
		}
		w.Close()
		before := 0
		step := 7
		if testing.Short() {
			step = 31
		}
		for size := 0; size <= len(whole); size = max(size+1, min(size+step, len(whole))) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, filepath.Base(open)), whole[:size], 0o644); err != nil {
				t.Fatal(err)
			}
			got := len(check(t, dir, opt))
			if got < before || got > before+1 {
				t.Fatalf("%d bytes hold %d pages, less held %d", size, got, before)
			}
			before = got
		}
		if before != 2 {
			t.Errorf("%d pages in all, want 2", before)
		}
	}
}

func TestSecondWriter(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, err := warc.OpenWriter(dir, warc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := warc.OpenWriter(dir, warc.Options{}); !errors.Is(err, durable.ErrLocked) {
		t.Errorf("second writer: %v", err)
	}
}

// TestMain lets the test binary be the process that is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv("WARC_TEST_CHILD"); dir != "" {
		writeForEver(dir)
	}
	os.Exit(m.Run())
}

// writeForEver writes pages from four goroutines and tells of each.
func writeForEver(dir string) {
	w, err := warc.OpenWriter(dir, warc.Options{MaxFile: 20_000})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for n := g; n < 100_000; n += 4 {
				page := numbered(n)
				if err := w.Put(context.Background(), fresh(page)); err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
				fmt.Println(page.URL)
			}
		})
	}
	all.Wait()
}

// TestKilled kills a process that writes, again and again: what it told of is in
// the archive.
func TestKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	acked := map[string]bool{}
	for range 6 {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), "WARC_TEST_CHILD="+dir)
		child.Stderr = os.Stderr
		out, err := child.StdoutPipe()
		if err == nil {
			err = child.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		lines, after := bufio.NewScanner(out), 20+rand.IntN(200)
		for n := 0; lines.Scan(); n++ {
			if url := lines.Text(); strings.HasPrefix(url, "http://a.test/") {
				acked[url] = true
			}
			if n == after {
				child.Process.Kill()
			}
		}
		child.Wait()
	}
	got := check(t, dir, warc.Options{})
	for url := range acked {
		if got[url] == 0 {
			t.Errorf("%s was lost", url)
		}
	}
	if len(acked) < 100 {
		t.Errorf("only %d pages", len(acked))
	}
}

// TestFullDisk: a disk without room ends the crawl with a clear error, and the
// archive is whole.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, err := warc.OpenHooked(dir, warc.Options{}, faultfs.Full(5000).Hook)
	if err != nil {
		t.Fatal(err)
	}
	c := crawler.Crawler{UserAgent: testAgent, Fetcher: w.Capture(&crawler.HTTP{UserAgent: testAgent, Transport: small(t)}),
		Frontier: frontier.New(frontier.Options{Limits: frontier.Limits{Delay: -1}})}
	err = c.Run(t.Context(), "http://a.test/")
	if we, ok := errors.AsType[*warc.WriteError](err); !ok || we.Path != dir {
		t.Errorf("the crawl ended with %v", err)
	}
	w.Close()
	if got := check(t, dir, warc.Options{}); len(got) < 2 {
		t.Errorf("there are %v", got)
	}
}
