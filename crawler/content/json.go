package content

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/webquarry/quarry/crawler"
)

// JSON is the Parser for JSON, also with one value a line. Text is all strings
// and numbers, each a line of its own behind the name it goes by; the title is
// the first string that goes by title, name or headline; links are strings that
// are an http or https URL.
type JSON struct {
	HTML *crawler.HTML // makes the page: agent, canonical form, caps; nil: the default
}

// Parse reads JSON up to its first error. Where there is no value before that,
// the error is of kind ErrParse.
func (j JSON) Parse(ctx context.Context, resp *crawler.Response) (*crawler.Page, error) {
	d := new(document)
	body, flaws := inUTF8(resp)
	d.flaws = flaws
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	w := jsonWalk{d: d}
	var err error
	for err == nil && w.nodes < mostNodes && w.text.Len() < mostText {
		if w.nodes%1024 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		var t json.Token
		if t, err = dec.Token(); err == nil {
			w.token(t)
		}
	}
	if w.nodes == 0 {
		if err == nil || errors.Is(err, io.EOF) {
			err = errors.New("no JSON")
		}
		return nil, failed(resp, err)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		d.flaws = append(d.flaws, "json: "+err.Error())
	}
	d.pre(w.text.String())
	return d.page(ctx, resp, j.HTML)
}

// jsonWalk follows tokens. A key is a string in an object where a value would
// not be.
type jsonWalk struct {
	d     *document
	text  strings.Builder
	open  []json.Delim
	key   string // of the value that comes
	keyed bool   // there is one
	nodes int
}

func (w *jsonWalk) token(t json.Token) {
	w.nodes++
	if delim, ok := t.(json.Delim); ok {
		if delim == '{' || delim == '[' {
			w.open = append(w.open, delim)
		} else {
			w.open = w.open[:len(w.open)-1]
		}
		w.keyed = false
		return
	}
	inObject := len(w.open) > 0 && w.open[len(w.open)-1] == '{'
	if s, ok := t.(string); ok && inObject && !w.keyed {
		w.key, w.keyed = s, true
		return
	}
	if inObject {
		w.keyed = false
	}
	switch v := t.(type) {
	case string:
		w.value(v)
	case json.Number:
		w.value(v.String())
	}
}

func (w *jsonWalk) value(s string) {
	if s = strings.TrimSpace(s); s == "" {
		return
	}
	if w.key != "" {
		w.text.WriteString(w.key + ": ")
	}
	w.text.WriteString(s + "\n")
	if isLink("", s) {
		w.d.link(s, w.key, "")
	}
	switch strings.ToLower(w.key) {
	case "title", "name", "headline":
		if w.d.title == "" {
			w.d.title = s
		}
	}
}
