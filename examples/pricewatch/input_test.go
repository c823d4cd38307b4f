package main

import (
	"bytes"
	"context"
	"net"
	"net/http"
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

// shopFile writes a file of one shop, and returns its path.
func shopFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "shops.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func shopAt(url string) string {
	return "shops:\n  - name: Corner\n    seeds: [\"" + url + "\"]\n    currency: EUR\n"
}

// Bad input ends in one clear line and an exit status: 2 for what the command
// line alone shows to be wrong, 1 for the rest.
func TestBadInput(t *testing.T) {
	t.Parallel()
	silent := httptest.NewServer(nil)
	silent.Close() // nobody answers there
	empty := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("<title>Closed</title>")) }))
	t.Cleanup(empty.Close)
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { busy.Close() })
	file := shopFile(t, "")
	damaged := t.TempDir()
	if err := os.WriteFile(filepath.Join(damaged, "watch.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"unknown flag", []string{"-cheap"}, 2, "-cheap"},
		{"value missing", []string{"-max"}, 2, "-max"},
		{"value of another kind", []string{"-query", "x", "-max", "little"}, 2, `invalid value "little"`},
		{"argument", []string{"shops.yaml"}, 2, "unexpected argument"},
		{"negative price", []string{"-query", "x", "-min", "-1"}, 2, "negative"},
		{"no price", []string{"-query", "x", "-max", "NaN"}, 2, "-max"},
		{"unknown order", []string{"-query", "x", "-sort", "price"}, 2, "relevance, cheapest, drop"},
		{"unknown shop", []string{"-query", "x", "-chrome", "none", "-shop", "nosuch"}, 2, `-shop "nosuch": there is no such shop; there are `},
		{"filter without query", []string{"-max", "5"}, 2, "-query"},
		{"json without query", []string{"-json"}, 2, "-query"},
		{"serve and ask", []string{"-query", "x", "-addr", "127.0.0.1:0"}, 2, "-addr"},
		{"every without serving", []string{"-query", "x", "-every", "1h"}, 2, "-every"},
		{"no workers", []string{"-workers", "0"}, 2, "-workers"},
		{"negative time", []string{"-for", "-1s"}, 2, "negative"},
		{"bad address", []string{"-addr", "8080"}, 2, "-addr"},
		{"recrawl without folder", []string{"-recrawl"}, 2, "-dir"},
		{"no contact", []string{"-query", "x", "-chrome", "none", "-user-agent", "bot"}, 2, "contact"},
		{"no file", []string{"-query", "x", "-shops", filepath.Join(t.TempDir(), "none.yaml")}, 1, "none.yaml"},
		{"wrong YAML", []string{"-query", "x", "-shops", shopFile(t, "shops:\n  - nam: A\n")}, 1, `shops.yaml: line 2, column 5: unknown field "nam"`},
		{"a folder for a file", []string{"-query", "x", "-shops", t.TempDir()}, 1, "is a directory"},
		{"unreachable shop", []string{"-query", "x", "-allow-private", "-shops", shopFile(t, shopAt(silent.URL))}, 1, "nothing of Corner: cannot fetch " + silent.URL},
		{"private address", []string{"-query", "x", "-shops", shopFile(t, shopAt(silent.URL))}, 1, "-allow-private"},
		{"no products", []string{"-query", "x", "-allow-private", "-shops", shopFile(t, shopAt(empty.URL))}, 1, "no product was found on 1 page"},
		{"no browser", []string{"-query", "x", "-chrome", "none", "-shops", shopFile(t, shopAt(empty.URL)+"    chrome: [{urls: [/**], steps: [dismiss]}]\n")}, 1, "chromium-headless-shell"},
		{"no prices", []string{"-query", "x", "-dir", filepath.Join(t.TempDir(), "none")}, 1, "holds no prices"},
		{"nothing to compare with", []string{"-recrawl", "-dir", filepath.Join(t.TempDir(), "none")}, 1, "no prices to compare with"},
		{"a file for a folder", []string{"-dir", file}, 1, "not a directory"},
		{"damaged folder", []string{"-dir", damaged}, 1, "watch.json"},
		{"address in use", []string{"-chrome", "none", "-addr", busy.Addr().String()}, 1, "address already in use"},
		{"monitor's in use", []string{"-query", "x", "-chrome", "none", "-monitor", busy.Addr().String()}, 1, "-monitor"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var out, log bytes.Buffer
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			code := run(ctx, test.args, &out, &log)
			line := log.String()
			if i := strings.Index(line, "pricewatch: "); i > 0 && strings.HasPrefix(line, "Left out") {
				line = line[i:]
			}
			if code != test.code || !strings.Contains(line, test.want) || out.Len() > 0 {
				t.Errorf("exit status %d, want %d with %q: %q %q", code, test.code, test.want, line, out.String())
			}
			if strings.Count(line, "\n") != 1 || !strings.HasPrefix(line, "pricewatch: ") || len(line) > 400 {
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
	for _, flag := range []string{"shops", "dir", "recrawl", "every", "addr", "for", "query", "sort", "shop", "min", "max", "in-stock", "json",
		"delay", "workers", "chrome", "allow-private", "user-agent", "monitor"} {
		if !regexp.MustCompile(`(?m)^  -` + flag + `\b`).MatchString(out.String()) {
			t.Errorf("help does not tell of -%s", flag)
		}
	}
}

// A folder in use is refused at once, with the name of who uses it; asking it is
// no use in that sense.
func TestLockedFolder(t *testing.T) {
	t.Parallel()
	corner := newCorner(t)
	for _, what := range []string{"frontier", "index"} {
		dir := filepath.Join(t.TempDir(), "prices")
		if code, _, log := corner.run(t, "-dir", dir, "-query", "tea"); code != 0 {
			t.Fatalf("exit status %d: %s", code, log)
		}
		if what == "frontier" {
			f, err := frontier.Open(filepath.Join(dir, "round-2"), frontier.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			// The round has begun, and not ended.
			if err := os.WriteFile(filepath.Join(dir, "watch.json"), []byte(`{"round": 2, "began": "2026-03-02T08:00:00Z"}`), 0o600); err != nil {
				t.Fatal(err)
			}
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
		code, _, log := corner.run(t, "-dir", dir, "-recrawl", "-query", "tea")
		if code != 1 || !strings.Contains(log, "locked") || !strings.Contains(log, "pid ") || strings.Count(log, "\n") != 1 {
			t.Errorf("%s in use: exit status %d: %q", what, code, log)
		}
		if code, out, log := corner.run(t, "-dir", dir, "-query", "tea"); code != 0 || !strings.HasPrefix(out, "2 products") {
			t.Errorf("%s in use: a query gives exit status %d: %s%s", what, code, log, out)
		}
	}
}
