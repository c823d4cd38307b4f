package content

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ledongthuc/pdf"

	"github.com/webquarry/quarry/crawler"
)

// PDF is the Parser for PDF documents. Text is what the pages show, in the
// order in which the document draws it, lines on lines of their own; scanned
// pages have none. The title is the document's, else its first line; headings
// are its bookmarks; links are those that can be clicked.
//
// Documents that need a password are refused, and so are those that are cut off,
// for the table of their contents is at their end.
type PDF struct {
	MaxBytes int64         // of the document; 32 MiB
	MaxPages int           // that are read; 2,000
	Timeout  time.Duration // for a document; 10 s. What was read by then is what the page has
	HTML     *crawler.HTML // makes the page: agent, canonical form, caps; nil: the default
}

// Bounds of what is read of one document.
const (
	pdfBytes    = 32 << 20
	pdfPages    = 2000
	pdfTimeout  = 10 * time.Second
	pdfText     = 4 << 20 // bytes of text
	pdfLinks    = 10_000
	pdfHeadings = 1000
)

// Parse reads a PDF. One that is broken, too large or made to do harm is a
// *FetchError of kind ErrParse.
func (p PDF) Parse(ctx context.Context, resp *crawler.Response) (*crawler.Page, error) {
	most, timeout := p.MaxBytes, p.Timeout
	if most <= 0 {
		most = pdfBytes
	}
	if timeout <= 0 {
		timeout = pdfTimeout
	}
	if int64(len(resp.Body)) > most {
		return nil, failed(resp, fmt.Errorf("pdf: more than %d bytes", most))
	}
	src, err := newPDFSource(resp.Body)
	if err != nil {
		return nil, failed(resp, err)
	}
	d, err := within(ctx, timeout, func(ctx context.Context) (*document, error) {
		src.ctx = ctx
		return p.read(ctx, src)
	})
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, failed(resp, err)
	}
	return d.page(ctx, resp, p.HTML)
}

// read reads a document. What goes wrong with a page costs that page.
func (p PDF) read(ctx context.Context, src *pdfSource) (*document, error) {
	r, err := pdf.NewReader(src, src.size())
	if err != nil {
		return nil, fmt.Errorf("pdf: %s", strings.TrimPrefix(err.Error(), "malformed PDF: "))
	}
	d := new(document)
	root := r.Trailer().Key("Root")
	_ = guard(func() error {
		about := r.Trailer().Key("Info")
		d.title, d.description = clean(about.Key("Title").Text()), clean(about.Key("Subject").Text())
		d.lang = root.Key("Lang").Text()
		return nil
	})
	pages := pdfPageList{most: p.MaxPages, ctx: ctx}
	if pages.most <= 0 {
		pages.most = pdfPages
	}
	err = guard(func() error { return pages.walk(root.Key("Pages"), 0) })
	if len(pages.all) == 0 {
		return nil, fmt.Errorf("pdf: no pages: %w", cmp.Or(err, context.Cause(ctx), errors.New("its page tree has none")))
	}
	var text pdfWriter
	broken := 0
	var why error
	for _, page := range pages.all {
		if ctx.Err() != nil || text.out.Len() > pdfText {
			d.flaws = append(d.flaws, "pdf: not all pages were read")
			break
		}
		show := newPDFShow(ctx, &text)
		if err := guard(func() error { return show.drawing(page) }); err != nil {
			broken++
			why = cmp.Or(why, err)
		}
		text.newline()
		_ = guard(func() error { d.annotations(page.V.Key("Annots")); return nil })
	}
	if broken > 0 {
		d.flaws = append(d.flaws, fmt.Sprintf("pdf: %d of %d pages are broken: %v", broken, len(pages.all), why))
	}
	_ = guard(func() error { d.bookmarks(root.Key("Outlines").Key("First"), 0); return nil })
	if broken == len(pages.all) && strings.TrimSpace(text.out.String()) == "" {
		return nil, fmt.Errorf("pdf: no page can be read: %w", why)
	}
	if d.title == "" {
		d.title = firstLine(text.out.String())
	}
	d.pre(text.String())
	return d, nil
}

// annotations takes the links of a page.
func (d *document) annotations(list pdf.Value) {
	for i := range min(list.Len(), pdfLinks) {
		a := list.Index(i)
		if uri := a.Key("A").Key("URI").RawString(); a.Key("Subtype").Name() == "Link" && uri != "" && len(uri) < 8<<10 && d.links.Len() < 1<<20 {
			d.link(uri, clean(a.Key("Contents").Text()), "")
		}
	}
}

// bookmarks takes the titles of an outline for headings.
func (d *document) bookmarks(item pdf.Value, depth int) {
	for item.Kind() == pdf.Dict && len(d.headings) < pdfHeadings && depth < 8 {
		if title := strings.TrimSpace(clean(item.Key("Title").Text())); title != "" {
			d.headings = append(d.headings, title)
		}
		d.bookmarks(item.Key("First"), depth+1)
		item = item.Key("Next")
	}
}

// pdfPageList is the pages of a document in order.
type pdfPageList struct {
	ctx  context.Context
	most int
	seen int // nodes of the tree
	all  []pdf.Page
}

func (l *pdfPageList) walk(node pdf.Value, depth int) error {
	if l.seen++; depth > 40 || l.seen > 4*l.most || l.ctx.Err() != nil {
		return errors.New("the tree of pages does not end")
	}
	kids := node.Key("Kids")
	if node.Key("Type").Name() == "Page" || kids.Kind() != pdf.Array {
		if node.Kind() == pdf.Dict {
			l.all = append(l.all, pdf.Page{V: node})
		}
		return nil
	}
	for i := range kids.Len() {
		if len(l.all) >= l.most {
			return nil
		}
		if err := guard(func() error { return l.walk(kids.Index(i), depth+1) }); err != nil && l.ctx.Err() != nil {
			return err
		}
	}
	return nil
}

// firstLine is the first line of a text, if it is short enough for a title.
func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if len(s) > 120 {
		return ""
	}
	return s
}

// clean makes a text that came out of a PDF valid, and takes ligatures apart.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	for _, l := range ligatures {
		s = strings.ReplaceAll(s, l[0], l[1])
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
}

var ligatures = [...][2]string{
	{"\uFB00", "ff"}, {"\uFB01", "fi"}, {"\uFB02", "fl"}, {"\uFB03", "ffi"}, {"\uFB04", "ffl"}, {"\uFB05", "st"}, {"\uFB06", "st"},
}
