package exec

import (
	"context"
	"errors"
	"sort"

	"github.com/webquarry/quarry/index/internal/column"
	"github.com/webquarry/quarry/index/internal/fault"
	"github.com/webquarry/quarry/index/internal/front"
)

// Dictionary numbers the strings of a column in all segments of a commit, in
// the order of their bytes, so that strings of different segments compare as
// numbers. It is made when first asked for, in the time of reading the
// dictionaries of the segments once, and kept with the commit.
type Dictionary struct {
	commit *Collection
	of     []*column.Column // by view
	only   int              // the one view that has strings, whose places are the numbers; -1: several
	global [][]uint32       // by view and place, the number
	where  []stringPlace    // by number
}

// stringPlace is where a string is found.
type stringPlace struct{ view, place uint32 }

// dictionaryJob is a dictionary that is being made.
type dictionaryJob struct {
	done chan struct{} // closed at the end
	made *Dictionary
	err  error
}

// errAbandoned is what ends the making of a dictionary when nobody wants it any more.
var errAbandoned = errors.New("index: a dictionary of columns was not finished")

// dictionary returns the dictionary of a column. Where it has to be made, that goes on
// beside the searches, which wait for it, but only until their contexts are done.
func (p *Planner) dictionary(field int, of []*column.Column) (*Dictionary, error) {
	c := p.Commit
	d := &Dictionary{commit: c, of: of, only: -1}
	with := 0
	for i, col := range of {
		if col != nil && col.Dict != nil {
			d.only = i
			with++
		}
	}
	if with <= 1 {
		return d, nil
	}
	d.only = -1
	for {
		own := &dictionaryJob{done: make(chan struct{}), made: d}
		known, waits := c.Dicts.LoadOrStore(field, own)
		job := known.(*dictionaryJob)
		if !waits {
			closed := &p.sieves.closed
			if !p.sieves.beside(c, func() { c.make(field, job, closed.Load) }) {
				c.make(field, job, p.Run.Stop) // the index is closed, the snapshot is not
			}
		}
		select {
		case <-job.done:
		case <-p.Run.Ctx.Done():
			p.Run.Err = context.Cause(p.Run.Ctx)
			return nil, p.Run.Err
		}
		if job.err != errAbandoned {
			return job.made, job.err
		}
		if p.Run.Stop() {
			return nil, p.Run.Err
		}
	}
}

// make makes a dictionary, unless stop ends it. Only what was made is kept.
func (c *Collection) make(field int, job *dictionaryJob, stop func() bool) {
	defer close(job.done)
	job.err = fault.Guard("merging the strings of a column", func() error { return job.made.merge(stop) })
	if job.err != nil {
		c.Dicts.CompareAndDelete(field, job)
	}
}

// merge numbers the strings of several segments.
func (d *Dictionary) merge(stop func() bool) error {
	d.global = make([][]uint32, len(d.of))
	walks := make([]*front.Iter, len(d.of))
	for i, col := range d.of {
		if col != nil && col.Dict != nil {
			d.global[i], walks[i] = make([]uint32, col.Dict.Len()), col.Dict.Iter()
		}
	}
	d.where = nil
	ended := false
	known := func(i int) bool {
		if ended { // with the next string
			walks[i].Go(len(d.global[i]) - 1)
			return false
		}
		return walks[i].Place() < len(d.global[i])
	}
	i, err := front.Merge(walks, known, func(i int, first bool) {
		place := walks[i].Place()
		if first {
			d.where = append(d.where, stringPlace{uint32(i), uint32(place)})
		}
		d.global[i][place] = uint32(len(d.where)) - 1
		ended = ended || stop()
	})
	switch {
	case ended:
		return errAbandoned
	case err != nil:
		return fault.Damage(d.commit.Views[i].Name(), err)
	}
	return nil
}

// Len is how many different strings there are.
func (d *Dictionary) Len() int {
	if d.only >= 0 {
		return d.of[d.only].Dict.Len()
	}
	return len(d.where)
}

// Number is the number of a string by its place in the dictionary of a view.
func (d *Dictionary) Number(view int, place int64) int64 {
	if d.only >= 0 {
		return place
	}
	if g := d.global[view]; place >= 0 && place < int64(len(g)) {
		return int64(g[place])
	}
	return 0
}

// Text returns the string of a number.
func (d *Dictionary) Text(number int64) (string, error) {
	at := stringPlace{uint32(max(0, d.only)), uint32(number)}
	if d.only < 0 {
		at = d.where[number]
	}
	s, err := d.of[at.view].Text(int64(at.place))
	return s, fault.Damage(d.commit.Views[at.view].Name(), err)
}

// Find returns the number of the first string that is not less than s.
func (d *Dictionary) Find(s string) (number int64, exact bool, err error) {
	i := sort.Search(d.Len(), func(i int) bool {
		t, e := d.Text(int64(i))
		if e != nil {
			err = e
		}
		exact = exact || t == s
		return t >= s
	})
	return int64(i), exact, err
}
