package tally

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/webquarry/quarry/index/facet"
)

// dates counts by the calendar of a zone. A clock reading there is counted as seconds
// since 1970 on that clock: spans are whole ranges of these, while of time they may be
// less or more, in parts, and begin late, where clocks are changed.
type dates struct {
	facet.Dates
	counts  map[int64]int // by the clock reading at which the span begins
	missing int

	// The span of the value before, since neighbours are often of one, and the
	// microseconds since 1970, from and up to, that belong to it while the clock goes
	// on as it does then.
	span, from, to int64
}

func newDates(f facet.Dates, c Column) (*dates, error) {
	if !c.Time {
		return nil, errors.New("dates are of times")
	}
	if f.Every < facet.Day || f.Every > facet.Hour {
		return nil, fmt.Errorf("unknown span %d", f.Every)
	}
	if f.In == nil {
		f.In = time.UTC
	}
	return &dates{Dates: f, counts: map[int64]int{}}, nil
}

func (d *dates) Add(values []int64) {
	if len(values) == 0 {
		d.missing++
	}
	for _, v := range values {
		if v < d.from || v >= d.to {
			d.find(v)
		}
		d.counts[d.span]++
	}
}

func (d *dates) Merge(c Counter) {
	other := c.(*dates)
	d.missing += other.missing
	for span, n := range other.counts {
		d.counts[span] += n
	}
}

// find sets the span of a value.
func (d *dates) find(v int64) {
	t := time.UnixMicro(v).In(d.In)
	_, offset := t.Zone()
	start, after := d.around(t)
	changed, changes := t.ZoneBounds()
	d.span = start
	d.from, d.to = (start-int64(offset))*1e6, (after-int64(offset))*1e6
	if !changed.IsZero() {
		d.from = max(d.from, changed.UnixMicro())
	}
	if !changes.IsZero() {
		d.to = min(d.to, changes.UnixMicro())
	}
}

// around returns the clock readings at which the span of t begins, and the next one.
func (d *dates) around(t time.Time) (start, after int64) {
	year, month, day := t.Date()
	at := func(year int, month time.Month, day, hour int) int64 {
		return time.Date(year, month, day, hour, 0, 0, 0, time.UTC).Unix()
	}
	switch d.Every {
	case facet.Hour:
		return at(year, month, day, t.Hour()), at(year, month, day, t.Hour()+1)
	case facet.Week:
		day -= (int(t.Weekday()) + 6) % 7
		return at(year, month, day, 0), at(year, month, day+7, 0)
	case facet.Month:
		return at(year, month, 1, 0), at(year, month+1, 1, 0)
	case facet.Quarter:
		month -= (month - 1) % 3
		return at(year, month, 1, 0), at(year, month+3, 1, 0)
	case facet.Year:
		return at(year, 1, 1, 0), at(year+1, 1, 1, 0)
	}
	return at(year, month, day, 0), at(year, month, day+1, 0)
}

// farthest is more than any clock is ahead of or behind UTC, in seconds.
const farthest = 30 * 60 * 60

// begins returns the first moment at which the clock is in a span, which it is at
// some time.
func (d *dates) begins(span int64) time.Time {
	_, after := d.around(time.Unix(span, 0).UTC())
	for t := time.Unix(span-farthest, 0).In(d.In); ; {
		_, offset := t.Zone()
		first := time.Unix(span-int64(offset), 0).In(d.In)
		changed, changes := t.ZoneBounds()
		if first.Before(changed) {
			first = changed
		}
		if (changes.IsZero() || first.Before(changes)) && first.Unix() < after-int64(offset) || changes.IsZero() {
			return first
		}
		t = changes
	}
}

func (d *dates) Result(check func() error) (facet.Result, error) {
	res := facet.Result{Missing: d.missing}
	for _, span := range slices.Sorted(maps.Keys(d.counts)) {
		if err := check(); err != nil {
			return facet.Result{}, err
		}
		name := d.name(time.Unix(span, 0).UTC())
		res.Buckets = append(res.Buckets, facet.Bucket{Name: name, Count: d.counts[span], Start: d.begins(span)})
	}
	return res, nil
}

// name is the name of the span that begins when the clock reads t.
func (d *dates) name(t time.Time) string {
	switch d.Every {
	case facet.Hour:
		return t.Format("2006-01-02T15")
	case facet.Week:
		year, week := t.ISOWeek()
		return fmt.Sprintf("%04d-W%02d", year, week)
	case facet.Month:
		return t.Format("2006-01")
	case facet.Quarter:
		return fmt.Sprintf("%04d-Q%d", t.Year(), (t.Month()+2)/3)
	case facet.Year:
		return t.Format("2006")
	}
	return t.Format("2006-01-02")
}
