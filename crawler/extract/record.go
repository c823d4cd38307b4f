package extract

import (
	"context"
	"errors"
	"fmt"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/urlnorm"
)

// Record is a record with its fields by name: values of the types that [Type]
// lists, a Record for a nested record, and []any for a list. A field for which
// nothing was found, and that has no default, is not there.
type Record map[string]any

// Records takes the records out of a document. URLs in it are relative to url
// and to the base element. A record that lacks a required field is left out;
// one with a value that cannot be read lacks that field. The error joins a
// *[FieldError] for each of them, at most a hundred; records come with it.
//
// At most 10,000 records are taken of a page and 100,000 values, each of them a
// mebibyte at most. A page with many rules takes about as long to extract from
// as to parse.
func (x *Extractor) Records(doc *goquery.Document, url string) ([]Record, error) {
	records, _, errs := x.records(doc, url)
	return records, errors.Join(errs...)
}

// records also gives the path of each record.
func (x *Extractor) records(doc *goquery.Document, url string) (records []Record, paths []string, errs []error) {
	if len(doc.Nodes) == 0 {
		return nil, nil, nil
	}
	root := doc.Nodes[0]
	p := &page{root: root, base: baseOf(root, url), left: maxValues}
	add := func(at found, path string) {
		if r, _ := p.record(x.fields, at, path); r != nil {
			records, paths = append(records, r), append(paths, path)
		}
	}
	if x.each == nil {
		add(found{node: root}, "")
	}
	for _, rule := range x.each {
		roots, err := p.find(rule, found{node: root}, maxMatches)
		if err != nil {
			p.fail("each", err)
		}
		for i, at := range roots {
			add(at, fmt.Sprintf("[%d]", i))
		}
		if len(roots) > 0 {
			break
		}
	}
	return records, paths, p.errs
}

// record reads the fields within at. It is nil when a required one is missing;
// any says that a rule found something.
func (p *page) record(fields []field, at found, path string) (r Record, any bool) {
	r = make(Record, len(fields))
	complete := true
	for i := range fields {
		f := &fields[i]
		v, err := p.value(f, at, join(path, f.Name))
		if err != nil {
			p.fail(join(path, f.Name), err)
		}
		if v != nil {
			any = true
		} else {
			v = f.preset
		}
		if v != nil {
			r[f.Name] = v
		} else if f.Required {
			if complete = false; err == nil {
				p.fail(join(path, f.Name), ErrMissing)
			}
		}
	}
	if !complete {
		return nil, any
	}
	return r, any
}

// value tries the rules of a field, and gives nil where none finds anything.
// The error is that of the first rule that found something unreadable, when no
// other found better.
func (p *page) value(f *field, at found, path string) (any, error) {
	if f.fields != nil && len(f.rules) == 0 {
		return p.nested(f, []found{at}, path), nil
	}
	var first error
	for _, r := range f.rules {
		limit := 1
		if f.List || f.fields == nil {
			limit = maxMatches
		}
		all, err := p.find(r, at, limit)
		if err == nil {
			var v any
			if v, err = p.take(f, r, all, path); v != nil {
				return v, nil
			}
		}
		if first == nil {
			first = err
		}
	}
	if f.Type == Present && first == nil {
		return false, nil
	}
	return nil, first
}

// take reads what a rule found.
func (p *page) take(f *field, r rule, all []found, path string) (any, error) {
	if f.fields != nil {
		return p.nested(f, all, path), nil
	}
	var list []any
	var first error
	for i, one := range all {
		one, ok := r.raw(one, f.Type)
		if !ok {
			continue
		}
		p.left, p.bytes = p.left-1, p.bytes+len(one.text)
		if p.left < 0 || p.bytes > maxBytes {
			return listOrNil(list), errTooMany
		}
		v, err := f.convert(one, p.base)
		switch {
		case err == nil && !f.List:
			return v, nil
		case err == nil:
			list = append(list, v)
		case f.List:
			p.fail(fmt.Sprintf("%s[%d]", path, i), err)
		case first == nil:
			first = err
		}
	}
	return listOrNil(list), first
}

// nested reads records within a record. One of which no field was found is
// none.
func (p *page) nested(f *field, all []found, path string) any {
	var list []any
	for i, at := range all {
		if p.left--; p.left < 0 {
			p.fail(path, errTooMany)
			break
		}
		here := path
		if f.List {
			here = fmt.Sprintf("%s[%d]", path, i)
		}
		r, some := p.record(f.fields, at, here)
		if r == nil || !some {
			continue
		}
		if !f.List {
			return r
		}
		list = append(list, r)
	}
	return listOrNil(list)
}

func listOrNil(list []any) any {
	if len(list) == 0 {
		return nil
	}
	return list
}

// Refine puts the records of a page into its Records, and what went wrong with
// them into its Flaws. It is made to be the Refine of [crawler.HTML].
func (x *Extractor) Refine(doc *goquery.Document, page *crawler.Page) error {
	if x.urls != nil {
		if _, ok := x.urls(nil, crawler.Link{URL: page.URL}); !ok {
			return nil
		}
	}
	records, err := x.Records(doc, pageURL(page))
	for _, r := range records {
		page.Records = append(page.Records, r)
	}
	flaws(page, x.name, err)
	return nil
}

// flaws notes the errors of records with a page.
func flaws(page *crawler.Page, name string, err error) {
	for _, e := range unjoin(err) {
		s := e.Error()
		if name != "" {
			s = name + ": " + s
		}
		page.Flaws = append(page.Flaws, s)
	}
}

func unjoin(err error) []error {
	if err == nil {
		return nil
	}
	if j, ok := err.(interface{ Unwrap() []error }); ok {
		return j.Unwrap()
	}
	return []error{err}
}

// pageURL is what the links of a page are relative to.
func pageURL(page *crawler.Page) string {
	if page.Response != nil && page.Response.URL != "" {
		return page.Response.URL
	}
	return page.URL
}

// Document reads a response as [crawler.HTML] does: its encoding is found out,
// and what is nested too deep is read without structure. For a body that is no
// HTML the error matches [crawler.ErrUnsupportedType].
func Document(ctx context.Context, resp *crawler.Response) (*goquery.Document, error) {
	var doc *goquery.Document
	h := crawler.HTML{Refine: func(d *goquery.Document, _ *crawler.Page) error {
		doc = d
		return nil
	}}
	if _, err := h.Parse(ctx, resp); err != nil {
		return nil, err
	}
	if doc == nil {
		return nil, &crawler.FetchError{URL: resp.URL, Kind: crawler.ErrUnsupportedType, Err: errors.New("plain text")}
	}
	return doc, nil
}

// baseOf returns what URLs in a document are relative to.
func baseOf(root *html.Node, url string) string {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == "base" {
			if href, ok := attr(n, "href"); ok {
				if u, err := urlnorm.URL(url, href); err == nil {
					return u
				}
				return url
			}
		}
		if n.Data == "body" {
			break
		}
	}
	return url
}
