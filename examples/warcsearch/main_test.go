package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/crawlertest"
	"github.com/webquarry/quarry/crawler/sink"
	"github.com/webquarry/quarry/crawler/warc"
	"github.com/webquarry/quarry/frontier"
	"github.com/webquarry/quarry/index"
)

var update = flag.Bool("update", false, "crawl testdata/stars.txt into testdata/stars.warc.gz")

// crawl crawls the web of testdata into an index and an archive at once.
func crawl(t *testing.T, ix *index.Index, dir string) {
	t.Helper()
	text, err := os.ReadFile("testdata/stars.txt")
	if err != nil {
		t.Fatal(err)
	}
	web, err := crawlertest.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	archive, err := warc.OpenWriter(dir, warc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	pages := sink.Into(w.Add, w.Delete, w.Commit, func(p *crawler.Page) (index.Document, bool) { return document(p), true })
	const agent = "warcsearch/1.0 (+https://bot.example/)"
	c := crawler.Crawler{UserAgent: agent, Fetcher: archive.Capture(&crawler.HTTP{UserAgent: agent, Transport: web}), Sink: pages, Workers: 1,
		Frontier: frontier.New(frontier.Options{Limits: frontier.Limits{Delay: -1, PerHost: -1, PerDomain: -1}})}
	if err := c.Run(t.Context(), "http://stars.test/"); err != nil {
		t.Fatal(err)
	}
	pages.Close()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
}

func newIndex(t *testing.T) *index.Index {
	t.Helper()
	ix, err := openIndex("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ix.Close() })
	return ix
}

// TestSameIndex: indexing from the archive gives what indexing while crawling
// gave, documents and answers.
func TestSameIndex(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	crawled, reread := newIndex(t), newIndex(t)
	crawl(t, crawled, dir)
	archive, err := warc.OpenArchive(dir)
	if err != nil {
		t.Fatal(err)
	}
	var n count
	if err := fill(t.Context(), reread, archive, &n); err != nil || n.damaged.Load() != 0 {
		t.Fatalf("%v, %d damaged", err, n.damaged.Load())
	}
	if *update {
		names, _ := filepath.Glob(filepath.Join(dir, "*.warc.gz"))
		text, err := os.ReadFile(names[0])
		if err == nil {
			err = os.WriteFile("testdata/stars.warc.gz", text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, url := range []string{"", "polaris", "sirius", "print/sirius", "vega", "twin", "old", "hidden", "lost", "robots.txt"} {
		a, b := stored(t, crawled, "http://stars.test/"+url), stored(t, reread, "http://stars.test/"+url)
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: crawled %v, from the archive %v", url, a, b)
		}
	}
	for _, q := range []string{"star", "pole star", "sirius", "winter", "nobody", "host:stars.test", `"northern sky"`} {
		a, errA := search(t.Context(), crawled, q, 10)
		b, errB := search(t.Context(), reread, q, 10)
		if errA != nil || errB != nil || !reflect.DeepEqual(a, b) {
			t.Errorf("%q: crawled %+v, from the archive %+v, %v, %v", q, a, b, errA, errB)
		}
		if a.Docs != 5 {
			t.Errorf("%d documents, want 5", a.Docs)
		}
	}
}

func stored(t *testing.T, ix *index.Index, key string) any {
	t.Helper()
	snap, err := ix.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	doc, found, err := snap.Document(key)
	if err != nil {
		t.Fatal(err)
	}
	if !found {
		return nil
	}
	return doc
}

func try(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, log bytes.Buffer
	code = run(context.WithoutCancel(t.Context()), args, &out, &log)
	return code, out.String(), log.String()
}

func TestRun(t *testing.T) {
	t.Parallel()
	code, out, log := try(t, "-query", "pole star", "-json")
	var a answer
	if err := json.Unmarshal([]byte(out), &a); err != nil || code != 0 || a.Docs != 5 || a.Total != 5 || a.Hits[0].Title != "Polaris, the pole star" || a.Hits[2].Title != "Vega" {
		t.Errorf("exit %d, %q, %q, %v", code, out, log, err)
	}
	if !strings.HasSuffix(log, "warcsearch: 5 pages of 10 answers indexed, 0 places not readable\n") {
		t.Errorf("told %q", log)
	}
	if code, out, _ := try(t); code != 0 || !strings.HasPrefix(out, "5 of 5 pages for \"star\"\n") {
		t.Errorf("without arguments: exit %d, %q", code, out)
	}
	dir := filepath.Join(t.TempDir(), "index[1")
	foreign := "../../crawler/warc/testdata/foreign/"
	if code, out, log := try(t, "-dir", dir, foreign+"warcio/*.arc", foreign+"commoncrawl-whirlwind/*.wet.gz", foreign+"warcio/example.warc.gz"); code != 0 || out != "" {
		t.Errorf("exit %d, %q, %q", code, out, log)
	}
	if code, out, _ := try(t, "-dir", dir, "-query", "example domain"); code != 0 || !strings.Contains(out, "http://example.com/") {
		t.Errorf("exit %d, %q", code, out)
	}
	junk := filepath.Join(t.TempDir(), "junk.warc.gz")
	if err := os.WriteFile(junk, []byte("no archive at all"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{junk}, {"-query", "star", "-json", junk, junk}} {
		code, out, log := try(t, args...)
		if code != 1 || out != "" || !strings.Contains(log, "0 pages of 0 answers") || !strings.HasSuffix(log, "warcsearch: nothing could be read\n") {
			t.Errorf("%q: exit %d, %q, %q", args, code, out, log)
		}
	}
	if code, out, log := try(t, "-query", "pole star", junk, "testdata/stars.warc.gz"); code != 0 || out == "" || !strings.Contains(log, "1 places not readable") {
		t.Errorf("one of two is none: exit %d, %q, %q", code, out, log)
	}
	none := t.TempDir()
	if code, out, log := try(t, "-dir", none, "-query", "star"); code != 1 || out != "" || !strings.Contains(log, "holds no index") {
		t.Errorf("a folder without index: exit %d, %q, %q", code, out, log)
	}
	if names, _ := os.ReadDir(none); len(names) > 0 {
		t.Errorf("it got %v", names)
	}
	for _, bad := range [][]string{{"-json"}, {"-hits", "0", "-query", "x"}, {"nothing*.warc"}, {"-what"}, {"-dir", dir}, {foreign + "warcio/example.warc.gz", "-query", "x"}} {
		if code, _, log := try(t, bad...); code != 2 || strings.Count(log, "\n") != 1 {
			t.Errorf("%q: exit %d, %q", bad, code, log)
		}
	}
}
