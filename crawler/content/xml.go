package content

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"github.com/webquarry/quarry/crawler"
)

// Bounds of what is read of one XML or JSON document.
const (
	mostNodes = 1_000_000 // elements, or values
	mostText  = 4 << 20   // bytes of text that are kept
)

// XML is the Parser for XML that is nothing else. Text is that of all elements,
// each a block of its own; the title is the first element of that name; links
// are attributes and elements that hold an http or https URL, and the href and
// src of any element.
type XML struct {
	HTML *crawler.HTML // makes the page: agent, canonical form, caps; nil: the default
}

// Parse reads XML as far as it is well-formed, and is forgiving about it. Where
// there is no element at all the error is of kind ErrParse.
func (x XML) Parse(ctx context.Context, resp *crawler.Response) (*crawler.Page, error) {
	d := new(document)
	body, flaws := inUTF8(resp)
	d.flaws = flaws
	dec := xml.NewDecoder(bytes.NewReader(xmlText(body)))
	dec.Strict = false
	dec.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	w := xmlWalk{d: d}
	var err error
	for err == nil && w.nodes < mostNodes && d.body.Len() < mostText {
		if w.nodes%1024 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		var t xml.Token
		if t, err = dec.RawToken(); err == nil {
			w.token(t)
		}
	}
	w.flush()
	if w.nodes == 0 {
		if err == nil || errors.Is(err, io.EOF) {
			err = errors.New("no XML")
		}
		return nil, failed(resp, err)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		d.flaws = append(d.flaws, "xml: "+err.Error())
	}
	return d.page(ctx, resp, x.HTML)
}

type xmlWalk struct {
	d     *document
	name  string
	text  strings.Builder
	nodes int
}

func (w *xmlWalk) token(t xml.Token) {
	switch t := t.(type) {
	case xml.StartElement:
		w.nodes++
		w.flush()
		w.name = t.Name.Local
		for _, a := range t.Attr {
			if isLink(a.Name.Local, a.Value) && a.Name.Space != "xmlns" && a.Name.Local != "xmlns" {
				w.d.link(a.Value, "", "")
			}
		}
	case xml.EndElement:
		w.flush()
	case xml.CharData:
		w.text.Write(t)
	}
}

// flush takes the text so far for a block.
func (w *xmlWalk) flush() {
	text := strings.TrimSpace(w.text.String())
	w.text.Reset()
	if text == "" {
		return
	}
	if w.d.title == "" && strings.EqualFold(w.name, "title") {
		w.d.title = text
	}
	if isLink("", text) {
		w.d.link(text, "", "")
	}
	w.d.block(text)
}

// isLink reports whether a value is a URL.
func isLink(name, value string) bool {
	if len(value) > 2048 || strings.ContainsAny(value, " \t\r\n") {
		return false
	}
	switch strings.ToLower(name) {
	case "href", "src":
		return value != ""
	}
	return strings.HasPrefix(value, "http://") || strings.HasPrefix(value, "https://")
}
