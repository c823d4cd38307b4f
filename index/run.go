package index

import (
	"context"
	"slices"

	"github.com/webquarry/quarry/index/internal/column"
	"github.com/webquarry/quarry/index/internal/postings"
	"github.com/webquarry/quarry/index/internal/segment"
)

// checkEvery is how many steps of a search pass between looks at the context.
const checkEvery = 512

// lookUp is how many steps it takes about to find a term.
const lookUp = 16

// presetSpan is how many documents a sum of words looks at in one go.
const presetSpan = 1024

// run is a search under way: what all its parts share.
type run struct {
	ctx     context.Context
	steps   int
	err     error // what ends the search
	room    *room // nil: none taken yet
	columns []*column.Cursor
	united  int         // bytes of unions
	docs    uint32      // of the segment whose matches are marked
	span    uint32      // documents in a window of maxScore
	least   float64     // the score that a match needs to be wanted
	pruned  bool        // matches were left out that score less
	after   *afterScore // only what is behind is wanted
	limits

	shared     *shared
	exhaustive bool // a search that counts all looks at all
	work       *work
}

// work is what a search has done, for tests.
type work struct {
	blocks  int // of lists, read by walks
	windows int // of maxScore and of what marks
	docs    int // that searches for the best have looked at
	records int // blocks of stored fields that were unpacked
}

// cursor opens a list, whose errors are looked at when the segment is done. It is
// not used after that.
func (r *run) cursor(f *segment.FieldReader, e postings.Entry) *postings.Cursor {
	c := r.space().cursors.next()
	f.Lists.Reset(c, e)
	return c
}

// done ends the work on a segment.
func (r *run) done(v *view) error {
	in := r.space()
	for _, c := range in.cursors.inUse() {
		if r.work != nil {
			r.work.blocks += c.Loaded()
		}
		if err := c.Err(); err != nil {
			return v.damage(err)
		}
	}
	for _, c := range r.columns {
		if err := c.Err(); err != nil {
			return v.damage(err)
		}
	}
	in.release()
	r.columns = r.columns[:0]
	return r.err
}

// stop counts a step and reports whether the search must end. One that is to answer
// with what it has by then, which is little work, does not end once more.
func (r *run) stop() bool {
	if r.steps++; r.steps%checkEvery == 0 && r.err == nil && !r.cut && r.ctx.Err() != nil {
		r.err = context.Cause(r.ctx)
	}
	return r.err != nil
}

// spend counts n steps at once.
func (r *run) spend(n int) bool {
	if left := checkEvery - r.steps%checkEvery; n >= left {
		r.steps += left - 1
		r.stop()
		n -= left
	}
	r.steps += n
	return r.err != nil
}

// sortHits sorts what was found: where that will do when the context ends, to the end.
func sortHits[T any](r *run, all []T, compare func(a, b T) int) error {
	err := sortWith(r, all, compare)
	if r.enough(err) {
		err = sortWith(r, all, compare)
	}
	return err
}

// sortWith sorts, and ends with the search.
func sortWith[T any](r *run, all []T, compare func(a, b T) int) (err error) {
	type ended struct{}
	defer func() {
		if x := recover(); x != nil {
			if _, ok := x.(ended); !ok {
				panic(x)
			}
			err = r.err
		}
	}()
	slices.SortFunc(all, func(a, b T) int {
		if r.stop() {
			panic(ended{})
		}
		return compare(a, b)
	})
	return nil
}
