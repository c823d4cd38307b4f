package action

import "time"

// Click clicks with the mouse, as soon as the element can be seen, is enabled,
// holds still and is not covered by another. It is scrolled into view first, within
// whatever boxes and frames it lies. When the click begins to load a page, it waits
// for it as navigate does; when it opens a window or downloads a file, the step ends
// as elsewhere.
type Click struct {
	Selector `yaml:",inline"`
	Button   string `yaml:"button" enum:"left|right|middle"` // left
	Times    int    `yaml:"times"`                           // 2: a double click; 1
}

// Hover moves the mouse over an element, which is scrolled into view as by click.
type Hover struct {
	Selector `yaml:",inline"`
}

// ClickWhile clicks an element for as long as it is there: a button that loads
// more. It ends when the element is gone, hidden, disabled or covered for Idle,
// when so many clicks have added nothing, or at a cap.
type ClickWhile struct {
	Selector `yaml:",inline"`
	Items    *Selector     `yaml:"items"`    // what is to become more; all elements of the page
	Max      int           `yaml:"max"`      // clicks; 100
	MaxTime  time.Duration `yaml:"max-time"` // 1m
	Idle     time.Duration `yaml:"idle"`     // how long a click may take to add something; 3s
	Do       Steps         `yaml:"do"`       // after every click that added something
}

// Scroll scrolls down until the end is reached and nothing grows there for
// Idle, or to a cap. Before it gives up it goes up and down once more, for pages
// that missed their end.
type Scroll struct {
	Within    *Selector     `yaml:"within,short"` // the element that scrolls; the page
	By        int           `yaml:"by"`           // pixels a step; nine tenths of what can be seen at once
	Jump      bool          `yaml:"jump"`         // straight to the end each time; what shows only on the way is missed
	Items     *Selector     `yaml:"items"`        // what is to become more; height and all elements
	Max       int           `yaml:"max"`          // steps; 1000
	MaxHeight int           `yaml:"max-height"`   // pixels; 1,000,000
	MaxTime   time.Duration `yaml:"max-time"`     // 1m
	Idle      time.Duration `yaml:"idle"`         // how long the end is watched for growth; 2s
	Do        Steps         `yaml:"do"`           // before the first step and after each: for lists that drop the rows out of sight
}
