package html

import (
	"context"
	"net/http"
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/webquarry/quarry/crawler/internal/charset"
	"github.com/webquarry/quarry/crawler/robots"
	"github.com/webquarry/quarry/crawler/urlnorm"
)

// Options say what is read of a page.
type Options struct {
	Agent     string           // product token that robots directives may be addressed to; empty: none
	Canon     *urlnorm.Profile // makes URLs canonical
	NoScript  bool             // the content of noscript is part of the page
	MaxLinks  int              // of links that are kept, and of those that differ
	Context   int              // words on either side of a link; 0: none
	Feeds     bool             // links to feeds are links
	Media     bool             // images, audio and video are links
	DataLinks bool             // what data-href and the like hold is a link
	Tree      bool             // the document is wanted
}

// Source is what a page is read from.
type Source struct {
	URL     string
	Header  http.Header
	Body    []byte
	Fetched time.Time // directives that expire are read as of then; zero: now
}

// Page is what a source says.
type Page struct {
	URL         string // canonical, where it can be
	Title       string
	Text        string // what is visible, blocks apart by newlines
	Headings    []string
	Description string
	Lang        string // BCP 47 tag; empty: unknown
	Canonical   string // rel=canonical, resolved
	Refresh     string // where it leads by itself, soon, resolved
	Links       []Link
	Flaws       []string // what was wrong and got around

	robots.Directives
}

// Link is a link of a page.
type Link struct {
	URL      string // canonical
	Text     string
	Context  string
	Rel      string // in lower case, tokens apart by one space
	Lang     string
	NoFollow bool
}

// Read reads a source of a type and kind, as TypeOf gives them. Where the document is
// wanted, and there is one, it is returned as well. The only error is that of ctx.
func Read(ctx context.Context, src *Source, media string, kind Kind, opt *Options) (*Page, *html.Node, error) {
	t := charset.Decode(src.Body, src.Header.Get("Content-Type"), singleLanguage(src.Header))
	r := newReader(src, t, opt)
	if kind == Plain {
		r.plain(string(t.Body))
		r.finish()
		return r.page, nil, nil
	}
	if strings.HasSuffix(media, "xml") {
		t.Body = withEndTags(t.Body)
	}
	if !opt.Tree && !opt.NoScript {
		if r.stream(ctx, t.Body) {
			r.finish()
			return r.page, nil, nil
		}
		r = newReader(src, t, opt)
	}
	doc, err := r.document(ctx, t.Body)
	if err == nil {
		err = r.read(ctx, doc)
	}
	if err != nil {
		return nil, nil, err
	}
	r.finish()
	return r.page, doc, nil
}

// newReader begins a page with what its header says.
func newReader(src *Source, t charset.Text, opt *Options) *reader {
	r := &reader{opt: opt, from: src, page: &Page{URL: src.URL}, charset: t.Charset}
	if u, err := opt.Canon.URL("", src.URL); err == nil {
		r.page.URL = u
	}
	r.flaw(t.Flaw)
	r.header(src.Header)
	return r
}

// document builds the tree of a page.
func (r *reader) document(ctx context.Context, body []byte) (*html.Node, error) {
	in := &tagReader{ctx: ctx, body: body}
	root, err := html.ParseWithOptions(in, html.ParseOptionEnableScripting(!r.opt.NoScript))
	if err != nil && ctx.Err() == nil {
		r.flaw("html: " + strings.TrimPrefix(err.Error(), "html: "))
		in = &tagReader{ctx: ctx, body: body}
		root, err = flatTree(in, !r.opt.NoScript)
	}
	if err != nil {
		return nil, err
	}
	if in.cut {
		r.flaw(flawCut)
	}
	return root, nil
}
