package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/webquarry/quarry/crawler/crawlertest"
)

// try runs the program.
func try(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(context.Background(), args, &out, &errs)
	return code, out.String(), errs.String()
}

// TestDemonstration: on the web of the program the focus finds at least half as
// much again as breadth first, the same each time, and the picture has both.
func TestDemonstration(t *testing.T) {
	t.Parallel()
	svg := filepath.Join(t.TempDir(), "harvest.svg")
	code, stdout, stderr := try(t, "-svg", svg)
	if code != exitDone {
		t.Fatal(stderr)
	}
	found := map[string]int{}
	for _, m := range regexp.MustCompile(`(?m)^(focus|breadth-first): 240 pages, (\d+) on topic`).FindAllStringSubmatch(stderr, -1) {
		found[m[1]], _ = strconv.Atoi(m[2])
	}
	if f, b := found[byFocus], found[breadth]; b == 0 || 2*f < 3*b || strings.Count(stdout, "\n") != f {
		t.Errorf("found %v, %d lines\n%s", found, strings.Count(stdout, "\n"), stderr)
	}
	picture, err := os.ReadFile(svg)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(picture), "<path"); n != 2 {
		t.Errorf("%d lines in the picture", n)
	}
	for d := xml.NewDecoder(bytes.NewReader(picture)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("the picture: %v", err)
		}
	}
	if _, again, _ := try(t, "-svg", "", "-order", "focus"); again != stdout {
		t.Error("a second run found other pages")
	}
}

// TestWeb: every page of the demonstration can be reached, a quarter is on bees,
// and some of these lie behind others.
func TestWeb(t *testing.T) {
	t.Parallel()
	code, stdout, stderr := try(t, "-svg", "", "-pages", "0")
	if code != exitDone || strings.Count(stderr, ": 480 pages, ") < 2 {
		t.Fatalf("exit code %d, %s", code, stderr)
	}
	if n := strings.Count(stdout, "\n"); n < 110 || n > 130 {
		t.Errorf("%d pages on topic of 120", n)
	}
	// Through no page off topic, not all of them.
	_, near, _ := try(t, "-svg", "", "-pages", "0", "-order", "focus", "-max-off", "1")
	if n, all := strings.Count(near, "\n"), strings.Count(stdout, "\n"); n >= all || n < 20 {
		t.Errorf("%d of %d without a tunnel", n, all)
	}
}

// TestURL crawls a given site by sample files, and keeps what it learned.
func TestURL(t *testing.T) {
	t.Parallel()
	w, err := crawlertest.Parse(`
-- http://site.test/ --
<title>Home of the captain</title><p>The captain says when the ferry is to leave.</p><a href=/a>about honey</a> <a href=/b>the ferry</a> <a href=http://other.test/>a</a> <a href=/x.zip>b</a>

-- http://site.test/a --
<title>Honey</title><p>The bee makes honey in the hive from the nectar that bees find.

-- http://site.test/b --
<title>Ferry</title><p>The ferry crosses the harbour at noon and the captain waves.
`)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	on, off, model := filepath.Join(dir, "on.txt"), filepath.Join(dir, "off.txt"), filepath.Join(dir, "model.json")
	for name, text := range map[string]string{on: "The bees of the hive make honey from nectar, bee by bee.", off: "The captain of the ferry knows the harbour at noon."} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the second time with the model of the first
		code, stdout, stderr := try(t, "-like", on, "-unlike", off, "-model", model, "-svg", "", "-delay", "0", "-proxy", w.Serve(t).String(), "-allow-private", "http://site.test/")
		if code != exitDone || !strings.HasSuffix(stdout, "\thttp://site.test/a\tHoney\n") || strings.Count(stdout, "\n") != 1 || !strings.Contains(stderr, "3 pages, 1 on topic") {
			t.Errorf("exit code %d, %q, %s", code, stdout, stderr)
		}
		if _, err := os.Stat(model); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(model, []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := try(t, "-query", "bee", "-model", model, "http://site.test/"); code != exitFailed || !strings.Contains(stderr, "not a model") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	const url = "http://127.0.0.1:1/"
	for args, want := range map[string]string{
		"-query bees":                    "give a URL",
		url:                              "say what to look for",
		"-query a -like b " + url:        "-query or -like",
		"-query a -unlike b " + url:      "-unlike goes with -like",
		"-like /none/x " + url:           "-like: open /none/x",
		"-query a -order best " + url:    "-order",
		"-query a -noise 2 " + url:       "-noise",
		"-query a -pages -1 " + url:      "cannot be negative",
		"-query a -workers 0 " + url:     "at least 1",
		"-query a ftp://a.test/":         "is not an http",
		"-query a -proxy x " + url:       "want a URL",
		"-qery a":                        "-qery",
		"-query a -user-agent me " + url: "user agent",
	} {
		if code, _, stderr := try(t, strings.Fields(args)...); code != exitUsage || !strings.HasPrefix(stderr, "topical: ") || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d, %s", args, code, stderr)
		}
	}
	hint := "topical: no page could be had: cannot fetch " + url + ": 127.0.0.1:1 is not a public address (AllowPrivate lets it pass); -allow-private fetches from such addresses too\n"
	if code, _, stderr := try(t, "-query", "a", "-svg", "", url); code != exitFailed || !strings.Contains(stderr, hint) {
		t.Errorf("private: exit code %d, %s", code, stderr)
	}
	if code, _, stderr := try(t, "-query", "a", "-allow-private", "-svg", "", url); code != exitFailed || !strings.HasPrefix(stderr, "topical: ") {
		t.Errorf("nobody there: exit code %d, %s", code, stderr)
	}
	if code, _, stderr := try(t, "-h"); code != exitDone || !strings.Contains(stderr, "-unlike") {
		t.Errorf("help: exit code %d, %s", code, stderr)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if code := run(ctx, []string{"-svg", ""}, io.Discard, io.Discard); code != exitInterrupted {
		t.Errorf("interrupted: exit code %d", code)
	}
}

func TestDraw(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]int{1: 1, 9: 1, 15: 2, 49: 5, 99: 10, 240: 50, 1000: 100, 54_000: 10_000} {
		if got := niceStep(n); got != want {
			t.Errorf("an axis of %d in steps of %d, want %d", n, got, want)
		}
	}
	if s := draw([]curve{{name: "a<b"}}); !strings.Contains(s, "a&lt;b") {
		t.Error("a name is not escaped")
	}
}
