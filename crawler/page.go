package crawler

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"github.com/webquarry/quarry/crawler/robots"
	"github.com/webquarry/quarry/crawler/sitemap"
	"github.com/webquarry/quarry/frontier"
)

// Response is what a Fetcher brought home for one request.
type Response struct {
	Request   frontier.Request
	URL       string // where the body came from: Request.URL, or the last hop of redirects that were followed
	Status    int
	Header    http.Header
	Body      []byte        // content-decoded
	Truncated bool          // Body was cut at the fetcher's limit
	Wire      int64         // bytes of body received, before decoding
	Fetched   time.Time     // when the first byte of the request was sent
	Took      time.Duration // from then until the last byte of the body
	Location  string        // canonical target of a redirect that was not followed, be it the page's own URL
	Addr      netip.Addr    // that the connection led to; not valid: not known, as behind a proxy
	Extra     any           // what the Fetcher tells beyond this, as the *chrome.Visit of a browser; nil: nothing
}

// Page is what a Parser read in a Response.
type Page struct {
	Response    *Response
	URL         string // canonical URL of the page
	Title       string
	Text        string // visible text, blocks separated by newlines
	Headings    []string
	Description string
	Lang        string // BCP 47 tag, empty when unknown
	Canonical   string // rel=canonical, resolved; empty when absent
	Refresh     string // where a meta refresh or a Refresh header leads within 10 seconds, resolved; empty: nowhere. A Crawler takes it as a redirect
	Links       []Link
	Records     []any    // what Refine or a Parser of one's own made of the page, as crawler/extract does
	Flaws       []string // what was wrong with the document and got around, as "charset: not valid utf-8"

	robots.Directives // NoIndex, NoFollow, ... of meta elements and the header
}

// Link is a link as it stands in a page.
type Link struct {
	URL      string // canonical absolute URL
	Text     string // anchor text, or the alternative text of its image
	Context  string // the words around it and its own, as in Page.Text; see HTML.Context
	Rel      string // in lower case
	Lang     string // hreflang: the language of the target
	NoFollow bool   // rel holds nofollow, ugc or sponsored, or the page says nofollow
	Label    string // goes to the Request that visits it

	// Meta goes to the Request that visits it, and to those that its redirects lead to: what the
	// page says of the target, say, under keys of one's own.
	Meta frontier.Meta

	// Ask says how the target is asked for, as by the POST of a form, see [Ask.On]; nil: by GET. One
	// that cannot wait in a Frontier is told as an Event of [SkipRefused].
	Ask *Ask

	// Listed is what a sitemap says of the target; nil: the link stands in a page.
	Listed *sitemap.Entry
}

// Fetcher gets one URL. It returns a Response for whatever HTTP status the
// server sent, and a *FetchError when there was none or it could not be read. An
// error that has a method Fatal() bool and says true is no matter of the page
// and ends the run; one that has a method SkipReason() string means that the URL
// is not wanted: it is Skipped, for that reason.
//
// A Fetcher may have the method
//
//	Addr(ctx context.Context, url string) netip.Addr
//
// of [HTTP], and one that lies around another hands it on: by it a Frontier's
// limits per address hold from the first visit of a host on.
type Fetcher interface {
	Fetch(ctx context.Context, req frontier.Request) (*Response, error)
}

// Parser reads one response. It must not change or keep resp.Body, and returns
// a page, possibly without links, for any body it understands. For a type that
// it does not read the error matches ErrUnsupportedType.
//
// A Parser that reads sitemaps may have the method
//
//	Sitemaps(robots string, named []string) []frontier.Request
//
// A run then visits what it returns of each robots.txt that was had, given its
// URL and the sitemaps named there. Follow is not asked about these.
type Parser interface {
	Parse(ctx context.Context, resp *Response) (*Page, error)
}

// Sink takes what the visits of a crawl found: pages, and that pages which it has are
// gone or have moved. Put may be called from many goroutines. A Result is put at least
// once: after a crash the last ones come again. When Put returns nil it counts as
// stored, and only then the Frontier is told; an error ends the crawl. Who wants
// pages only has [Pages].
type Sink interface {
	Put(ctx context.Context, r *Result) error
}

// As returns f as a T, such as a [Resolver], or else what f wraps, which its method
// Unwrap() Fetcher returns, and so on. A Fetcher around another one should have that method,
// or limits per address hold from the second visit of a host on only.
func As[T any](f Fetcher) (T, bool) {
	for f != nil {
		if t, ok := f.(T); ok {
			return t, true
		}
		w, ok := f.(interface{ Unwrap() Fetcher })
		if !ok {
			break
		}
		f = w.Unwrap()
	}
	var none T
	return none, false
}

// FetcherFunc is a function as a Fetcher.
type FetcherFunc func(ctx context.Context, req frontier.Request) (*Response, error)

// Fetch calls f.
func (f FetcherFunc) Fetch(ctx context.Context, req frontier.Request) (*Response, error) {
	return f(ctx, req)
}

// SinkFunc is a function as a Sink.
type SinkFunc func(ctx context.Context, r *Result) error

// Put calls f.
func (f SinkFunc) Put(ctx context.Context, r *Result) error { return f(ctx, r) }

// Middleware wraps a Fetcher with another.
type Middleware func(Fetcher) Fetcher

// Follow picks the links to visit and how soon: a greater priority comes
// sooner. It is asked about the targets of redirects too, as if they were links
// of the page that the redirecting URL was found on; of that page only URL and
// Response.Request are known then. It may be called from many goroutines.
type Follow func(from *Page, link Link) (priority float64, ok bool)

// Revisit decides what becomes of a request after its visit: Again, Delay, Meta
// and Priority of the outcome are used. Values of Meta come back with the request of the
// next visit, so that what a URL was like before can be known then. How long the
// host rests is the Frontier's decision, by what the Crawler tells it of the
// visit. resp is nil when err is not.
type Revisit func(req frontier.Request, resp *Response, err error) frontier.Outcome
