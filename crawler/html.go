package crawler

import (
	"cmp"
	"context"
	"errors"

	"github.com/PuerkitoBio/goquery"
	xhtml "golang.org/x/net/html"

	"github.com/webquarry/quarry/crawler/internal/charset"
	"github.com/webquarry/quarry/crawler/internal/html"
	"github.com/webquarry/quarry/crawler/urlnorm"
)

// HTML is the Parser for HTML, XHTML and plain text pages. Its zero value is
// ready; it may be used by many goroutines as long as it is not changed.
//
// Text is what a reader without style sheets would see. Scripts, styles,
// templates, what the attribute hidden, an inline "display: none" or a closed
// dialog hides, fallback content of media, ruby annotations and the ¶ of
// permalinks are left out; what only aria-hidden hides is kept, for that is
// about screen readers. White space is collapsed, blocks are lines, table
// cells are apart by a tab, and pre keeps its lines. The content of noscript
// does not count as text, but its links do.
//
// Links come from a, area, iframe and frame, from link elements with rel next
// or prev, or with rel alternate and hreflang, and from meta refresh and the Refresh header, in this document
// order with repetitions; the Rel of frames is "frame", of refreshes
// "refresh"; one that is due within ten seconds is Page.Refresh as well. Hidden links are links; so are those in noscript, noframes and
// declarative shadow roots, but not those in other templates. Links that are
// not http or https, and those from a page to a fragment of itself, are left
// out.
//
// The body is decoded as its byte order mark says, else the Content-Type
// header, else a declaration in its first 4 KiB, else as UTF-8 when it is
// valid, else by statistics, else as windows-1252. A page nested deeper than
// golang.org/x/net/html allows (512) is read without its structure instead of
// being lost.
//
// Time is linear in the size of the body, about 2 ms for 100 KB, and memory
// while at it twice the body where it is mostly tags, up to seven times where it is
// all text, unless a document has to be made: for Refine, with NoScript, and where
// tags are misnested such that their order is not that of the text. Then it is 5 ms,
// and fifteen times the body. One tag of a million attributes takes the tokenizer of
// golang.org/x/net/html forty times the body, and as many tags behind it some seconds.
//
// At most a million tags of a body are read, 1,000 headings and MaxLinks links kept,
// and 1,000 bytes of a title, heading or anchor text. Page.Flaws tells where tags or
// links were left out, and of all the other trouble that was got around.
type HTML struct {
	// Agent is the product token that robots directives may be addressed to:
	// <meta name="mybot" content="noindex"> and X-Robots-Tag: mybot: noindex.
	// They add to those for everybody. Empty: only those for everybody count. A
	// Crawler without Parser takes the token of its UserAgent.
	Agent string

	// Canon makes link URLs canonical. Nil: as the Crawler says, and without one
	// the default profile.
	Canon *urlnorm.Profile

	// NoScript reads pages as browsers do when scripts are off: the content of
	// noscript is part of the page.
	NoScript bool

	// MaxLinks is how many links of a page are kept, and how many that differ:
	// repetitions of the first do not crowd out those that come later. Zero: 50,000.
	MaxLinks int

	// Context is how many words on either side of a link its Context holds, where
	// the link is part of the text. Zero: none.
	Context int

	// Feeds are links too: those of link elements with rel alternate and the
	// type of RSS, Atom or a JSON feed. So are, with Media, images, audio and
	// video, all candidates of a srcset among them, with the Rel "media"; and
	// with DataLinks what the attributes data-href, data-url and data-link of
	// any element hold, with the Rel "data".
	Feeds, Media, DataLinks bool

	// Refine, when set, sees the document after what HTML read of it, and may
	// change the page: take a field by a selector, drop a link, give the text
	// of the main column alone. An error fails the page. It is not called for
	// plain text.
	Refine func(doc *goquery.Document, page *Page) error
}

// ErrUnsupportedType is a Parser's word for a body that it does not read: an
// event rather than an error.
const ErrUnsupportedType Kind = "unsupported type"

var _ Parser = (*HTML)(nil)

// Parse reads resp as its media type says, or its first bytes where the header
// is silent. A body that is neither HTML nor plain text is a [*FetchError] of
// kind ErrUnsupportedType that names its type, an error of Refine one of kind
// ErrParse. No other error is returned but that of ctx.
func (h *HTML) Parse(ctx context.Context, resp *Response) (*Page, error) {
	media, kind := html.TypeOf(resp.Header, resp.Body)
	if kind == html.Other {
		return nil, &FetchError{URL: resp.URL, Kind: ErrUnsupportedType, Err: errors.New(media)}
	}
	page, doc, err := h.page(ctx, resp, media, kind)
	if err != nil {
		return nil, err
	}
	if h.Refine != nil && doc != nil {
		if err := h.Refine(goquery.NewDocumentFromNode(doc), page); err != nil {
			return nil, &FetchError{URL: resp.URL, Kind: ErrParse, Err: err}
		}
	}
	return page, nil
}

// page reads a response. There is a document where Refine wants it, but for plain text.
func (h *HTML) page(ctx context.Context, resp *Response, media string, kind html.Kind) (*Page, *xhtml.Node, error) {
	run := termsOf(ctx)
	free, err := run.core(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer free()
	src := html.Source{URL: resp.URL, Header: resp.Header, Body: resp.Body, Fetched: resp.Fetched}
	p, doc, err := html.Read(ctx, &src, media, kind, h.options(run))
	if err != nil {
		return nil, nil, err
	}
	page := &Page{
		Response: resp, URL: p.URL, Title: p.Title, Text: p.Text, Headings: p.Headings, Description: p.Description, Lang: p.Lang,
		Canonical: p.Canonical, Refresh: p.Refresh, Flaws: p.Flaws, Directives: p.Directives,
	}
	if p.Links != nil {
		page.Links = make([]Link, len(p.Links))
	}
	for i := range p.Links {
		l := &p.Links[i]
		page.Links[i] = Link{URL: l.URL, Text: l.Text, Context: l.Context, Rel: l.Rel, Lang: l.Lang, NoFollow: l.NoFollow}
	}
	return page, doc, nil
}

// Profile is what Parse makes URLs canonical by: Canon, or else the profile of
// the run that ctx is of, or else the default. It is for Parsers that hand on to
// h what they do not read themselves.
func (h *HTML) Profile(ctx context.Context) *urlnorm.Profile { return h.options(termsOf(ctx)).Canon }

// options are those of h, and what it leaves to the Crawler.
func (h *HTML) options(run terms) *html.Options {
	o := &html.Options{
		Agent: cmp.Or(h.Agent, run.agent), Canon: cmp.Or(h.Canon, run.canon), NoScript: h.NoScript, MaxLinks: 50_000, Context: h.Context,
		Feeds: h.Feeds, Media: h.Media, DataLinks: h.DataLinks, Tree: h.Refine != nil,
	}
	if h.MaxLinks > 0 {
		o.MaxLinks = h.MaxLinks
	}
	return o
}

// ToUTF8 reads a text in the encoding that, in this order, its byte order mark, a
// Content-Type header, its own declaration in XML or HTML, its being valid UTF-8 and
// the statistics of its bytes speak for. language, from a Content-Language header or
// empty, is a hint for the last. What is no text in that encoding becomes U+FFFD;
// flaw says so, or that a declaration was wrong, and is empty where all is well.
func ToUTF8(body []byte, contentType, language string) (text []byte, flaw string) {
	t := charset.Decode(body, contentType, language)
	return t.Body, t.Flaw
}
