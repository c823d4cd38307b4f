// Package tally counts the values of columns over the matches of a search.
//
// Where to look:
//
//	tally.go    what a counter is, and of what column
//	terms.go    documents by value
//	ranges.go   documents by range
//	dates.go    documents by span of time
//	numbers.go  least, greatest, mean; sum.go: sums that are rounded once;
//	            set.go: how many are different
package tally

import (
	"fmt"

	"github.com/webquarry/quarry/index/facet"
)

// Counter counts documents. It is for one goroutine.
type Counter interface {
	// Add counts a document with these values, ascending and without
	// repetition; none: it has no value.
	Add(values []int64)
	// Merge adds what another counter of the same facet and column has counted.
	Merge(Counter)
	// Result says what was counted. check is called at every value and at every
	// comparison of two, and ends it with its error.
	Result(check func() error) (facet.Result, error)
}

// Column is what a counter knows of the values it is given.
type Column struct {
	Text  int                         // different strings, which are numbered from 0; -1: numbers
	Unit  int64                       // of whole numbers: what counts as 1, as 1e6 of a Time; 0: there are others
	Time  bool                        // they are microseconds since 1970
	Name  func(int64) (string, error) // prints a value
	Float func(int64) float64         // a value as a number
	From  func(bound float64) int64   // the least value that is not less than a bound
}

// New returns a counter. The error says why the facet cannot be of the column.
func New(f facet.Facet, c Column) (Counter, error) {
	switch f := f.(type) {
	case facet.Terms:
		return newTerms(f, c), nil
	case facet.Ranges:
		return newRanges(f, c)
	case facet.Dates:
		return newDates(f, c)
	case facet.Numbers:
		return newNumbers(c), nil
	}
	return nil, fmt.Errorf("%T is no facet", f)
}
