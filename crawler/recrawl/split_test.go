package recrawl

import (
	"net/http"
	"testing"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/internal/keys"
	"github.com/webquarry/quarry/frontier"
	"github.com/webquarry/quarry/frontier/refresh"
)

// TestSplit tells the scheduler what new pages leave: its share while there are many,
// all of the budget when there are none.
func TestSplit(t *testing.T) {
	t.Parallel()
	p := &Policy{Scheduler: &refresh.Scheduler{}, Split: &refresh.Split{PerSecond: 10, Refresh: 0.25}, Priority: 5}
	at := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	visit := func(meta frontier.Meta) frontier.Outcome {
		at = at.Add(time.Second)
		resp := &crawler.Response{Status: http.StatusOK, Fetched: at, Body: []byte("x")}
		out := p.Revisit(frontier.Request{URL: "http://a.test/", Meta: meta}, resp, nil)
		if out.Meta.Get(keys.Recrawl) == "" || out.Priority == nil || *out.Priority != 5 || !out.Again.After(at) {
			t.Fatalf("%+v", out)
		}
		return out
	}
	var meta frontier.Meta
	for range 500 {
		meta = visit(frontier.Meta{}).Meta
	}
	if got := p.Scheduler.PerSecond; got != 2.5 {
		t.Errorf("budget %v while there are new pages, want 2.5", got)
	}
	for range 1000 {
		meta = visit(meta).Meta
	}
	if got := p.Scheduler.PerSecond; got < 9.9 {
		t.Errorf("budget %v without new pages, want 10", got)
	}
}
