package warc_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/warc"
)

// TestIndexLeadsNowhereElse: an index, which may come from anybody, names files
// below its folder only, and none that is no file.
func TestIndexLeadsNowhereElse(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	dir := filepath.Join(base, "index")
	if err := os.MkdirAll(filepath.Join(dir, "sub", "folder.warc"), 0o755); err != nil {
		t.Fatal(err)
	}
	const record = "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\nWARC-Date: 2026-01-01T00:00:00Z\r\nContent-Type: application/http\r\nContent-Length: 38\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
	for _, name := range []string{filepath.Join(base, "elsewhere.warc"), filepath.Join(dir, "here.warc"), filepath.Join(dir, "sub", "below.warc")} {
		if err := os.WriteFile(name, []byte(record), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	device := os.Symlink("/dev/zero", filepath.Join(dir, "zero.warc")) == nil // an operator's, who may
	for name, want := range map[string]bool{
		"here.warc": true, "sub/below.warc": true, "sub/../here.warc": true, "./here.warc": true,
		"../elsewhere.warc": false, "sub/../../elsewhere.warc": false, filepath.ToSlash(filepath.Join(base, "elsewhere.warc")): false, "../index/here.warc": false,
		"/dev/zero": false, strings.Repeat("../", 20) + "dev/zero": false, "sub/folder.warc": false, "": false, ".": false, "..": false, "zero.warc": false, "missing.warc": false,
	} {
		if name == "zero.warc" && !device {
			continue
		}
		index := filepath.Join(dir, "i.cdxj")
		line := fmt.Sprintf("example,a)/ 20260101000000 {\"url\":\"http://a.example/\",\"offset\":\"0\",\"filename\":%q}\n", name)
		if err := os.WriteFile(index, []byte(line), 0o644); err != nil {
			t.Fatal(err)
		}
		a, err := warc.OpenArchive(index)
		if err != nil {
			t.Fatal(err)
		}
		loaded := make(chan error, 1)
		go func() {
			found, err := a.Find("http://a.example/")
			if err == nil && len(found) != 1 {
				err = fmt.Errorf("%d found", len(found))
			}
			if err == nil {
				rec, done, lerr := a.Load(found[0])
				if err = lerr; err == nil && rec.URL != "http://a.example/" {
					err = errors.New("another record")
				}
				if done != nil {
					done.Close()
				}
			}
			loaded <- err
		}()
		select {
		case err := <-loaded:
			if (err == nil) != want {
				t.Errorf("%q: %v", name, err)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("%q: still reading", name)
		}
	}
}

// TestHeaderBytes: fields of a header are stored as they came, byte by byte but for
// line ends, and played back so.
func TestHeaderBytes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, err := warc.OpenWriter(dir, warc.Options{Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	for b := 1; b < 256; b++ {
		if b != '\r' && b != '\n' && b != ' ' && b != '\t' {
			all = append(all, byte(b))
		}
	}
	values := []string{"/caf\xe9", "caf\xc3\xa9", "\xff\xfe\x80", string(all), "a\xe2\x82", "\xef\xbf\xbd"}
	header := http.Header{"Location": {values[0]}, "X-All": values}
	page := &crawler.Page{Response: &crawler.Response{URL: "http://a.test/", Status: 302, Header: header, Body: []byte("b"), Fetched: time.Now()}}
	if err := w.Put(t.Context(), fresh(page)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	a, err := warc.OpenArchive(dir)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for rec, err := range a.Records() {
		if err != nil {
			t.Fatal(err)
		}
		if rec.Type != warc.Response {
			continue
		}
		resp, err := rec.HTTP()
		if err != nil {
			t.Fatal(err)
		}
		found = true
		if got := resp.Header.Get("Location"); got != values[0] {
			t.Errorf("Location %q, want %q", got, values[0])
		}
		for i, want := range values {
			if got := resp.Header["X-All"][i]; got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
	}
	if !found {
		t.Error("no response")
	}
	raw, err := os.ReadFile(files(t, dir, "*.warc")[0])
	if err != nil || !strings.Contains(string(raw), "Location: /caf\xe9\r\n") {
		t.Errorf("%v: not as it came", err)
	}
}
