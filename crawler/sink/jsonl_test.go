package sink_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/sink"
	"github.com/webquarry/quarry/internal/durable"
	"github.com/webquarry/quarry/internal/faultfs"
)

func lines(t *testing.T, pattern string) (urls []string) {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for s := bufio.NewScanner(f); s.Scan(); {
			var r sink.Record
			if err := json.Unmarshal(s.Bytes(), &r); err != nil {
				t.Fatalf("%s: %q: %v", name, s.Text(), err)
			}
			urls = append(urls, r.URL)
		}
		f.Close()
	}
	return urls
}

func TestJSONL(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "pages.jsonl")
	for run := range 3 {
		j, err := sink.OpenJSONL(name, sink.JSONLOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if j.Earlier() != 40*run {
			t.Errorf("%d lines of earlier runs, want %d", j.Earlier(), 40*run)
		}
		var all sync.WaitGroup
		for w := range 4 {
			all.Go(func() {
				for n := range 10 {
					if err := j.Put(t.Context(), fresh(page(fmt.Sprintf("http://a.test/%d/%d", w, n)))); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		if err := j.Put(t.Context(), fresh(page("http://a.test/"))); !errors.Is(err, os.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	}
	if got := lines(t, name); len(got) != 120 { // the same pages again are no crash
		t.Errorf("%d lines", len(got))
	}
	j, err := sink.OpenJSONL(name, sink.JSONLOptions{Anew: true, Record: func(r *crawler.Result) any {
		if r.Page.Title == "" {
			return nil
		}
		return map[string]string{"url": r.URL, "note": "<own>"}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(j.Put(t.Context(), fresh(page("http://b.test/"))), j.Put(t.Context(), fresh(&crawler.Page{})), j.Close()); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(name); string(text) != `{"note":"<own>","url":"http://b.test/"}`+"\n" {
		t.Errorf("wrote %s", text)
	}
}

func TestJSONLRotates(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for range 2 {
		j, err := sink.OpenJSONL(filepath.Join(dir, "pages.jsonl"), sink.JSONLOptions{MaxFile: 300})
		if err != nil {
			t.Fatal(err)
		}
		for n := range 10 {
			if err := j.Put(t.Context(), fresh(page(fmt.Sprint("http://a.test/", n)))); err != nil {
				t.Fatal(err)
			}
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
	names, _ := filepath.Glob(filepath.Join(dir, "*"))
	if got := lines(t, filepath.Join(dir, "pages-*.jsonl")); len(got) != 20 || len(names) < 4 || filepath.Base(names[0]) != "pages-00001.jsonl" {
		t.Errorf("%d lines in %q", len(got), names)
	}
}

// TestJSONLFaults lets every operation of a life fail, then goes on: what was
// acknowledged is there, each page once, and nothing is torn.
func TestJSONLFaults(t *testing.T) {
	t.Parallel()
	for kind, fault := range map[string]func(string, int) *faultfs.Power{
		"fail":  func(_ string, n int) *faultfs.Power { return &faultfs.Power{Fault: faultfs.Fail(n)} },
		"crash": func(_ string, n int) *faultfs.Power { return &faultfs.Power{Fault: faultfs.Crash(n)} },
		"power": faultfs.PowerCut,
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			for n := 1; ; n++ {
				dir := t.TempDir()
				f := fault(dir, n)
				hook := f.Fault.Hook
				if kind == "power" {
					hook = f.Hook
				}
				acked := writeLines(t, dir, hook)
				if kind == "power" {
					if err := f.Lose(); err != nil {
						t.Fatal(err)
					}
				}
				if again := writeLines(t, dir); len(again) != 6 {
					t.Fatalf("%d of 6 pages after a fault", len(again))
				}
				count := map[string]int{}
				for _, url := range lines(t, filepath.Join(dir, "*.jsonl")) {
					count[url]++
				}
				for _, url := range acked {
					if count[url] == 0 {
						t.Errorf("operation %d: %s was lost", n, url)
					}
				}
				for url, k := range count {
					if k > 1 && f.Fired() && kind != "fail" {
						t.Errorf("operation %d: %s is there %d times", n, url, k)
					}
				}
				if !f.Fired() {
					break
				}
			}
		})
	}
}

func writeLines(t *testing.T, dir string, hook ...durable.Hook) (acked []string) {
	j, err := sink.OpenJSONLHooked(filepath.Join(dir, "pages.jsonl"), sink.JSONLOptions{MaxFile: 400}, hook...)
	if err != nil {
		return nil
	}
	for n := range 6 {
		url := fmt.Sprint("http://a.test/", n)
		if j.Put(t.Context(), fresh(page(url))) == nil {
			acked = append(acked, url)
		}
	}
	j.Close()
	return acked
}

func TestLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for run := range 2 {
		l, err := sink.OpenLinks(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sink.OpenLinks(dir); !errors.Is(err, durable.ErrLocked) {
			t.Errorf("a second writer: %v", err)
		}
		if run == 0 {
			err = errors.Join(l.Put(t.Context(), fresh(page("http://a.test/", "http://a.test/b", "http://a.test/c", "http://a.test/b", "http://a.test/"))),
				l.Put(t.Context(), fresh(page("http://a.test/b", "http://a.test/", "http://z.test/"))))
		} else {
			err = errors.Join(l.Put(t.Context(), fresh(page("http://a.test/b", "http://a.test/d", "http://a.test/c"))), l.Put(t.Context(), fresh(page("http://a.test/c"))))
		}
		if err := errors.Join(err, l.Close()); err != nil {
			t.Fatal(err)
		}
	}
	g, err := sink.ReadLinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for from, to := range g.Edges() {
		got = append(got, g.Names[from]+" "+g.Names[to])
	}
	want := []string{"http://a.test/ http://a.test/b", "http://a.test/ http://a.test/c", "http://a.test/b http://a.test/c", "http://a.test/b http://a.test/d"}
	if !reflect.DeepEqual(got, want) || g.Targets[2] == nil || g.Targets[3] != nil {
		t.Errorf("edges %q, want %q, targets %v", got, want, g.Targets)
	}
}

// TestLinksFaults: what was acknowledged before a fault is in the graph that is
// there after it.
func TestLinksFaults(t *testing.T) {
	t.Parallel()
	for n := 1; ; n++ {
		dir := t.TempDir()
		f := faultfs.PowerCut(dir, n)
		acked := 0
		if l, err := sink.OpenLinksHooked(dir, f.Hook); err == nil {
			for k := range 4 {
				if l.Put(t.Context(), fresh(page(fmt.Sprint("http://a.test/", k), fmt.Sprint("http://a.test/", k+1)))) == nil {
					acked = k + 1
				}
			}
			l.Close()
		}
		if err := f.Lose(); err != nil {
			t.Fatal(err)
		}
		l, err := sink.OpenLinks(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(l.Put(t.Context(), fresh(page("http://b.test/", "http://a.test/0"))), l.Close()); err != nil {
			t.Fatal(err)
		}
		g, err := sink.ReadLinks(dir)
		if err != nil {
			t.Fatal(err)
		}
		edges := 0
		for from, to := range g.Edges() {
			if g.Names[from] == "http://b.test/" && g.Names[to] == "http://a.test/0" || strings.HasPrefix(g.Names[from], "http://a.test/") {
				edges++
			}
		}
		if edges < acked+1 {
			t.Errorf("operation %d: %d edges, %d were acknowledged", n, edges, acked+1)
		}
		if !f.Fired() {
			return
		}
	}
}

// FuzzLinks: whatever a record holds is links or an error.
func FuzzLinks(f *testing.F) {
	f.Add([]byte("N\x00\x00\x01a\x00\x01b"), []byte("L\x00\x01"))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		if len(first) == 0 || len(second) == 0 {
			return
		}
		dir := t.TempDir()
		d, err := durable.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		log, err := durable.OpenLog(d, "links.log", func([]byte) error { return nil })
		if err == nil {
			err = errors.Join(log.Append(first, second), log.Close(), d.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		g, err := sink.ReadLinks(dir)
		if err != nil {
			if !errors.Is(err, durable.ErrCorrupt) {
				t.Error(err)
			}
			return
		}
		for from, to := range g.Edges() {
			if int(max(from, to)) >= len(g.Names) {
				t.Errorf("edge %d %d of %d nodes", from, to, len(g.Names))
			}
		}
	})
}
