package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/webquarry/quarry/crawler/crawlertest"
	"github.com/webquarry/quarry/crawler/job"
	"github.com/webquarry/quarry/frontier"
	"github.com/webquarry/quarry/index"
)

const spec = `
name: site
seeds: http://a.test/
user-agent: acme/1.0 (+https://acme.example/bot)
pace: {delay: 0s}
budget: {pages: 20}
output: {pages: pages.jsonl, warc: archive}
`

// made is a job that met its budget, so that some of its frontier waits, with an archive and an index.
func made(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	fmt.Fprint(&text, "-- http://a.test/ --\n<title>Home</title>")
	for i := range 40 {
		fmt.Fprintf(&text, "<a href=/p/%d>%d</a> ", i, i)
	}
	for i := range 40 {
		fmt.Fprintf(&text, "\n\n-- http://a.test/p/%d --\n<title>Page %d</title><p>The text of page %d, which is about kettles.", i, i, i)
	}
	web, err := crawlertest.Parse(text.String() + "\n")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "site")
	if err := job.Create(dir, []byte(spec)); err != nil {
		t.Fatal(err)
	}
	j, err := job.Open(dir, job.Options{Transport: web})
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	ix, err := index.Open(filepath.Join(dir, "console", "index"), index.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	for i := range 200 {
		doc := index.Document{Key: fmt.Sprintf("http://a.test/p/%d", i), Fields: []index.Field{{Name: "title", Value: fmt.Sprintf("Page %d", i)}, {Name: "body", Value: strings.Repeat(fmt.Sprintf("kettle%d is a kettle. ", i), 20)}}}
		if err := w.Add(t.Context(), doc); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := ix.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func try(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, bad bytes.Buffer
	code = run(t.Context(), args, &out, &bad)
	return code, out.String(), bad.String()
}

// TestSound: what is sound is looked into, and changed where that was asked for.
func TestSound(t *testing.T) {
	t.Parallel()
	dir := made(t)
	front, ix, archive, to := filepath.Join(dir, "frontier"), filepath.Join(dir, "console", "index"), filepath.Join(dir, "archive"), t.TempDir()
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{dir}, 0, "20 new"},
		{[]string{dir, "check"}, 0, "requests that wait can be read"},
		{[]string{front}, 0, "41 URLs, 41 wait (21 due)"},
		{[]string{front, "hosts"}, 0, "http://a.test\t"},
		{[]string{dir, "urls", "http://a.test/"}, 0, "http://a.test/p/39\tdepth 1"},
		{[]string{dir, "why", "http://a.test/p/39"}, 0, "http://a.test/p/39: queued"},
		{[]string{dir, "why", "http://a.test/none"}, 0, "never added"},
		{[]string{dir, "requeue", "http://a.test/none"}, 0, "by the next run"},
		{[]string{dir, "why", "http://a.test/none"}, 0, "none: queued"},
		{[]string{ix}, 0, "200 documents"},
		{[]string{ix, "terms", "body", "kettle19"}, 0, "kettle199\t1"},
		{[]string{ix, "terms", "colour"}, 1, `no field "colour"`},
		{[]string{ix, "document", "http://a.test/p/7"}, 0, "title\tPage 7"},
		{[]string{ix, "document", "none"}, 1, "there is no document"},
		{[]string{ix, "backup", filepath.Join(to, "ix")}, 0, "200 documents of commit"},
		{[]string{filepath.Join(to, "ix")}, 0, "every byte is as it was written"},
		{[]string{archive}, 0, "response"},
		{[]string{archive, "list"}, 0, "http://a.test/p/3\t"},
		{[]string{archive, "body", "http://a.test/p/3"}, 0, "The text of page 3"},
		{[]string{archive, "body", "http://a.test/none"}, 1, "http://a.test/none"},
		{[]string{dir, "backup", filepath.Join(to, "job")}, 0, "backed up"},
		{[]string{filepath.Join(to, "job")}, 0, "20 new"},
		{[]string{dir, "drop", "http://a.test/"}, 0, "are dropped"},
		{[]string{dir, "hosts"}, 0, "dropped"},
		{[]string{dir, "resume", "http://a.test/"}, 0, "visited again"},
		{nil, 2, "want the path"},
		{[]string{dir, "dance"}, 2, `not "dance"`},
		{[]string{ix, "hosts"}, 2, "this is an index"},
		{[]string{ix, "terms"}, 2, "want 1 arguments"},
		{[]string{to + "/nowhere"}, 1, "no such file"},
		{[]string{t.TempDir()}, 1, "there is no job, frontier, index or archive"},
	} {
		code, out, bad := try(t, c.args...)
		if code != c.code || !strings.Contains(out+bad, c.want) {
			t.Errorf("%q: %d, no %q in\n%s%s", c.args, code, c.want, out, bad)
		}
	}
}

