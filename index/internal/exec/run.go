package exec

import (
	"context"
	"errors"
	"slices"

	"github.com/webquarry/quarry/index/internal/column"
	"github.com/webquarry/quarry/index/internal/commit"
	"github.com/webquarry/quarry/index/internal/postings"
	"github.com/webquarry/quarry/index/internal/segment"
)

// checkEvery is how many steps of a search pass between looks at the context.
const checkEvery = 512

// LookUp is how many steps it takes about to find a term.
const LookUp = 16

// presetSpan is how many documents a sum of words looks at in one go.
const presetSpan = 1024

// Run is a search under way: what all its parts share.
type Run struct {
	Ctx     context.Context
	Steps   int
	Err     error // what ends the search
	Room    *room // nil: none taken yet
	Columns []*column.Cursor
	united  int     // bytes of unions
	docs    uint32  // of the segment whose matches are marked
	Span    uint32  // documents in a window of MaxScore
	Least   float64 // the score that a match needs to be wanted
	Pruned  bool    // matches were left out that score less
	limits

	shared     *shared
	Exhaustive bool // a search that counts all looks at all
	Work       *Work
}

// limits are what a search keeps to.
type limits struct {
	Partial bool // what was found will do when the context ends
	Cut     bool // that happened
	Threads int  // segments that are searched at the same time
}

// Work is what a search has done, for tests.
type Work struct {
	Blocks  int // of lists, read by iterators
	Windows int // of MaxScore and of what marks
	Docs    int // that searches for the best have looked at
	Records int // blocks of stored fields that were unpacked
}

// cursor opens a list, whose errors are looked at when the segment is done. It is
// not used after that.
func (r *Run) cursor(f *segment.FieldReader, e postings.Entry) *postings.Cursor {
	c := r.space().cursors.Next()
	f.Lists.Reset(c, e)
	return c
}

// Done ends the work on a segment.
func (r *Run) Done(v *commit.View) error {
	in := r.space()
	for _, c := range in.cursors.inUse() {
		if r.Work != nil {
			r.Work.Blocks += c.Loaded()
		}
		if err := c.Err(); err != nil {
			return v.Damage(err)
		}
	}
	for _, c := range r.Columns {
		if err := c.Err(); err != nil {
			return v.Damage(err)
		}
	}
	in.release()
	r.Columns = r.Columns[:0]
	return r.Err
}

// Stop counts a step and reports whether the search must end. One that is to answer
// with what it has by then, which is little work, does not end once more.
func (r *Run) Stop() bool {
	if r.Steps++; r.Steps%checkEvery == 0 && r.Err == nil && !r.Cut && r.Ctx.Err() != nil {
		r.Err = context.Cause(r.Ctx)
	}
	return r.Err != nil
}

// Check counts a step, and says why the search must end.
func (r *Run) Check() error {
	r.Stop()
	return r.Err
}

// Spend counts n steps at once.
func (r *Run) Spend(n int) bool {
	if left := checkEvery - r.Steps%checkEvery; n >= left {
		r.Steps += left - 1
		r.Stop()
		n -= left
	}
	r.Steps += n
	return r.Err != nil
}

// SortHits sorts what was found: where that will do when the context ends, to the end.
func SortHits[T any](r *Run, all []T, compare func(a, b T) int) error {
	err := SortWith(r, all, compare)
	if r.Enough(err) {
		err = SortWith(r, all, compare)
	}
	return err
}

// SortWith sorts, and ends with the search.
func SortWith[T any](r *Run, all []T, compare func(a, b T) int) (err error) {
	type ended struct{}
	defer func() {
		if x := recover(); x != nil {
			if _, ok := x.(ended); !ok {
				panic(x)
			}
			err = r.Err
		}
	}()
	slices.SortFunc(all, func(a, b T) int {
		if r.Stop() {
			panic(ended{})
		}
		return compare(a, b)
	})
	return nil
}

// Enough reports whether a search that was ended by err is to answer with what it
// has.
func (r *Run) Enough(err error) bool {
	if err == nil || !r.Partial || r.Ctx.Err() == nil || !errors.Is(err, context.Cause(r.Ctx)) {
		return false
	}
	r.Cut, r.Err = true, nil
	return true
}
