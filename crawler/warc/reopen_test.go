package warc_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/warc"
	"github.com/webquarry/quarry/frontier"
	"github.com/webquarry/quarry/internal/durable"
)

// TestOpeningIsFlat: a Writer that is opened for the hundredth time does as much with files, and
// reads as many bytes, as for the tenth, and still knows the payloads of the first; what is
// in a file that is gone is written once more.
func TestOpeningIsFlat(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	web := tripFunc(func(r *http.Request) (*http.Response, error) {
		body := "<title>Page</title>" + r.URL.Path
		return &http.Response{StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {"text/html"}},
			Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body))}, nil
	})
	type effort struct {
		ops  int64
		size int64
	}
	session := func(urls ...string) (open effort) {
		var ops atomic.Int64
		w, err := warc.OpenHooked(dir, warc.Options{NoSync: true}, func(durable.Op) error { ops.Add(1); return nil })
		if err != nil {
			t.Fatal(err)
		}
		open.ops = ops.Load()
		if st, err := os.Stat(filepath.Join(dir, "warc.seen")); err == nil {
			open.size = st.Size()
		}
		f := w.Capture(&crawler.HTTP{UserAgent: testAgent, Transport: web})
		for _, url := range urls {
			if _, err := f.Fetch(t.Context(), frontier.Request{URL: url}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return open
	}
	kinds := func(url string) (all string) {
		a, err := warc.OpenArchive(dir)
		if err != nil {
			t.Fatal(err)
		}
		for rec, err := range a.Records() {
			if err != nil {
				t.Fatal(err)
			}
			if rec.URL == url && (rec.Type == warc.Response || rec.Type == warc.Revisit) {
				all += " " + rec.Type
			}
		}
		return all
	}
	const same = 20
	var urls []string
	for n := range same {
		urls = append(urls, fmt.Sprintf("http://a.test/%d", n))
	}
	var all []effort
	for range 100 {
		all = append(all, session(urls...))
	}
	if early, late := all[10], all[99]; late.ops > early.ops || late.size > early.size+early.size/4 || late.size == 0 {
		t.Errorf("the tenth opening was %+v, the hundredth %+v", early, late)
	}
	if got, want := kinds(urls[0]), " response"+strings.Repeat(" revisit", 99); got != want {
		t.Errorf("records%s", got)
	}

	// Without the file, and with a damaged one, the indexes are read.
	seen := filepath.Join(dir, "warc.seen")
	if err := os.WriteFile(seen, []byte("not what it was"), 0o644); err != nil {
		t.Fatal(err)
	}
	session(urls[0])
	if err := os.Remove(seen); err != nil {
		t.Fatal(err)
	}
	session(urls[0])
	if got := kinds(urls[0]); strings.Count(got, "response") != 1 {
		t.Errorf("records%s", got)
	}

	// Nothing refers to what is gone.
	gone := files(t, dir, "*.warc.gz")
	for _, name := range gone[:2] {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	session(urls[1], urls[1])
	if got := kinds(urls[1]); !strings.HasSuffix(got, " response revisit") {
		t.Errorf("records%s", got)
	}
}
