package facet

import "time"

// Facet is a question about all matches: one of the types below, used as a
// value. The set is sealed.
type Facet interface {
	// Of is the field that is asked about.
	Of() string
	facet()
}

// Terms counts the documents of each value of a field. A document with several
// values counts for each of them.
type Terms struct {
	Field string
	Limit int // values returned, those with most documents first; 0: 10; negative: none; math.MaxInt: all
}

// Ranges counts the documents whose number lies in each range between bounds:
// below the first, from it to the next, and so on, and from the last up. A bound
// belongs to the range above it. Of a Time the bounds are seconds since 1970.
type Ranges struct {
	Field  string
	Bounds []float64 // ascending
}

// Dates counts the documents of each span of time between the earliest and the
// latest match. Spans without documents are left out.
//
// A document belongs to the span that the calendar and clock of In show at its time.
// Where clocks are changed a span may begin late, such as a day without midnight, be
// shorter or longer, such as an hour that comes twice, or not be at all.
type Dates struct {
	Field string
	Every Span
	In    *time.Location // nil: UTC
}

// Span is a length of time in the calendar.
type Span int

// The spans. A week begins on Monday.
const (
	Day Span = iota
	Week
	Month
	Quarter
	Year
	Hour
)

// Numbers sums up a field: its least, greatest and mean value, and how many
// different ones there are.
type Numbers struct{ Field string }

func (Terms) facet()   {}
func (Ranges) facet()  {}
func (Dates) facet()   {}
func (Numbers) facet() {}

// Of is the field that is asked about.
func (f Terms) Of() string { return f.Field }

// Of is the field that is asked about.
func (f Ranges) Of() string { return f.Field }

// Of is the field that is asked about.
func (f Dates) Of() string { return f.Field }

// Of is the field that is asked about.
func (f Numbers) Of() string { return f.Field }
