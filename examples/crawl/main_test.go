package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/webquarry/quarry/crawler/crawlertest"
	"github.com/webquarry/quarry/frontier"
)

// web is what the tests crawl: two hosts of a site, a foreign host, a dead link.
const web = `
-- http://www.site.test/ --
<title>Home</title><p>Welcome.</p>
<a href="/a">a</a> <a href="/a#again">a</a> <a rel=nofollow href="/hidden">h</a>
<a href="http://docs.site.test/">docs</a> <a href="http://foreign.test/">f</a> <a href="/gone">g</a>

-- http://www.site.test/a --
<title>A &amp; B</title><a href="/b">b</a>

-- http://www.site.test/b --
<title>B</title><a href="/">home</a>

-- http://www.site.test/gone --
HTTP 410

-- http://www.site.test/hidden --
not to be followed

-- http://docs.site.test/ --
<title>Docs</title>

-- http://foreign.test/ --
<title>Foreign</title>
`

// site serves a web and returns the arguments to crawl it from its home page,
// but for -out.
func site(t *testing.T, text string, more ...string) (*crawlertest.Web, []string) {
	t.Helper()
	w, err := crawlertest.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	seeds := filepath.Join(t.TempDir(), "seeds.txt")
	if err := os.WriteFile(seeds, []byte("\ufeff# the site\n\n  http://www.site.test  \n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return w, append([]string{"-seeds", seeds, "-proxy", w.Serve(t).String(), "-allow-private", "-delay", "0"}, more...)
}

// TestDemonstration: without arguments a bundled site is crawled to standard
// output.
func TestDemonstration(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	if code := run(t.Context(), nil, &out, &errs); code != exitDone {
		t.Fatalf("exit code %d, %s", code, &errs)
	}
	var titles []string
	for line := range bytes.Lines(out.Bytes()) {
		var r record
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		titles = append(titles, r.Title)
	}
	slices.Sort(titles)
	want := []string{"A night in March", "A night in October", "Nights", "Telescopes", "The observatory on the hill", "The reflector", "The refractor"}
	if !slices.Equal(titles, want) {
		t.Errorf("got %q\nwant %q\n%s", titles, want, &errs)
	}
}

// crawled runs the program with a fresh output file and returns the URLs in it.
func crawled(t *testing.T, args []string) []string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.jsonl")
	if code, stderr := try(args, "-out", out); code != exitDone {
		t.Fatalf("exit code %d, %s", code, stderr)
	}
	var urls []string
	for _, r := range records(t, out) {
		urls = append(urls, strings.TrimPrefix(r.URL, "http://"))
	}
	slices.Sort(urls)
	return urls
}

func try(args []string, more ...string) (code int, stderr string) {
	var b bytes.Buffer
	code = run(context.Background(), append(slices.Clone(args), more...), io.Discard, &b)
	return code, b.String()
}

// records reads the output.
func records(t *testing.T, out string) (all []record) {
	t.Helper()
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		var r record
		if err := json.Unmarshal([]byte(line), &r); err != nil || !strings.HasSuffix(line, "\n") {
			t.Fatalf("line %q: %v", line, err)
		}
		all = append(all, r)
	}
	return all
}

