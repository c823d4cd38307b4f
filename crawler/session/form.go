package session

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/PuerkitoBio/goquery"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/urlnorm"
)

// form is what a form of a page would send.
type form struct {
	method string
	action string
	values url.Values
}

var errNoForm = errors.New("no form with a password field")

// readForm reads the form that sel selects, or the first one with a password
// field. Fields that the page fills in itself, tokens against forgery above
// all, keep their values.
func readForm(resp *crawler.Response, sel string) (*form, error) {
	doc, err := goquery.NewDocumentFromReader(bytes.NewReader(resp.Body))
	if err != nil {
		return nil, err
	}
	at, err := findForm(doc, sel)
	if err != nil {
		return nil, err
	}
	base, err := url.Parse(resp.URL)
	if err != nil {
		return nil, err
	}
	if href, ok := doc.Find("base[href]").First().Attr("href"); ok {
		if b, err := base.Parse(strings.TrimSpace(href)); err == nil {
			base = b
		}
	}
	action, err := base.Parse(strings.TrimSpace(at.AttrOr("action", "")))
	if err != nil || action.Scheme != "http" && action.Scheme != "https" {
		return nil, fmt.Errorf("its form goes to %q", at.AttrOr("action", ""))
	}
	action.Fragment = ""
	f := &form{method: http.MethodGet, action: action.String(), values: url.Values{}}
	if strings.EqualFold(at.AttrOr("method", ""), "post") {
		f.method = http.MethodPost
	}
	f.fill(doc, at)
	return f, nil
}

func findForm(doc *goquery.Document, sel string) (*goquery.Selection, error) {
	if sel != "" {
		if at := doc.Find(sel).First(); at.Is("form") {
			return at, nil
		}
		return nil, fmt.Errorf("no form %s", sel)
	}
	at := doc.Find("form").FilterFunction(func(_ int, f *goquery.Selection) bool { return hasPassword(f) }).First()
	if at.Length() == 0 {
		return nil, errNoForm
	}
	return at, nil
}

func hasPassword(f *goquery.Selection) bool {
	return f.Find("input").FilterFunction(func(_ int, in *goquery.Selection) bool {
		return strings.EqualFold(in.AttrOr("type", ""), "password")
	}).Length() > 0
}

// fill takes the values that a browser would send if nothing were typed and the
// first button pressed.
func (f *form) fill(doc *goquery.Document, at *goquery.Selection) {
	controls := at.Find("input, select, textarea, button")
	if id := at.AttrOr("id", ""); id != "" {
		controls = controls.AddSelection(doc.Find("input, select, textarea, button").FilterFunction(func(_ int, s *goquery.Selection) bool {
			return s.AttrOr("form", "") == id
		}))
	}
	pressed := false
	controls.Each(func(_ int, in *goquery.Selection) {
		name := in.AttrOr("name", "")
		if _, off := in.Attr("disabled"); off {
			return
		}
		kind := strings.ToLower(in.AttrOr("type", ""))
		switch goquery.NodeName(in) {
		case "select":
			chosen := in.Find("option[selected]")
			if chosen.Length() == 0 {
				chosen = in.Find("option")
			}
			f.add(name, chosen.First().AttrOr("value", strings.TrimSpace(chosen.First().Text())))
			return
		case "textarea":
			f.add(name, in.Text())
			return
		case "button":
			kind = "submit"
		}
		switch kind {
		case "submit", "image":
			if !pressed && name != "" {
				f.add(name, in.AttrOr("value", ""))
			}
			pressed = true
		case "button", "reset", "file":
		case "checkbox", "radio":
			if _, checked := in.Attr("checked"); checked {
				f.add(name, in.AttrOr("value", "on"))
			}
		default:
			f.add(name, in.AttrOr("value", ""))
		}
	})
}

func (f *form) add(name, value string) {
	if name != "" {
		f.values.Add(name, value)
	}
}

// set types values into fields. A name that the form lacks is an error: what is
// sent would be ignored.
func (f *form) set(fields map[string]string) error {
	for name, value := range fields {
		if _, ok := f.values[name]; !ok {
			names := make([]string, 0, len(f.values))
			for n := range f.values {
				names = append(names, n)
			}
			slices.Sort(names)
			return fmt.Errorf("its form has no field %q; it has %s", name, strings.Join(names, ", "))
		}
		f.values[name] = []string{value}
	}
	return nil
}

// ask is how the form is sent, and where to.
func (f *form) ask(from string) (crawler.Ask, string) {
	if f.method == http.MethodGet {
		u, _ := url.Parse(f.action)
		u.RawQuery = f.values.Encode()
		return crawler.Ask{}, u.String()
	}
	return crawler.Ask{
		Method: http.MethodPost,
		Header: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Origin": {urlnorm.Origin(f.action)}, "Referer": {from}},
		Body:   []byte(f.values.Encode()),
	}, f.action
}
