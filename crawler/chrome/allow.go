package chrome

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/robots"
	"github.com/webquarry/quarry/frontier"
)

// Load says what pages may load beside scripts, styles, data and frames. What
// they may not never leaves this process. To the page an image is a transparent
// pixel then, a film a moment of silence, a style an empty one and a font one
// without characters; anything else is a request that failed, or has status 403.
type Load struct {
	Images, Fonts, Media bool     // zero: what a crawl does not look at is not loaded
	Trackers             bool     // hosts that only count and advertise, as of a list of the best known
	Block                []string // domains of which nothing is loaded, nor of names below them
	Robots               bool     // nothing that robots.txt forbids is loaded; it is fetched by Via and kept for a day

	// Allow is asked last, before each request of a page but the one for its own
	// document; an error refuses it. Nil: nothing is refused.
	Allow func(ctx context.Context, method, url string, page frontier.Request) error
}

// trackers are domains whose scripts leave no text in a page.
const trackers = "2mdn.net 33across.com adform.net adjust.com adnxs.com adroll.com adsafeprotected.com adsrvr.org amazon-adsystem.com " +
	"amplitude.com app-measurement.com bat.bing.com bidswitch.net bluekai.com branch.io casalemedia.com chartbeat.com chartbeat.net " +
	"clarity.ms clicktale.net connect.facebook.net crazyegg.com criteo.com criteo.net demdex.net doubleclick.net everesttech.net " +
	"exelator.com fullstory.com google-analytics.com googleadservices.com googlesyndication.com googletagservices.com heapanalytics.com " +
	"hotjar.com hotjar.io hs-analytics.net imrworldwide.com krxd.net luckyorange.com mathtag.com matomo.cloud mixpanel.com moatads.com " +
	"mouseflow.com newrelic.com nr-data.net openx.net outbrain.com pardot.com pubmatic.com quantserve.com quantcount.com rlcdn.com " +
	"rubiconproject.com scorecardresearch.com sharethis.com smartadserver.com stats.wp.com taboola.com tapad.com teads.tv " +
	"tiqcdn.com mc.yandex.ru zemanta.com"

// patterns are the requests that Chrome asks about before it makes them: those
// that lead to another page, and those of a kind that is not loaded.
func (a Load) patterns() []*fetch.RequestPattern {
	all := []*fetch.RequestPattern{{URLPattern: "*", ResourceType: network.ResourceTypeDocument}}
	for of, wanted := range map[network.ResourceType]bool{
		network.ResourceTypeImage: a.Images, network.ResourceTypeFont: a.Fonts, network.ResourceTypeMedia: a.Media,
		network.ResourceTypePing: a.Trackers, network.ResourceTypeCSPViolationReport: a.Trackers,
	} {
		if !wanted {
			all = append(all, &fetch.RequestPattern{URLPattern: "*", ResourceType: of})
		}
	}
	return all
}

// gate decides on requests by their URL.
type gate struct {
	Load
	blocked map[string]bool // domains
	robots  *robots.Cache   // nil: not asked
}

func newGate(f *Fetcher, via crawler.Fetcher) *gate {
	g := &gate{Load: f.Load, blocked: make(map[string]bool)}
	if !g.Trackers {
		for d := range strings.FieldsSeq(trackers) {
			g.blocked[d] = true
		}
	}
	for _, d := range g.Block {
		g.blocked[strings.ToLower(strings.Trim(d, "."))] = true
	}
	if g.Load.Robots {
		g.robots = &robots.Cache{Agent: f.userAgent(), Fetch: robotsBy(via)}
	}
	return g
}

// allows reports whether a page may make a request.
func (g *gate) allows(ctx context.Context, method, rawurl string, page frontier.Request) bool {
	u, err := url.Parse(rawurl)
	if err != nil || g.blocks(u.Hostname()) {
		return false
	}
	if g.robots != nil {
		e, known := g.robots.Peek(rawurl)
		if !known {
			if e, err = g.robots.Load(ctx, rawurl); err != nil {
				return false
			}
		}
		if !e.Allowed(rawurl) {
			return false
		}
	}
	return g.Allow == nil || g.Allow(ctx, method, rawurl, page) == nil
}

// blocks looks for a host and all that it is below.
func (g *gate) blocks(host string) bool {
	host = strings.ToLower(host)
	for {
		if g.blocked[host] {
			return true
		}
		_, up, ok := strings.Cut(host, ".")
		if !ok {
			return false
		}
		host = up
	}
}

// robotsBy fetches robots.txt as a crawl does.
func robotsBy(via crawler.Fetcher) robots.Fetch {
	return func(ctx context.Context, url string) (*robots.Answer, error) {
		ask := crawler.Ask{Method: http.MethodGet, Header: http.Header{}}
		for k := range crawler.Asked(ctx).Header {
			ask.Header[k] = nil
		}
		resp, err := via.Fetch(ask.Within(ctx), frontier.Request{URL: url})
		if err != nil {
			return nil, err
		}
		return &robots.Answer{Status: resp.Status, Body: resp.Body, Location: resp.Location}, nil
	}
}
