package facet

import "time"

// Result is the answer to a [Facet].
type Result struct {
	Buckets []Bucket // of Terms, Ranges and Dates
	Missing int      // matches without a value
	Other   int      // of Terms: values that Limit cut off
	Stats   Stats    // of Numbers
}

// Bucket is some of the matches.
type Bucket struct {
	// Name is the value of Terms; of Ranges such as "10 - 50"; of Dates the start
	// of the span, such as "2026-03".
	Name  string
	Count int       // documents
	From  float64   // of Ranges: the lower bound, -Inf for none
	To    float64   // of Ranges: the upper bound, which belongs to the next; +Inf for none
	Start time.Time // of Dates: the first moment of the span
}

// Stats sum up the values of a column. Of a Time they are seconds since 1970; of
// a Keyword only Count and Distinct are known. Without values all are 0. Sum
// is exact but for one rounding, whatever the order of the values.
type Stats struct {
	Count    int // matches with a value
	Distinct int // different values
	Min, Max float64
	Sum      float64
	Mean     float64
}
