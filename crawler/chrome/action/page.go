package action

import "time"

// Navigate opens a URL and waits for the page. What status the server answers
// with is reported, and no failure.
type Navigate struct {
	URL     string        `yaml:"url,short,required"`           // absolute, or relative to the page
	Until   string        `yaml:"until" enum:"load|dom|commit"` // load, dom: all is parsed, commit: it begins to arrive; load
	MaxTime time.Duration `yaml:"max-time"`                     // goes on with what is there after that; 10s
}

// Wait waits until all that it names holds. What is visible, hidden, counted or
// the URL has to come within the step's deadline, or the step fails. That a page
// goes quiet, or idle, is never certain: after MaxTime the chain goes on.
type Wait struct {
	Visible *Selector     `yaml:"visible,short"` // an element is there and can be seen
	Hidden  *Selector     `yaml:"hidden"`        // no element matches that can be seen
	Count   *Count        `yaml:"count"`         // so many elements match, visible or not
	URL     string        `yaml:"url"`           // glob that the page's URL matches
	Stable  *Selector     `yaml:"stable"`        // text, place and size of an element have not changed for 500ms
	Idle    time.Duration `yaml:"idle"`          // no request has been in flight for so long
	Time    time.Duration `yaml:"time"`          // so long, in any case
	MaxTime time.Duration `yaml:"max-time"`      // of stable and idle; 10s
}

// Count is how many elements are to match.
type Count struct {
	Selector `yaml:",inline"`
	AtLeast  int `yaml:"at-least"` // 1, unless at-most is given
	AtMost   int `yaml:"at-most"`  // 0: any number
}

// Dismiss gets rid of a consent dialog, in the page or in a frame of it: those
// of the usual makers by their elements, others by what they say in ten
// languages. It is no failure when there is none.
type Dismiss struct {
	Choice  string        `yaml:"choice,short" enum:"reject|accept"` // what is answered when there is a choice; reject
	Button  *Selector     `yaml:"button"`                            // that answers it, where it is known
	MaxTime time.Duration `yaml:"max-time"`                          // how long a dialog may take to come up; 1s
}

// Set changes what the browser tells pages, for the rest of the chain and in its
// tab alone; cookies stay.
type Set struct {
	Cookies     []Cookie         `yaml:"cookies"`     // to send to the page, or the next navigate
	Headers     map[string]Value `yaml:"headers"`     // sent to the origin of the page, or of the next navigate, and no other
	Viewport    *Viewport        `yaml:"viewport"`    // size of the page
	Geolocation *Geolocation     `yaml:"geolocation"` // where the browser is; granted to the page
	Locale      string           `yaml:"locale"`      // as de-DE: for dates and numbers, and as Accept-Language
	Timezone    string           `yaml:"timezone"`    // as Europe/Berlin
}

// Cookie is a cookie to set.
type Cookie struct {
	Name   string `yaml:"name,required"`  // of the cookie
	Value  Value  `yaml:"value,required"` // its text, or where it is
	URL    string `yaml:"url"`            // that it is for; the page, or the next navigate
	Domain string `yaml:"domain"`         // with its subdomains; empty: the host of URL alone
	Path   string `yaml:"path"`           // /
}

// Viewport is the size of a page in CSS pixels.
type Viewport struct {
	Width  int     `yaml:"width,required"`  // in CSS pixels
	Height int     `yaml:"height,required"` // in CSS pixels
	Scale  float64 `yaml:"scale"`           // device pixels each; 1
	Mobile bool    `yaml:"mobile"`          // as on a telephone: meta viewport counts, and there are touch events
}

// Geolocation is a place on earth.
type Geolocation struct {
	Latitude  float64 `yaml:"latitude"`  // degrees north
	Longitude float64 `yaml:"longitude"` // degrees east
	Accuracy  float64 `yaml:"accuracy"`  // metres; 100
}
