package around_test

import (
	"context"
	"net/http"
	"net/netip"
	"testing"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/content"
	"github.com/webquarry/quarry/crawler/internal/around"
	"github.com/webquarry/quarry/crawler/middleware"
	"github.com/webquarry/quarry/crawler/session"
	"github.com/webquarry/quarry/crawler/trap"
	"github.com/webquarry/quarry/crawler/warc"
	"github.com/webquarry/quarry/frontier"
)

// told knows where hosts are before it asks them.
type told struct{ crawler.FetcherFunc }

func (told) Addr(context.Context, string) netip.Addr { return netip.MustParseAddr("192.0.2.1") }

// TestNothingHidesAnAddress: limits per IP hold from the first visit on only if
// the crawl can ask the Fetcher for an address, whatever lies around it.
func TestNothingHidesAnAddress(t *testing.T) {
	t.Parallel()
	w, err := warc.OpenWriter(t.TempDir(), warc.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for name, wrap := range map[string]crawler.Middleware{
		"auth":     (&middleware.Auth{}).Wrap,
		"cache":    (&middleware.Cache{}).Wrap,
		"capture":  w.Capture,
		"escalate": (&middleware.Escalate{}).Wrap,
		"head":     middleware.Head{}.Wrap,
		"kept":     middleware.KeepRobots{}.Wrap,
		"robots":   middleware.ForbiddenRobots,
		"log":      middleware.Log{}.Wrap,
		"login":    (&session.Login{}).Wrap,
		"metrics":  middleware.Metrics{}.Wrap,
		"pace":     (&middleware.Pace{}).Wrap,
		"rate":     (&middleware.Rate{}).Wrap,
		"retry":    middleware.Retry{}.Wrap,
		"schedule": new(content.Schedule).Fetcher,
		"shape":    middleware.Shape(func(frontier.Request) crawler.Ask { return crawler.Ask{} }),
		"traps":    trap.New(trap.Options{}).Fetcher,
	} {
		f := func(context.Context, frontier.Request) (*crawler.Response, error) {
			return &crawler.Response{Status: http.StatusOK}, nil
		}
		if got := around.Addr(t.Context(), wrap(told{f}), "http://a.test/"); got != netip.MustParseAddr("192.0.2.1") {
			t.Errorf("%s: the address is %v", name, got)
		}
		if got := around.Addr(t.Context(), wrap(crawler.FetcherFunc(f)), "http://a.test/"); got.IsValid() {
			t.Errorf("%s: the address is %v, and nobody knows it", name, got)
		}
	}
}
