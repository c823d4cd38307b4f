package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// By default a calendar without end is left, and what else is there is found.
func TestTraps(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		var month int
		if _, err := fmt.Sscanf(r.URL.Query().Get("month"), "%d", &month); err == nil {
			fmt.Fprintf(w, "<title>Calendar</title><p>Nothing happens in this month.</p><a href='/?month=%d'>next month</a>", month+1)
			return
		}
		if r.URL.Path != "/" && !strings.HasPrefix(r.URL.Path, "/star/") {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintf(w, "<title>Star %s</title><p>A star of its own: %[1]s, and nothing like the others.</p><a href='/?month=1'>calendar</a>", r.URL.Path)
		for i := range 20 {
			fmt.Fprintf(w, "<a href='/star/%c'>star</a>", 'a'+i)
		}
	}))
	defer site.Close()
	dir := t.TempDir()
	for _, query := range []string{"star", "month"} { // the second time with what is known of the site
		var out bytes.Buffer
		args := []string{"-seed", site.URL, "-dir", dir, "-delay", "0", "-workers", "1", "-pages", "400", "-allow-private", "-query", query}
		if code := run(t.Context(), args, &out, io.Discard); code != 0 {
			t.Fatalf("exit code %d: %s", code, out.String())
		}
		var found int
		fmt.Sscan(out.String(), &found)
		if query == "star" && found != 21 || query == "month" && (found == 0 || found > 60) {
			t.Errorf("%s: %s", query, out.String())
		}
	}
}

// A crawl that is finished fetches nothing again, and says so.
func TestFinishedCrawl(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(&countedSite{pages: 3})
	t.Cleanup(srv.Close)
	args := []string{"-seed", srv.URL + "/0", "-dir", t.TempDir(), "-delay", "0", "-allow-private", "-query", "number"}
	for _, want := range []bool{false, true} {
		var out, log bytes.Buffer
		if code := run(t.Context(), args, &out, &log); code != 0 || !strings.HasPrefix(out.String(), "3 pages") {
			t.Fatalf("exit code %d: %s%s", code, &out, &log)
		}
		if told := strings.Contains(log.String(), "is finished"); told != want {
			t.Errorf("told that the crawl is finished: %v, want %v\n%s", told, want, &log)
		}
	}
}
