package action

import (
	"time"

	"github.com/webquarry/quarry/crawler/extract"
)

// Snapshot adds the page as it is now to the pages of the result. Shadow roots
// are part of its HTML, as they are shown.
type Snapshot struct {
	Label  string `yaml:"label,short"` // goes with the page
	Frames bool   `yaml:"frames"`      // its frames too, each as a page of its own URL
}

// Extract adds the records of the page as it is now to those of the result.
type Extract struct {
	Schema  *extract.Schema `yaml:"schema"`  // as for extract.Parse; the one of the Runner
	Frame   string          `yaml:"frame"`   // of a frame, as in selectors, instead of the page
	Key     []string        `yaml:"key"`     // fields that tell records apart; all
	Repeats bool            `yaml:"repeats"` // keep records that this step has taken before
}

// Eval evaluates JavaScript in the page. A promise is waited for.
type Eval struct {
	JS      string `yaml:"js,short,required"` // an expression, or statements that end in a return
	As      string `yaml:"as"`                // name of its value among those of the result
	Records bool   `yaml:"records"`           // its value, or each element of it, is a record
	Frame   string `yaml:"frame"`             // as in selectors
}

// Screenshot takes a picture of what can be seen, of an element or of the whole
// page.
type Screenshot struct {
	File    string    `yaml:"file,short"` // its name, ending in .png, .jpg or .webp; shot-N.png
	Element *Selector `yaml:"element"`    // this alone
	Full    bool      `yaml:"full"`       // the whole page, 16,384 pixels high at most
	Quality int       `yaml:"quality"`    // of jpg and webp, 1 to 100; 80
}

// PDF prints the page.
type PDF struct {
	File       string  `yaml:"file,short"`                         // its name; page-N.pdf
	Paper      string  `yaml:"paper" enum:"a4|a3|a5|letter|legal"` // a4
	Landscape  bool    `yaml:"landscape"`                          // wider than high
	Background bool    `yaml:"background"`                         // colours and images of the background too
	Scale      float64 `yaml:"scale"`                              // 0.1 to 2; 1
}

// FindLinks finds links that are none: it clicks what has a handler for clicks,
// or looks as if, and takes down where the page would go (by location, window.open,
// pushState or a change of the fragment), without going there.
type FindLinks struct {
	Selector `yaml:",inline"` // what to click; without: whatever can be clicked and is no link
	Max      int              `yaml:"max"`      // clicks; 50
	MaxTime  time.Duration    `yaml:"max-time"` // 1m
}
