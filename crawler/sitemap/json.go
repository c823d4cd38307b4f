package sitemap

import (
	"encoding/json"
	"errors"

	"github.com/webquarry/quarry/crawler/internal/when"
)

// jsonItem is an item of a JSON feed (https://jsonfeed.org/version/1.1).
type jsonItem struct {
	URL       string `json:"url"`
	External  string `json:"external_url"`
	ID        any    `json:"id"`
	Title     string `json:"title"`
	Published string `json:"date_published"`
	Modified  string `json:"date_modified"`
	Image     string `json:"image"`
}

// readJSON reads a JSON feed.
func (w *walk) readJSON() {
	d := json.NewDecoder(w.in)
	if err := w.jsonFeed(d); err != nil && !w.stopped {
		_, syntax := errors.AsType[*json.SyntaxError](err)
		_, kind := errors.AsType[*json.UnmarshalTypeError](err)
		if syntax || kind || errors.Is(err, errItems) {
			w.note(ErrMalformed, err)
		} else {
			w.failed(err)
		}
	}
}

var (
	errEnough = errors.New("sitemap: enough")
	errItems  = errors.New("items are no list")
)

func (w *walk) jsonFeed(d *json.Decoder) error {
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		switch key {
		case "items":
			err = w.jsonItems(d)
		case "next_url":
			var next string
			if err = d.Decode(&next); err == nil && next != "" && !w.give(Entry{URL: next, Sitemap: true, Priority: 0.5}) {
				err = errEnough
			}
		default:
			var skip json.RawMessage
			err = d.Decode(&skip)
		}
		if errors.Is(err, errEnough) {
			return nil
		} else if err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

func (w *walk) jsonItems(d *json.Decoder) error {
	if t, err := d.Token(); err != nil {
		return err
	} else if t != json.Delim('[') {
		return errItems
	}
	for d.More() {
		var item jsonItem
		err := d.Decode(&item)
		if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			w.note(ErrMalformed, kind) // one item; the decoder is past it
			err = nil
		}
		if err != nil {
			return err
		}
		if !w.give(item.entry()) {
			return errEnough
		}
	}
	_, err := d.Token()
	return err
}

func (i *jsonItem) entry() Entry {
	e := Entry{URL: i.URL, Title: i.Title, Priority: 0.5}
	if id, ok := i.ID.(string); ok && e.URL == "" && hasScheme(id) {
		e.URL = id
	}
	if e.URL == "" {
		e.URL = i.External
	}
	var ok bool
	if e.Modified, ok = when.Parse(i.Modified); !ok {
		e.Modified, _ = when.Parse(i.Published)
	}
	if i.Image != "" {
		e.Images = []string{i.Image}
	}
	return e
}
