package recrawl_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/recrawl"
	"github.com/webquarry/quarry/frontier"
)

// TestGoneTwice: a page that was there is asked for once more before it is given up, and
// trouble says nothing of it.
func TestGoneTwice(t *testing.T) {
	t.Parallel()
	var req frontier.Request
	visit := func(status int, err error) time.Duration {
		resp := &crawler.Response{Status: status, Header: http.Header{}}
		if err != nil {
			resp = nil
		}
		out := recrawl.Rounds{Every: 24 * time.Hour, Gone: time.Minute}.Revisit(req, resp, err)
		req.Meta = req.Meta.Merge(out.Meta)
		if out.Again.IsZero() {
			return 0
		}
		return time.Until(out.Again).Round(time.Minute)
	}
	if got := visit(404, nil); got != 0 {
		t.Errorf("a page that never was there comes after %v", got)
	}
	for i, want := range []time.Duration{24 * time.Hour, time.Minute, 24 * time.Hour, time.Minute, 0} {
		if got := visit([]int{200, 404, 304, 410, 404}[i], nil); got != want {
			t.Errorf("visit %d: it comes after %v, want %v", i+1, got, want)
		}
	}
	visit(200, nil)
	req.Attempt = 50 // it was tried long enough
	if got := visit(0, errors.New("no answer")); got != 24*time.Hour {
		t.Errorf("after trouble it comes after %v", got)
	}
}

// TestRenew: all that waits is due, with what is known of it, wherever an earlier Renew was
// cut off.
func TestRenew(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "frontier")
	opt := frontier.Options{Limits: frontier.OwnHost(-1)}
	f, err := frontier.Open(dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	urls := []string{"http://a.test/1", "http://a.test/2", "http://b.test/1"}
	for _, u := range urls {
		if _, err := f.Add(t.Context(), frontier.Request{URL: u, Due: time.Now().Add(1000 * time.Hour), Label: "l", Meta: frontier.Meta{}.With("acme.k", u)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	for name, cutOff := range map[string]func() error{
		"never":               func() error { return nil },
		"while it is copied":  func() error { return os.MkdirAll(dir+".next", 0o755) },
		"between the renames": func() error { return errors.Join(os.CopyFS(dir+".next", os.DirFS(dir)), os.Rename(dir, dir+".old")) },
		"before the old goes": func() error { return os.CopyFS(dir+".old", os.DirFS(dir)) },
	} {
		if err := errors.Join(cutOff(), recrawl.Renew(t.Context(), dir, opt)); err != nil {
			t.Fatal(name, err)
		}
		f, err := frontier.Open(dir, opt)
		if err != nil {
			t.Fatal(name, err)
		}
		if s, err := f.Stats(t.Context()); err != nil || s.Due != len(urls) || s.Queued != len(urls) {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
		l, err := f.Next(t.Context())
		if err != nil || l.Label != "l" || l.Meta.Get("acme.k") != l.URL {
			t.Errorf("%s: %+v, %v", name, l, err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if left, _ := filepath.Glob(dir + ".*"); len(left) > 0 {
			t.Errorf("%s: %v", name, left)
		}
	}
}

// TestRenewKeepsOrders: what was ordered of a host holds, and who asked for a long rest has it.
func TestRenewKeepsOrders(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "frontier")
	opt := frontier.Options{Limits: frontier.Limits{Delay: -1}}
	f, err := frontier.Open(dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	rest := time.Now().Add(5 * time.Hour)
	for _, host := range []string{"blocked", "dropped", "parked", "resting", "free"} {
		if _, err := f.Add(ctx, frontier.Request{URL: "http://" + host + ".test/1"}); err != nil {
			t.Fatal(err)
		}
	}
	_, derr := f.Drop(ctx, "http://dropped.test/")
	if err := errors.Join(derr, f.Block(ctx, "http://blocked.test/"), f.Park(ctx, "http://parked.test/", rest)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		l, err := f.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		out := frontier.Outcome{Again: time.Now().Add(time.Hour)}
		if l.URL == "http://resting.test/1" {
			out.Delay = 5 * time.Hour
		}
		if err := f.Done(ctx, l, out); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(f.Close(), recrawl.Renew(ctx, dir, opt)); err != nil {
		t.Fatal(err)
	}
	if f, err = frontier.Open(dir, opt); err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for host, want := range map[string]frontier.State{"blocked": frontier.Blocked, "dropped": frontier.Dropped, "parked": frontier.Parked, "resting": frontier.Parked, "free": frontier.Ready} {
		h, err := f.Host(ctx, "http://"+host+".test/")
		if err != nil || h.State != want || (want == frontier.Blocked || want == frontier.Dropped) && h.Reason != frontier.ByHand {
			t.Errorf("%s: %+v, %v", host, h, err)
		}
	}
}
