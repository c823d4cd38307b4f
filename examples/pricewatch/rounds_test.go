package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/frontier"
)

// corner is a shop of a test. It sells tea and a teapot, as long as it has them.
type corner struct {
	*httptest.Server
	tea, pot atomic.Int64 // what they cost, in cents; 0: they are not there
	broken   atomic.Bool  // the page of the teapot cannot be had
	hidden   atomic.Bool  // no link leads to the teapot
	visits   atomic.Int64
	file     string
}

func newCorner(t *testing.T) *corner {
	t.Helper()
	c := &corner{}
	c.tea.Store(450)
	c.pot.Store(2990)
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	c.file = shopFile(t, shopAt(c.URL))
	return c
}

func (c *corner) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	item := func(name string, price int64) {
		fmt.Fprintf(w, `<title>%s</title><script type="application/ld+json">{"@type":"Product","name":"%s","sku":"%s","offers":{"price":"%d.%02d"}}</script>`,
			name, name, name, price/100, price%100)
	}
	w.Header().Set("Content-Type", "text/html")
	switch price := map[string]*atomic.Int64{"/tea": &c.tea, "/pot": &c.pot}[r.URL.Path]; {
	case r.URL.Path == "/" && c.hidden.Load():
		fmt.Fprint(w, `<title>Corner</title><a href="/tea">Tea</a>`)
	case r.URL.Path == "/":
		fmt.Fprint(w, `<title>Corner</title><a href="/tea">Tea</a> <a href="/pot">Pot</a> <a href="/about">About</a>`)
	case price == nil && r.URL.Path != "/about":
		http.NotFound(w, r)
	case price == nil:
		fmt.Fprint(w, "<title>About us</title><p>We sell tea.")
	case c.broken.Load() && price == &c.pot:
		w.WriteHeader(http.StatusNotImplemented)
	case price.Load() == 0:
		http.NotFound(w, r)
	default:
		c.visits.Add(1)
		item(map[string]string{"/tea": "Green tea", "/pot": "Tea pot"}[r.URL.Path], price.Load())
	}
}

// run runs the program over the shop.
func (c *corner) run(t *testing.T, args ...string) (code int, out, log string) {
	t.Helper()
	var o, l bytes.Buffer
	args = append([]string{"-delay", "0", "-allow-private"}, args...)
	if _, err := os.Stat(filepath.Join(args[4], "watch.json")); err != nil {
		args = append(args, "-shops", c.file) // the first time
	}
	code = run(t.Context(), args, &o, &l)
	return code, o.String(), l.String()
}

