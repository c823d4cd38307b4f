package warc_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/webquarry/quarry/crawler/warc"
)

var update = flag.Bool("update", false, "write testdata/foreign/expected.txt anew")

// TestForeign reads archives of other makes, or refuses them with a typed error.
// More of them are taken from the folder that QUARRY_WARCS names; of those no
// figures are expected, but no error of any other kind either.
func TestForeign(t *testing.T) {
	t.Parallel()
	const root = "testdata/foreign"
	lines, sum := readAll(t, root)
	if *update {
		if err := os.WriteFile(root+"/expected.txt", []byte(lines), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(root + "/expected.txt")
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	expected := map[string]bool{}
	for line := range strings.Lines(string(want)) {
		expected[line] = true
	}
	for line := range strings.Lines(lines) {
		if !expected[line] {
			failed++
			t.Errorf("not expected: %s", line)
		}
	}
	t.Logf("%d foreign archives: %d as expected, %d not; %s", sum.files, sum.files-failed, failed, sum)
	if more := os.Getenv("QUARRY_WARCS"); more != "" {
		_, sum := readAll(t, more)
		t.Logf("%s: %s", more, sum)
	}
}

// outcome counts what came of archives.
type outcome struct{ files, whole, damaged, refused, records, answers int }

func (o outcome) String() string {
	return fmt.Sprintf("%d read whole, %d as far as they are whole, %d refused; %d records, %d answers", o.whole, o.damaged, o.refused, o.records, o.answers)
}

func readAll(t *testing.T, root string) (lines string, sum outcome) {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "LICENSE" || filepath.Dir(path) == root {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s: %s\n", filepath.ToSlash(name), readOne(t, path, &sum))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), sum
}

// readOne reads a file twice: the answers as answers, and all digests.
func readOne(t *testing.T, path string, sum *outcome) string {
	t.Helper()
	r, err := warc.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	records, answers := 0, 0
	var trouble []string
	note := func(err error) {
		we, ok := errors.AsType[*warc.Error](err)
		if !ok || !errors.Is(err, warc.ErrCorrupt) || we.File != path {
			t.Errorf("%s: error %v is of no kind", path, err)
			return
		}
		trouble = append(trouble, fmt.Sprintf("%d %v", we.Offset, we.Err))
	}
	for rec, err := range r.Records() {
		if err != nil {
			note(err)
			continue
		}
		records++
		if rec.Type != warc.Response && rec.Type != warc.Conversion && rec.Type != warc.Resource {
			continue
		}
		resp, err := rec.HTTP()
		if err == nil {
			_, err = io.Copy(io.Discard, resp.Body)
		}
		if err == nil {
			answers++
		} else if !errors.Is(err, warc.ErrCorrupt) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: %s: %v", path, rec.URL, err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	again := 0
	for rec, err := range warc.NewReader(bytes.NewReader(text), path).Records() {
		if err == nil {
			again++
			err = rec.Verify()
		}
		if errors.Is(err, warc.ErrDigest) {
			wrong++
		}
	}
	if again != records {
		t.Errorf("%s: %d records, then %d", path, records, again)
	}
	sum.files, sum.records, sum.answers = sum.files+1, sum.records+records, sum.answers+answers
	switch {
	case len(trouble) == 0:
		sum.whole++
	case records > 0:
		sum.damaged++
	default:
		sum.refused++
	}
	return fmt.Sprintf("%d records, %d answers, %d wrong digests, trouble %q", records, answers, wrong, trouble)
}

// TestPipe reads without going back, as from a pipe.
func TestPipe(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{"warcio/example.warc.gz": 6, "warcio/example.arc": 2, "ia-gowarc/corrupted-mid-record.warc.gz.open": 12, "commoncrawl-whirlwind/whirlwind.warc.wet": 2} {
		f, err := os.Open("testdata/foreign/" + name)
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for rec := range warc.NewReader(struct{ io.Reader }{f}, name).Records() {
			if rec != nil {
				got++
			}
		}
		f.Close()
		if got != want {
			t.Errorf("%s: %d records, want %d", name, got, want)
		}
	}
}

// FuzzReader: any bytes are records and typed errors, at places that only go
// forward, and the same when they come through a pipe where nothing is damaged.
func FuzzReader(f *testing.F) {
	for _, name := range []string{"warcio/example.warc.gz", "warcio/example.arc", "warcio/bad.arc", "jwarc/gzip_extra_sl.warc.gz",
		"warcio/example-trunc.warc", "warcio/example-wrong-chunks.warc.gz", "ia-gowarc/corrupted-mid-record.warc.gz.open"} {
		text, err := os.ReadFile("testdata/foreign/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("WARC/1.0\r\nContent-Length: 3\r\n\r\nabcd\r\n\r\nWARC/1.0\r\nContent-Length: 99\r\n\r\nWARC/1.0\r\nContent-Length: 0\r\n\r\n"))
	f.Add([]byte("\x28\xb5\x2f\xfd"))
	f.Add([]byte("\x28\xb5\x2f\xfd\x00\x58\x41\x00\x00WARC/1.0\x50\x2a\x4d\x18\x01\x00\x00\x00x"))
	f.Fuzz(func(t *testing.T, text []byte) {
		damaged, n := false, 0
		for rec, err := range warc.NewReader(bytes.NewReader(text), "x").Records() {
			if err != nil {
				damaged = true
				if we, ok := errors.AsType[*warc.Error](err); !ok || we.Offset > int64(len(text)) {
					t.Fatal(err)
				}
				continue
			}
			n++
			if resp, err := rec.HTTP(); err == nil {
				io.Copy(io.Discard, resp.Body)
			}
		}
		again := 0
		for rec, err := range warc.NewReader(struct{ io.Reader }{bytes.NewReader(text)}, "x").Records() {
			if err == nil {
				again++
				rec.Verify()
			}
		}
		if !damaged && again != n {
			t.Errorf("%d records, and %d from a pipe", n, again)
		}
	})
}

// An archive that is cut anywhere is read to its end, and has one error at most for the cut.
func TestReadCutArchive(t *testing.T) {
	t.Parallel()
	record := "WARC/1.0\r\nWARC-Type: metadata\r\nWARC-Record-ID: <urn:a>\r\nContent-Length: 5\r\n\r\nhello\r\n\r\n"
	var gz bytes.Buffer
	z := gzip.NewWriter(&gz)
	z.Write([]byte(record))
	z.Close()
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	whole := map[string]string{
		"plain": record, "gzip": gz.String(), "zstd": string(enc.EncodeAll([]byte(record), nil)),
		"skippable": "\x50\x2a\x4d\x18\x03\x00\x00\x00abc" + string(enc.EncodeAll([]byte(record), nil)),
	}
	for name, text := range whole {
		for _, before := range []string{"", text} {
			for n := range text {
				cut := before + text[:n]
				for _, r := range []io.Reader{strings.NewReader(cut), struct{ io.Reader }{strings.NewReader(cut)}} {
					records, faults := 0, 0
					for _, err := range warc.NewReader(r, "x").Records() {
						if records++; err != nil {
							records--
							faults++
						}
						if records+faults > 5 {
							t.Fatalf("%s cut at %d: no end", name, len(cut))
						}
					}
					if faults > 1 || before != "" && records == 0 {
						t.Errorf("%s cut at %d: %d records, %d errors", name, len(cut), records, faults)
					}
				}
			}
		}
	}
}

// FuzzEntry: a line of an index is an entry that is written back the same, or
// refused.
func FuzzEntry(f *testing.F) {
	f.Add(`com,example)/ 20240102030405 {"url": "http://example.com/", "status": "200", "digest": "X", "length": 12, "offset": "345", "filename": "a.warc.gz"}`)
	f.Fuzz(func(t *testing.T, line string) {
		e, err := warc.ParseEntry(line)
		if err != nil {
			return
		}
		again, err := warc.ParseEntry(e.String())
		if err != nil || again.Offset != e.Offset || again.Length != e.Length || again.Key != e.Key {
			t.Errorf("%q: %+v, %+v, %v", line, e, again, err)
		}
	})
}
