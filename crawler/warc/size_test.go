package warc_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/crawlertest"
	"github.com/webquarry/quarry/crawler/warc"
	"github.com/webquarry/quarry/frontier"
)

// TestSizeEndsACrawl: a crawl whose Sink is an archive ends when that is as large as
// the budget allows.
func TestSizeEndsACrawl(t *testing.T) {
	t.Parallel()
	whole, part := sizeOfCrawl(t, 0), sizeOfCrawl(t, 1)
	if part <= 0 || part >= whole {
		t.Errorf("%d bytes with a limit of one, %d without", part, whole)
	}
}

// sizeOfCrawl crawls three pages and returns what Size says, which is the size of
// the records on the disk.
func sizeOfCrawl(t *testing.T, limit int64) int64 {
	t.Helper()
	dir := t.TempDir()
	w, err := warc.OpenWriter(dir, warc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	web, err := crawlertest.Parse("-- http://a.test/ --\n<a href=/1>1</a> <a href=/2>2</a>\n-- http://a.test/1 --\none\n-- http://a.test/2 --\ntwo\n")
	if err != nil {
		t.Fatal(err)
	}
	f := frontier.New(frontier.Options{Limits: frontier.Limits{Delay: -1, Factor: -1}})
	defer f.Close()
	c := crawler.Crawler{Frontier: f, UserAgent: testAgent, Sink: w, Workers: 1, Budget: crawler.Budget{Output: limit},
		Fetcher: &crawler.HTTP{UserAgent: testAgent, Transport: web}, IgnoreRobots: true}
	if err := c.Run(t.Context(), "http://a.test/"); err != nil {
		t.Fatal(err)
	}
	size := w.Size()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.warc.gz"))
	if err != nil || len(names) != 1 {
		t.Fatalf("%v %v", names, err)
	}
	st, err := os.Stat(names[0])
	if err != nil || size >= st.Size() || size < st.Size()-1000 { // the file begins with a record about itself
		t.Errorf("size %d, the file has %d (%v)", size, st.Size(), err)
	}
	return size
}