// TestLocked: what another program has open is told, with how it stands.
func TestLocked(t *testing.T) {
	t.Parallel()
	dir := made(t)
	j, err := job.Open(dir, job.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	f, err := frontier.Open(filepath.Join(dir, "frontier"), frontier.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if code, _, bad := try(t, dir, "backup", filepath.Join(t.TempDir(), "copy")); code != 1 || !strings.Contains(bad, "crawl -job FILE -backup DIR") {
		t.Errorf("%d %s", code, bad)
	}
	if code, _, bad := try(t, dir, "hosts"); code != 1 || !strings.Contains(bad, "it held 41 URLs") {
		t.Errorf("%d %s", code, bad)
	}
}

// TestDamaged: each file of each kind is cut short, changed in its middle, or gone: there is a message, with
// the name of the file where it is damaged, and never a panic. What can be saved of an index is.
func TestDamaged(t *testing.T) {
	t.Parallel()
	sound := made(t)
	damages := map[string]func(b []byte) []byte{
		"cut": func(b []byte) []byte { return b[:len(b)/2] },
		"changed": func(b []byte) []byte { // more than the six bytes of a header of gzip that nothing is said by
			for i := len(b) / 2; i < min(len(b), len(b)/2+8); i++ {
				b[i] ^= 0x55
			}
			return b
		},
		"empty":  func([]byte) []byte { return nil },
		"random": func(b []byte) []byte { return bytes.Repeat([]byte{0xa5, 0x00, 0x17}, len(b)/3+1) },
	}
	told := map[string]int{}
	for _, part := range []string{"frontier", "console/index", "archive", "job.yaml", "runs.json"} {
		err := filepath.WalkDir(filepath.Join(sound, part), func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || strings.HasSuffix(name, "lock") {
				return err
			}
			for what, damage := range damages {
				dir := filepath.Join(t.TempDir(), "copy")
				if err := os.CopyFS(dir, os.DirFS(sound)); err != nil {
					return err
				}
				rel, err := filepath.Rel(sound, name)
				if err != nil {
					return err
				}
				b, err := os.ReadFile(name)
				if err != nil {
					return err
				}
				if len(b) == 0 {
					continue
				}
				if err := os.WriteFile(filepath.Join(dir, rel), damage(b), 0o644); err != nil {
					return err
				}
				code, out, bad := try(t, dir)
				switch {
				case code == 2 || code == 1 && bad == "":
					t.Errorf("%s %s: %d %s", rel, what, code, bad)
				case code == 1:
					told[part]++
					if !strings.Contains(bad, filepath.Base(name)) {
						t.Errorf("%s %s: the message names another file: %s", rel, what, bad)
					}
				case part == "console/index", strings.HasSuffix(name, ".warc.gz") && what != "cut" && what != "empty": // half a spec, or archive, may be one
					t.Errorf("%s %s: nothing was noticed:\n%s", rel, what, out)
				}
				if part == "console/index" && code == 1 {
					saved := filepath.Join(t.TempDir(), "saved")
					if code, out, bad := try(t, filepath.Join(dir, part), "salvage", saved); code != 0 {
						if !strings.Contains(bad, "index") {
							t.Errorf("%s %s: salvage: %s%s", rel, what, out, bad)
						}
					} else if code, out, bad := try(t, saved); code != 0 {
						t.Errorf("%s %s: what was saved is not sound: %s%s", rel, what, out, bad)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if told[part] == 0 {
			t.Errorf("of %s no damage was told", part)
		}
	}
	t.Logf("messages by kind: %v", told)
}
