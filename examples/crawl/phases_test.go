package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestPhases: links first and pages later give the pages of a crawl in one go,
// each once and with its body, however often either phase is broken off.
func TestPhases(t *testing.T) {
	t.Parallel()
	_, args := site(t, chain(20))
	want := crawled(t, args)
	w, args := site(t, chain(20), "-dir", filepath.Join(t.TempDir(), "state"))
	out := filepath.Join(t.TempDir(), "out.jsonl")
	for _, pages := range []string{"5", "13", "0"} {
		if code, stderr := try(args, "-phase", "collect", "-pages", pages); code != exitDone {
			t.Fatalf("exit code %d, %s", code, stderr)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("pages were written while links were collected")
	}
	collected := len(w.Requests())
	for _, pages := range []string{"7", "0", "0"} {
		if code, stderr := try(args, "-phase", "fetch", "-out", out, "-pages", pages); code != exitDone {
			t.Fatalf("exit code %d, %s", code, stderr)
		}
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range bytes.Lines(b) {
		var r rawRecord
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(r.Body), "<title>Page ") || r.Status != 200 || r.Fetched.IsZero() {
			t.Errorf("%s: %+v", r.URL, r)
		}
		got = append(got, strings.TrimPrefix(r.URL, "http://"))
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("pages %q, want %q", got, want)
	}
	if n := len(w.Requests()) - collected; n != 20 { // what robots.txt says is kept from the first
		t.Errorf("%d requests in the second phase", n)
	}
}

func TestSize(t *testing.T) {
	t.Parallel()
	_, args := site(t, chain(30), "-dir", filepath.Join(t.TempDir(), "state"), "-workers", "1")
	out := filepath.Join(t.TempDir(), "out.jsonl")
	for _, size := range []int{1000, 1000, 2500, 0} {
		if code, stderr := try(args, "-out", out, "-size", fmt.Sprint(size)); code != exitDone {
			t.Fatalf("exit code %d, %s", code, stderr)
		}
		fi, err := os.Stat(out)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(records(t, out)); size == 0 && n != 30 || size > 0 && (fi.Size() < int64(size) || fi.Size() > int64(size)+300) {
			t.Errorf("%d pages with %d bytes, want %d", n, fi.Size(), size)
		}
	}
}

// TestMonitor looks at a crawl, pauses it, and lets it go on.
func TestMonitor(t *testing.T) {
	t.Parallel()
	_, args := site(t, chain(30), "-delay", "20ms")
	out := filepath.Join(t.TempDir(), "out.jsonl")
	stderr, tell := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- run(context.Background(), append(args, "-out", out, "-monitor", "127.0.0.1:0"), io.Discard, tell)
		tell.Close()
	}()
	line := make([]byte, 1000)
	n, err := stderr.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, stderr)
	page := regexp.MustCompile(`http://127\.0\.0\.1:\d+/`).FindString(string(line[:n]))
	if page == "" {
		t.Fatalf("no address in %q", line[:n])
	}
	post(t, page+"api/pause")
	for status(t, page) != "paused" {
		time.Sleep(time.Millisecond)
	}
	before := len(records(t, out))
	for range 100 {
		status(t, page)
	}
	if after := len(records(t, out)); after != before || after == 30 {
		t.Errorf("%d pages, then %d", before, after)
	}
	post(t, page+"api/resume")
	if code := <-ended; code != exitDone || len(records(t, out)) != 30 {
		t.Errorf("exit code %d, %d pages", code, len(records(t, out)))
	}
}

func post(t *testing.T, url string) {
	t.Helper()
	r, err := http.Post(url, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Body.Close(); r.StatusCode != http.StatusNoContent {
		t.Fatal(r.Status)
	}
}

func status(t *testing.T, page string) string {
	t.Helper()
	r, err := http.Get(page + "api/state")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var s struct{ Status string }
	if err := json.NewDecoder(r.Body).Decode(&s); err != nil {
		t.Fatal(err)
	}
	return s.Status
}