func TestCrawl(t *testing.T) {
	t.Parallel()
	w, args := site(t, web)
	out := filepath.Join(t.TempDir(), "out.jsonl")
	if err := os.WriteFile(out, []byte("what an earlier crawl left\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	code, stderr := try(args, "-out", out)
	if code != exitDone {
		t.Fatalf("exit code %d, %s", code, stderr)
	}
	all := records(t, out)
	i := slices.IndexFunc(all, func(r record) bool { return r.URL == "http://www.site.test/" })
	if len(all) != 4 || i < 0 {
		t.Fatalf("pages %v", all)
	}
	home := all[i]
	if age := time.Since(home.Fetched); age < 0 || age > time.Minute {
		t.Errorf("fetched %v", home.Fetched)
	}
	links := []string{"http://www.site.test/a", "http://docs.site.test/", "http://foreign.test/", "http://www.site.test/gone"}
	if home.Status != 200 || home.Title != "Home" || !strings.HasPrefix(home.Text, "Welcome.\na") || home.Depth != 0 || !slices.Equal(home.Links, links) {
		t.Errorf("home page %+v", home)
	}
	for _, r := range all {
		if r.URL == "http://www.site.test/b" && (r.Depth != 2 || r.Title != "B") {
			t.Errorf("page %+v", r)
		}
		if r.Links == nil {
			t.Errorf("%s: links are null", r.URL)
		}
	}
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	var sum struct {
		Pages   int
		Bytes   int64
		Errors  map[string]int
		Seconds *float64
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &sum); err != nil {
		t.Fatalf("last line of standard error: %v: %s", err, stderr)
	}
	if sum.Pages != 4 || sum.Bytes == 0 || sum.Errors["status"] != 1 || len(sum.Errors) != 1 || sum.Seconds == nil {
		t.Errorf("summary %+v", sum)
	}
	w.EachOnce(t, "http://www.site.test/", "http://www.site.test/a", "http://www.site.test/b", "http://www.site.test/gone", "http://docs.site.test/")
}

func TestScope(t *testing.T) {
	t.Parallel()
	www := []string{"www.site.test/", "www.site.test/a", "www.site.test/b"}
	for name, tt := range map[string]struct{ more, want []string }{
		"host":        {[]string{"-scope", "host"}, www},
		"site":        {[]string{"-scope", "site"}, append([]string{"docs.site.test/"}, www...)},
		"any":         {[]string{"-scope", "any"}, append([]string{"docs.site.test/", "foreign.test/"}, www...)},
		"depth":       {[]string{"-depth", "1", "-scope", "host"}, www[:2]},
		"one worker":  {[]string{"-workers", "1", "-scope", "host"}, www},
		"many a host": {[]string{"-per-host", "9", "-workers", "300", "-scope", "host"}, www},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, args := site(t, web, tt.more...)
			if got := crawled(t, args); !slices.Equal(got, tt.want) {
				t.Errorf("pages %v, want %v", got, tt.want)
			}
		})
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	_, args := site(t, web, "-pages", "2")
	if got := crawled(t, args); len(got) != 2 {
		t.Errorf("pages %v, want two", got)
	}
}

func TestDelay(t *testing.T) {
	t.Parallel()
	const gap = 50 * time.Millisecond
	w, args := site(t, web, "-scope", "host", "-delay", gap.String())
	start := time.Now()
	crawled(t, args)
	if took, least := time.Since(start), time.Duration(len(w.Requests())-1)*gap; took < least || least == 0 {
		t.Errorf("%d requests of a host took %v, less than %v", len(w.Requests()), took, least)
	}
}

// TestOutputIsNoFile: pages may go to a pipe or a device, with any limit.
func TestOutputIsNoFile(t *testing.T) {
	t.Parallel()
	for _, name := range []string{os.DevNull, "/dev/full"} {
		if _, err := os.Stat(name); err != nil {
			t.Skip(err)
		}
		_, args := site(t, web, "-pages", "2", "-out", name)
		want, why := exitDone, ""
		if name == "/dev/full" {
			want, why = exitFailed, "no space left"
		}
		if code, stderr := try(args); code != want || !strings.Contains(stderr, why) {
			t.Errorf("%s: exit code %d, %s", name, code, stderr)
		}
	}
}

// TestPace: a pace that was asked for is not made slower by a host that takes
// its time, and several visits of it at a time are what they say.
func TestPace(t *testing.T) {
	t.Parallel()
	day := frontier.WaitFor(26 * time.Hour)
	for args, want := range map[string]frontier.Limits{
		"":                                     {PerHost: 1, Global: -1, Delay: time.Second, Outage: day},
		"-delay 2s":                            {PerHost: 1, Global: -1, Delay: 2 * time.Second, Factor: -1, Outage: day},
		"-delay 0 -workers 99":                 {PerHost: 1, Global: -1, Delay: -1, Factor: -1, Outage: day},
		"-per-host 4":                          {PerHost: 4, Global: -1, Delay: time.Second, Factor: -1, Outage: day},
		"-per-host 8 -delay 0.1s -workers 100": {PerHost: 8, Global: -1, Delay: 100 * time.Millisecond, Factor: -1, Outage: day},
	} {
		_, site := site(t, web, strings.Fields(args)...)
		i := slices.Index(site, "-delay") // the one for tests
		opt, err := parseOptions(append(slices.Delete(site, i, i+2), "-out", "x"), io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if got := opt.pace.limits(); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v", args, got, want)
		}
	}
}

func TestRobots(t *testing.T) {
	t.Parallel()
	_, args := site(t, web+"\n-- http://www.site.test/robots.txt --\nHTTP 200\nContent-Type: text/plain\n\nUser-agent: quarry-crawl\nDisallow: /b\n")
	if got := crawled(t, args); slices.Contains(got, "www.site.test/b") || len(got) != 3 {
		t.Errorf("pages %v", got)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	good, out := file("good", "http://127.0.0.1:1/\n"), filepath.Join(dir, "out")
	for name, tt := range map[string]struct {
		args []string
		code int
		want string
	}{
		"nothing to crawl":  {[]string{"-out", out}, exitUsage, "nothing to crawl"},
		"state, no output":  {[]string{"-seeds", good, "-dir", filepath.Join(dir, "state")}, exitUsage, "-dir needs -out"},
		"unknown flag":      {[]string{"-sedes", good}, exitUsage, "-sedes"},
		"no such schema":    {[]string{"-seeds", good, "-out", out, "-schema", filepath.Join(dir, "none")}, exitUsage, "-schema: open"},
		"schema":            {[]string{"-seeds", good, "-out", out, "-schema", file("schema", "fields:\n  a: {cs: h1}\n")}, exitUsage, `schema: line 2, column 7: unknown field "cs"`},
		"argument":          {[]string{"-seeds", good, "-out", out, "a.test"}, exitUsage, `"a.test" is not`},
		"no such seeds":     {[]string{"-seeds", filepath.Join(dir, "none"), "-out", out}, exitUsage, "none: no such file"},
		"seeds, a folder":   {[]string{"-seeds", dir, "-out", out}, exitUsage, dir},
		"no seeds":          {[]string{"-seeds", file("empty", "# none yet\n\n"), "-out", out}, exitUsage, "holds no URL"},
		"not HTTP":          {[]string{"-seeds", file("ftp", "http://a.test/\nftp://a.test/\n"), "-out", out}, exitUsage, `ftp:2: "ftp://a.test/" is not`},
		"no URL":            {[]string{"-seeds", file("word", "a.test\n"), "-out", out}, exitUsage, `word:1: "a.test" is not`},
		"endless line":      {[]string{"-seeds", file("long", strings.Repeat("x", 1<<20)), "-out", out}, exitUsage, "long"},
		"scope":             {[]string{"-seeds", good, "-out", out, "-scope", "web"}, exitUsage, "want host, site or any"},
		"number":            {[]string{"-seeds", good, "-out", out, "-pages", "many"}, exitUsage, "many"},
		"negative":          {[]string{"-seeds", good, "-out", out, "-delay", "-1s"}, exitUsage, "cannot be negative"},
		"no workers":        {[]string{"-seeds", good, "-out", out, "-workers", "0"}, exitUsage, "at least 1"},
		"proxy":             {[]string{"-seeds", good, "-out", out, "-proxy", "127.0.0.1:80"}, exitUsage, "want a URL"},
		"user agent":        {[]string{"-seeds", good, "-out", out, "-user-agent", "me"}, exitUsage, "user agent"},
		"phase":             {[]string{"-seeds", good, "-out", out, "-dir", dir, "-phase", "three"}, exitUsage, "want collect or fetch"},
		"phase, no state":   {[]string{"-seeds", good, "-phase", "collect"}, exitUsage, "needs -dir"},
		"links to a file":   {[]string{"-seeds", good, "-out", out, "-dir", dir, "-phase", "collect"}, exitUsage, "writes no pages"},
		"schema, no pages":  {[]string{"-seeds", good, "-dir", dir, "-phase", "collect", "-schema", good}, exitUsage, "-schema takes records out of pages that are read"},
		"schema, raw pages": {[]string{"-dir", dir, "-phase", "fetch", "-out", out, "-schema", good}, exitUsage, "-schema takes records out of pages that are read"},
		"sitemaps, fetch":   {[]string{"-dir", dir, "-phase", "fetch", "-out", out, "-sitemaps"}, exitUsage, "-sitemaps finds pages"},
		"none collected":    {[]string{"-dir", filepath.Join(dir, "typo"), "-phase", "fetch", "-out", out}, exitFailed, "no pages were collected in"},
		"nowhere to fetch":  {[]string{"-dir", dir, "-phase", "fetch"}, exitUsage, "-dir needs -out"},
		"monitor":           {[]string{"-seeds", good, "-out", out, "-monitor", "nowhere"}, exitFailed, "-monitor"},
		"output, a folder":  {[]string{"-seeds", good, "-out", dir}, exitFailed, "is a directory"},
		"output, the seeds": {[]string{"-seeds", good, "-out", filepath.Join(dir, ".", "good")}, exitUsage, "overwrite"},
		"output, a device":  {[]string{"-seeds", good, "-out", os.DevNull, "-dir", filepath.Join(dir, "state")}, exitFailed, "is no file"},
		"unreachable":       {[]string{"-seeds", good, "-out", out, "-allow-private"}, exitFailed, "no seed can be reached"},
		"blocked address":   {[]string{"-seeds", good, "-out", out}, exitFailed, "-allow-private"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, stderr := try(tt.args)
			lines := strings.Split(strings.TrimRight(stderr, "\n"), "\n")
			if code != tt.code || !strings.HasPrefix(lines[0], "crawl: ") || !strings.Contains(lines[0], tt.want) {
				t.Errorf("exit code %d and %q, want %d and %q", code, lines[0], tt.code, tt.want)
			}
			if len(lines) > 2 || len(lines) == 2 && !strings.HasPrefix(lines[1], "{") {
				t.Errorf("more than a line and a summary: %q", stderr)
			}
		})
	}
	if code, stderr := try([]string{"-h"}); code != exitDone || !strings.Contains(stderr, "-per-host") {
		t.Errorf("help: exit code %d, %s", code, stderr)
	}
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	_, args := site(t, "-- http://www.site.test/ --\nHTTP 200\nTest-Wait: 1h\n\nlate", "-dir", t.TempDir())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stderr bytes.Buffer
	code := run(ctx, append(args, "-out", filepath.Join(t.TempDir(), "out")), io.Discard, &stderr)
	if code != exitInterrupted || !strings.HasPrefix(stderr.String(), "crawl: interrupted; the same command line goes on") {
		t.Errorf("exit code %d, %s", code, stderr.String())
	}
}