// Prices that are asked for again make a history; what is gone is told so, but
// not what could not be had; and shops need not be named again.
func TestRecrawl(t *testing.T) {
	t.Parallel()
	c, dir := newCorner(t), filepath.Join(t.TempDir(), "prices")
	step := func(what, want string, args ...string) {
		t.Helper()
		code, out, log := c.run(t, append([]string{"-dir", dir}, args...)...)
		if code != 0 || log != "" || !strings.Contains(out, want) {
			t.Errorf("%s: exit status %d, %q %q, want %q", what, code, out, log, want)
		}
	}
	step("first", "1. Tea pot\n   €29.90 at Corner\n", "-query", "pot")
	c.pot.Store(1495)
	visits := c.visits.Load()
	step("asked without a round", "€29.90 at Corner\n", "-query", "pot")
	if c.visits.Load() != visits {
		t.Error("a query has asked the shop")
	}
	step("second", "€14.95 at Corner; down 50% from €29.90\n", "-recrawl", "-query", "pot")
	c.broken.Store(true)
	step("not to be had", "€14.95 at Corner; down 50%", "-recrawl", "-query", "pot")
	c.broken.Store(false)
	c.pot.Store(0)
	step("gone", "€14.95 at Corner, sold out; down 50%", "-recrawl", "-query", "pot")
	c.pot.Store(1500)
	step("back", "€15.00 at Corner; down 50%", "-recrawl", "-query", "pot")
	c.hidden.Store(true)
	step("not in the list", "€15.00 at Corner; down 50%", "-recrawl", "-query", "pot")
	step("not in the list again", "€15.00 at Corner, sold out; down 50%", "-recrawl", "-query", "pot")
	step("biggest drop", "1. Tea pot\n", "-query", "", "-sort", "drop")
	text, err := os.ReadFile(filepath.Join(dir, "prices.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), `"name":"Tea pot"`); n != 1 {
		t.Errorf("the facts of a thing that is what it was stand in %d lines", n)
	}
	if n := strings.Count(string(text), "\n"); n != 12 {
		t.Errorf("%d lines, want 2 of each of 7 rounds but for what could not be had:\n%s", n, text)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(left) != 5 {
		t.Errorf("the folder holds %q, %v", left, err)
	}
}

// When a whole shop does not answer, nothing of it is gone, and the others are
// not held up.
func TestShopDown(t *testing.T) {
	t.Parallel()
	c, down := newCorner(t), newCorner(t)
	dir := filepath.Join(t.TempDir(), "prices")
	both := strings.ReplaceAll(shopAt(down.URL), "Corner", "Other") + strings.TrimPrefix(shopAt(c.URL), "shops:\n")
	if err := os.WriteFile(c.file, []byte(both), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, log := c.run(t, "-dir", dir, "-query", "tea"); code != 0 || log != "" || strings.Count(out, " at Other\n")+strings.Count(out, " at Corner\n") != 4 {
		t.Fatalf("exit status %d: %s%s", code, out, log)
	}
	down.Close()
	c.tea.Store(400)
	code, out, log := c.run(t, "-dir", dir, "-recrawl", "-query", "tea", "-sort", "cheapest")
	if code != 0 || !strings.HasPrefix(log, "Nothing of Other: cannot fetch "+down.URL) || strings.Count(log, "\n") != 1 {
		t.Errorf("exit status %d: %q", code, log)
	}
	if !strings.Contains(out, "€4.00 at Corner") || strings.Count(out, " at Other\n") != 2 || strings.Contains(out, "sold out") {
		t.Errorf("%s", out)
	}
}

// A round that was broken off is gone on with: what it had read is not read
// again, and nothing is taken for gone.
func TestResume(t *testing.T) {
	t.Parallel()
	c, dir := newCorner(t), filepath.Join(t.TempDir(), "prices")
	if code, _, log := c.run(t, "-dir", dir, "-query", "tea"); code != 0 {
		t.Fatal(log)
	}
	// As a crash leaves it that came when the tea had been read, and the pot not.
	c.brokenOff(t, dir, 2, "/tea", "/pot")
	if code, out, log := c.run(t, "-dir", dir, "-query", "tea"); code != 0 || !strings.HasPrefix(out, "2 products") || log != "The last round was broken off: -recrawl goes on with it.\n" {
		t.Errorf("asked meanwhile: exit status %d: %s%s", code, log, out)
	}
	c.visits.Store(0)
	code, out, log := c.run(t, "-dir", dir, "-recrawl", "-query", "tea")
	if code != 0 || log != "" || strings.Contains(out, "sold out") || !strings.HasPrefix(out, "2 products") {
		t.Errorf("exit status %d: %s%s", code, out, log)
	}
	if n := c.visits.Load(); n != 1 {
		t.Errorf("%d products were read, want the one that was left", n)
	}
	// When all had been read, there is nothing to say.
	c.brokenOff(t, dir, 3)
	if code, out, log := c.run(t, "-dir", dir, "-recrawl", "-query", "tea"); code != 0 || log != "" || !strings.HasPrefix(out, "2 products") {
		t.Errorf("after the last page: exit status %d: %s%s", code, log, out)
	}
}

// brokenOff leaves a folder as a crash does when all pages of a round but the
// last of some had been read.
func (c *corner) brokenOff(t *testing.T, dir string, round int, paths ...string) {
	t.Helper()
	state := fmt.Sprintf(`{"round": %d, "began": "2099-03-0%dT08:00:00Z", "complete": false}`, round, round)
	if err := os.WriteFile(filepath.Join(dir, "watch.json"), []byte(state), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := frontier.Open(filepath.Join(dir, fmt.Sprintf("round-%d", round)), frontier.Options{Limits: frontier.Limits{Delay: -1}})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	if _, err := f.Add(ctx, frontier.Request{URL: c.URL + "/"}); err != nil {
		t.Fatal(err)
	}
	for i := range max(len(paths), 1) {
		var found []frontier.Request
		if i < len(paths) {
			found = []frontier.Request{{URL: c.URL + paths[i]}}
		}
		req, err := f.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Done(ctx, req, frontier.Outcome{Found: found}); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// An index that is behind, or not there, is made anew of the ledger.
func TestIndexOfLedger(t *testing.T) {
	t.Parallel()
	c, dir := newCorner(t), filepath.Join(t.TempDir(), "prices")
	if code, _, log := c.run(t, "-dir", dir, "-query", "tea"); code != 0 {
		t.Fatal(log)
	}
	if err := os.RemoveAll(filepath.Join(dir, "index")); err != nil {
		t.Fatal(err)
	}
	if code, out, log := c.run(t, "-dir", dir, "-recrawl", "-query", "tea"); code != 0 || !strings.HasPrefix(out, "2 products") {
		t.Errorf("exit status %d: %s%s", code, out, log)
	}
}

// A shop that is down is not waited for when it is all that is left.
func TestGiveUp(t *testing.T) {
	t.Parallel()
	l, err := parseShops([]byte(shopAt("http://a.test/") + "  - name: B\n    seeds: [http://b.test/]\n"))
	if err != nil {
		t.Fatal(err)
	}
	gaveUp := func(events ...crawler.Event) bool {
		var w watch
		w.begin(1, false)
		ctx, giveUp := context.WithCancelCause(t.Context())
		defer giveUp(nil)
		for _, e := range events {
			w.see(e, l, giveUp)
		}
		return context.Cause(ctx) == errEnough
	}
	retry := func(url string, waiting int, err error) crawler.Event {
		return crawler.Event{Kind: crawler.Retrying, URL: url, Err: err, Queue: frontier.Stats{Queued: waiting, Hosts: 2}}
	}
	page := crawler.Event{Kind: crawler.Fetched, URL: "http://a.test/", Queue: frontier.Stats{Queued: 1, Hosts: 1}}
	down := retry("http://b.test/", 1, crawler.ErrConnect)
	for _, c := range []struct {
		name   string
		events []crawler.Event
		want   bool
	}{
		{"something else is waiting", []crawler.Event{retry("http://b.test/", 2, crawler.ErrConnect)}, false},
		{"nothing else is", []crawler.Event{page, down}, true},
		{"the other ends after it", []crawler.Event{retry("http://b.test/", 2, crawler.ErrConnect), page}, true},
		{"the shop has given pages", []crawler.Event{page, retry("http://a.test/tea", 1, crawler.ErrConnect)}, false},
		{"one of two hosts", []crawler.Event{retry("http://b.test/", 9, crawler.ErrRobotsUnreachable)}, false},
		{"both", []crawler.Event{retry("http://b.test/", 9, crawler.ErrRobotsUnreachable), retry("http://a.test/", 9, crawler.ErrRobotsUnreachable)}, true},
	} {
		if got := gaveUp(c.events...); got != c.want {
			t.Errorf("%s: gave up: %v", c.name, got)
		}
	}
}
