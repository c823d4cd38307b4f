package action

import "time"

// Paginate does its steps on each page of a list, and goes to the next by
// clicking Next until that is gone, hidden or disabled, the page does not change,
// or at a cap.
type Paginate struct {
	Selector `yaml:",inline"` // the link or button to the next page
	Do       Steps            `yaml:"do"`       // on each page, the first included; a snapshot
	Max      int              `yaml:"max"`      // pages; 100
	MaxTime  time.Duration    `yaml:"max-time"` // 5m
	Idle     time.Duration    `yaml:"idle"`     // how long the next page may take to show; 5s
}

// ForEach does its steps for each element, which selectors with each mean. The
// elements are counted once; when a round has left the page, it goes back.
type ForEach struct {
	Selector `yaml:",inline"`
	Do       Steps         `yaml:"do,required"` // for each element
	Max      int           `yaml:"max"`         // elements; 100
	MaxTime  time.Duration `yaml:"max-time"`    // 5m
}

// IfExists does steps if an element can be seen, and others if not.
type IfExists struct {
	Selector `yaml:",inline"`
	Then     Steps         `yaml:"then"`     // if it can be seen
	Else     Steps         `yaml:"else"`     // if not
	MaxTime  time.Duration `yaml:"max-time"` // how long it may take to appear; 0
}
