package index

import (
	"sort"
	"sync"

	"github.com/webquarry/quarry/index/internal/column"
	"github.com/webquarry/quarry/index/internal/front"
)

// dictionary numbers the strings of a column in all segments of a commit, in
// the order of their bytes, so that strings of different segments compare as
// numbers. It is made when first asked for, in the time of reading the
// dictionaries of the segments once, and kept with the commit.
type dictionary struct {
	commit *commit
	of     []*column.Column // by view
	only   int              // the one view that has strings, whose places are the numbers; -1: several
	global [][]uint32       // by view and place, the number
	where  []stringPlace    // by number
}

// stringPlace is where a string is found.
type stringPlace struct{ view, place uint32 }

// dictionary returns the dictionary of a column. Searches that ask for it at the
// same time wait for the one that makes it.
func (c *commit) dictionary(field int, of []*column.Column) (*dictionary, error) {
	made, ok := c.dicts.Load(field)
	if !ok {
		once := sync.OnceValues(func() (*dictionary, error) { return c.newDictionary(of) })
		made, _ = c.dicts.LoadOrStore(field, once)
	}
	return made.(func() (*dictionary, error))()
}

func (c *commit) newDictionary(of []*column.Column) (*dictionary, error) {
	d := &dictionary{commit: c, of: of, only: -1}
	with := 0
	for i, col := range of {
		if col != nil && col.Dict != nil {
			d.only = i
			with++
		}
	}
	if with > 1 {
		d.only = -1
		return d, d.merge()
	}
	return d, nil
}

// merge numbers the strings of several segments.
func (d *dictionary) merge() error {
	d.global = make([][]uint32, len(d.of))
	walks := make([]*front.Iter, len(d.of))
	for i, col := range d.of {
		if col != nil && col.Dict != nil {
			d.global[i], walks[i] = make([]uint32, col.Dict.Len()), col.Dict.Iter()
		}
	}
	known := func(i int) bool { return walks[i].Place() < len(d.global[i]) }
	i, err := front.Merge(walks, known, func(i int, first bool) {
		place := walks[i].Place()
		if first {
			d.where = append(d.where, stringPlace{uint32(i), uint32(place)})
		}
		d.global[i][place] = uint32(len(d.where)) - 1
	})
	if err != nil {
		return damage(d.commit.views[i].name(), err)
	}
	return nil
}

// len is how many different strings there are.
func (d *dictionary) len() int {
	if d.only >= 0 {
		return d.of[d.only].Dict.Len()
	}
	return len(d.where)
}

// number is the number of a string by its place in the dictionary of a view.
func (d *dictionary) number(view int, place int64) int64 {
	if d.only >= 0 {
		return place
	}
	if g := d.global[view]; place >= 0 && place < int64(len(g)) {
		return int64(g[place])
	}
	return 0
}

// text returns the string of a number.
func (d *dictionary) text(number int64) (string, error) {
	at := stringPlace{uint32(max(0, d.only)), uint32(number)}
	if d.only < 0 {
		at = d.where[number]
	}
	s, err := d.of[at.view].Text(int64(at.place))
	return s, damage(d.commit.views[at.view].name(), err)
}

// find returns the number of the first string that is not less than s.
func (d *dictionary) find(s string) (number int64, exact bool, err error) {
	i := sort.Search(d.len(), func(i int) bool {
		t, e := d.text(int64(i))
		if e != nil {
			err = e
		}
		exact = exact || t == s
		return t >= s
	})
	return int64(i), exact, err
}
