package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// TestRecrawl: all pages come again, and the index is in step with the site: what is new is
// found, what has changed is found by its new words and not by the old ones.
func TestRecrawl(t *testing.T) {
	t.Parallel()
	var second atomic.Bool
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		word, links := "zebra", `<a href="/a">a</a> <a href="/b">b</a>`
		if second.Load() {
			word, links = "giraffe", links+` <a href="/c">c</a>`
		}
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/":
			fmt.Fprintf(w, "<title>Home</title><p>All pages</p>%s", links)
		case "/a":
			fmt.Fprintf(w, "<title>A</title><p>The %s grazes in the morning</p>", word)
		case "/b", "/c":
			fmt.Fprintf(w, "<title>%s</title><p>A page that stays as it was: elephant %s</p>", r.URL.Path, r.URL.Path)
		default:
			http.NotFound(w, r)
		}
	}))
	defer s.Close()
	dir := t.TempDir()
	ask := func(query string, args ...string) []string {
		t.Helper()
		var out bytes.Buffer
		if code := run(t.Context(), append([]string{"-dir", dir, "-query", query, "-json", "-allow-private", "-delay", "0"}, args...), &out, io.Discard); code != 0 {
			t.Fatalf("%q: exit code %d", args, code)
		}
		var a struct{ Hits []struct{ URL string } }
		if err := json.Unmarshal(out.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		var urls []string
		for _, h := range a.Hits {
			urls = append(urls, strings.TrimPrefix(h.URL, s.URL))
		}
		return urls
	}
	if got := ask("zebra", "-seed", s.URL+"/"); len(got) != 1 || got[0] != "/a" {
		t.Error(got)
	}
	second.Store(true)
	if got := ask("zebra", "-resume"); len(got) != 1 { // nothing is due
		t.Error(got)
	}
	if got := ask("giraffe", "-recrawl"); len(got) != 1 || got[0] != "/a" {
		t.Error(got)
	}
	if got := ask("zebra"); len(got) != 0 {
		t.Error(got)
	}
	if got := ask("elephant"); len(got) != 2 {
		t.Error(got)
	}
	for _, args := range [][]string{{"-recrawl"}, {"-recrawl", "-dir", dir, "-seed", s.URL}} {
		if _, err := parseOptions(args, io.Discard); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
}
