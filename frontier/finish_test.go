package frontier

import (
	"errors"
	"testing"
)

// TestFinish: after the first part of Done the next request of the host is there,
// and after the second a frontier that is opened again knows of both.
func TestFinish(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	opt := Options{Limits: Limits{Delay: -1}}
	f, err := Open(dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	if _, err := f.Add(ctx, Request{URL: "http://a.test/"}); err != nil {
		t.Fatal(err)
	}
	req, err := f.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var found []Request
	for _, u := range []string{"http://a.test/1", "http://a.test/2", "ftp://a.test/"} {
		found = append(found, Request{URL: u, Depth: 1})
	}
	safe, err := f.Finish(ctx, req, Outcome{Found: found})
	if _, ok := errors.AsType[*URLError](err); !ok {
		t.Errorf("error %v", err)
	}
	if next, err := f.Next(ctx); err != nil || next.URL != "http://a.test/1" {
		t.Fatalf("next %v, %v", next.URL, err)
	}
	if err := safe(); err != nil {
		t.Error(err)
	}
	if safe, err := f.Finish(ctx, req, Outcome{}); !errors.Is(err, ErrLeaseExpired) || safe() != nil {
		t.Errorf("ended twice: %v", err)
	}
	before, _ := f.Stats(ctx)
	if before.Seen != 3 || before.Done != 1 || before.Leased != 1 || before.Queued != 1 {
		t.Errorf("%+v", before)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Finish(ctx, Lease{Request: Request{URL: "http://a.test/1"}}, Outcome{}); !errors.Is(err, ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	f, err = Open(dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if s, _ := f.Stats(ctx); s.Seen != 3 || s.Done != 1 || s.Queued != 2 {
		t.Errorf("opened again: %+v", s)
	}
}
