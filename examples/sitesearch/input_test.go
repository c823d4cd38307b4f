package main

import (
	"bytes"
	"context"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/webquarry/quarry/frontier"
	"github.com/webquarry/quarry/index"
)

const testAgent = "test/1.0 (+http://test.example)"

// crawlInto crawls a small site into a folder.
func crawlInto(t *testing.T, dir string) {
	t.Helper()
	srv := httptest.NewServer(&countedSite{pages: 30})
	defer srv.Close()
	var out, log bytes.Buffer
	args := []string{"-seed", srv.URL + "/0", "-dir", dir, "-delay", "0", "-allow-private", "-user-agent", testAgent, "-query", "number"}
	if code := run(t.Context(), args, &out, &log); code != 0 {
		t.Fatalf("exit status %d: %s", code, log.String())
	}
}

// Bad input ends in one clear line and an exit status: 2 for what the command
// line alone shows to be wrong, 1 for the rest.
func TestBadInput(t *testing.T) {
	t.Parallel()
	crawled, file := t.TempDir(), filepath.Join(t.TempDir(), "file")
	crawlInto(t, crawled)
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	silent := httptest.NewServer(nil)
	silent.Close() // nobody answers there
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { busy.Close() })
	missing := httptest.NewServer(&countedSite{})
	t.Cleanup(missing.Close)
	agent := []string{"-user-agent", testAgent}
	for _, test := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"unknown flag", []string{"-depht", "3"}, 2, "-depht"},
		{"value missing", []string{"-pages"}, 2, "-pages"},
		{"value of another kind", []string{"-pages", "many"}, 2, `invalid value "many"`},
		{"argument", []string{"http://a.test/"}, 2, "unexpected argument"},
		{"negative", []string{"-depth", "-1"}, 2, "negative"},
		{"no workers", []string{"-workers", "0"}, 2, "-workers"},
		{"other scheme", append([]string{"-seed", "ftp://a.test/"}, agent...), 2, "http or https"},
		{"no URL", append([]string{"-seed", "a.test"}, agent...), 2, "http or https"},
		{"bad URL", append([]string{"-seed", "http://[::1"}, agent...), 2, "http or https"},
		{"no host", append([]string{"-seed", "http:///x"}, agent...), 2, "http or https"},
		{"bad proxy", append([]string{"-seed", "http://a.test", "-proxy", "nowhere"}, agent...), 2, "-proxy"},
		{"proxy of another kind", append([]string{"-seed", "http://a.test", "-proxy", "ftp://a.test"}, agent...), 2, "-proxy"},
		{"bad address", []string{"-addr", "8080"}, 2, "-addr"},
		{"json without query", []string{"-json"}, 2, "-query"},
		{"resume without folder", []string{"-resume"}, 2, "-dir"},
		{"no contact", []string{"-seed", "http://a.test/", "-query", "x", "-user-agent", "bot"}, 2, "contact"},
		{"unreachable seed", append([]string{"-seed", silent.URL, "-query", "x", "-allow-private"}, agent...), 1, "cannot fetch " + silent.URL},
		{"unreachable seeds", append([]string{"-seed", silent.URL, "-seed", silent.URL + "/b", "-query", "x", "-allow-private"}, agent...), 1, "connection refused"},
		{"unknown host", append([]string{"-seed", "http://a.invalid/", "-query", "x"}, agent...), 1, "a.invalid"},
		{"private address", append([]string{"-seed", missing.URL, "-query", "x"}, agent...), 1, "-allow-private"},
		{"dead seed", append([]string{"-seed", missing.URL + "/0", "-query", "x", "-allow-private"}, agent...), 1, "404"},
		{"no index", []string{"-dir", filepath.Join(t.TempDir(), "none"), "-query", "x"}, 1, "holds no index"},
		{"nothing to resume", []string{"-dir", filepath.Join(t.TempDir(), "none"), "-resume"}, 1, "no crawl to go on with"},
		{"a file for a folder", []string{"-dir", file, "-query", "x"}, 1, "not a directory"},
		{"monitor's in use", []string{"-query", "x", "-monitor", busy.Addr().String()}, 1, "-monitor"},
		{"address in use", []string{"-dir", crawled, "-addr", busy.Addr().String()}, 1, "address already in use"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var out, log bytes.Buffer
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			code := run(ctx, test.args, &out, &log)
			line := log.String()
			if code != test.code || !strings.Contains(line, test.want) || out.Len() > 0 {
				t.Errorf("exit status %d, want %d with %q: %q %q", code, test.code, test.want, line, out.String())
			}
			if strings.Count(line, "\n") != 1 || !strings.HasPrefix(line, "sitesearch: ") || len(line) > 300 {
				t.Errorf("want one clear line: %q", line)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	var out, log bytes.Buffer
	if code := run(t.Context(), []string{"-help"}, &out, &log); code != 0 || log.Len() > 0 {
		t.Errorf("exit status %d: %s", code, log.String())
	}
	for _, flag := range []string{"seed", "dir", "pages", "depth", "workers", "delay", "proxy", "allow-private", "sitemaps", "user-agent", "addr", "query", "json", "resume"} {
		if !regexp.MustCompile(`(?m)^  -` + flag + `\b`).MatchString(out.String()) {
			t.Errorf("help does not tell of -%s", flag)
		}
	}
}

// A folder in use is refused at once, with the name of who uses it; asking it
// is no use in that sense.
func TestLockedFolder(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"frontier", "index"} {
		dir := t.TempDir()
		crawlInto(t, dir)
		if what == "frontier" {
			f, err := frontier.Open(filepath.Join(dir, "frontier"), frontier.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
		} else {
			ix, err := index.Open(filepath.Join(dir, "index"), index.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer ix.Close()
			w, err := ix.Writer()
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
		}
		var out, log bytes.Buffer
		code := run(t.Context(), []string{"-dir", dir, "-resume", "-query", "number"}, &out, &log)
		if code != 1 || !strings.Contains(log.String(), "locked") || !strings.Contains(log.String(), "pid ") || strings.Count(log.String(), "\n") != 1 {
			t.Errorf("%s in use: exit status %d: %q", what, code, log.String())
		}
		log.Reset()
		if code := run(t.Context(), []string{"-dir", dir, "-query", "number"}, &out, &log); code != 0 || !strings.Contains(out.String(), "30 pages") {
			t.Errorf("%s in use: a query gives exit status %d: %s%s", what, code, log.String(), out.String())
		}
	}
}

// Damage anywhere in a file is reported in one line, or does not touch the
// answer.
func TestDamagedFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	crawlInto(t, dir)
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	reported := map[string]bool{}
	for _, name := range append(files, filepath.Join(dir, "crawl.json")) {
		if strings.HasPrefix(name, filepath.Join(dir, "robots")) {
			continue // a store, which a query does not read
		}
		sound, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for at := 0; at < len(sound); at += 1 + len(sound)/10 {
			bad := bytes.Clone(sound)
			bad[at] ^= 0x55
			if err := os.WriteFile(name, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			var out, log bytes.Buffer
			code := run(t.Context(), []string{"-dir", dir, "-query", "number n7"}, &out, &log)
			switch {
			case code == 0 && !strings.Contains(out.String(), "30 pages, 1 with all of the words, in"):
				t.Errorf("%s damaged at %d: %q", name, at, out.String())
			case code == 1 && strings.Count(log.String(), "\n") == 1 && strings.Contains(log.String(), filepath.Base(name)):
				reported[filepath.Base(filepath.Dir(name))] = true
			case code != 0:
				t.Errorf("%s damaged at %d: exit status %d: %q", name, at, code, log.String())
			}
		}
		if err := os.WriteFile(name, sound, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if !reported["index"] {
		t.Error("no damage to the index was noticed")
	}
}

// An index without pages gives no hits, and says why.
func TestEmptyIndex(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ix, err := index.Open(filepath.Join(dir, "index"), index.Options{Schema: schema()})
	if err != nil {
		t.Fatal(err)
	}
	if err := ix.Close(); err != nil {
		t.Fatal(err)
	}
	var out, log bytes.Buffer
	if code := run(t.Context(), []string{"-dir", dir, "-query", "anything"}, &out, &log); code != 0 || !strings.Contains(out.String(), "The index is empty.") {
		t.Errorf("exit status %d: %q %q", code, out.String(), log.String())
	}
}
