package tally

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/webquarry/quarry/index/facet"
)

type dates struct {
	facet.Dates
	counts  map[int64]int // by the start of the span, in microseconds
	missing int

	// The span of the value before, since neighbours are often of one.
	start, after int64
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
		if v < d.start || v >= d.after {
			start, after := d.around(time.UnixMicro(v).In(d.In))
			d.start, d.after = start.UnixMicro(), after.UnixMicro()
		}
		d.counts[d.start]++
	}
}

func (d *dates) Merge(c Counter) {
	other := c.(*dates)
	d.missing += other.missing
	for start, n := range other.counts {
		d.counts[start] += n
	}
}

// around returns the start of the span of t, and that of the next.
func (d *dates) around(t time.Time) (start, after time.Time) {
	year, month, day := t.Date()
	at := func(year int, month time.Month, day int) time.Time {
		return time.Date(year, month, day, 0, 0, 0, 0, d.In)
	}
	switch d.Every {
	case facet.Hour:
		into := time.Duration(t.Minute())*time.Minute + time.Duration(t.Second())*time.Second + time.Duration(t.Nanosecond())
		start = t.Add(-into)
		return start, start.Add(time.Hour)
	case facet.Week:
		day -= (int(t.Weekday()) + 6) % 7
		return at(year, month, day), at(year, month, day+7)
	case facet.Month:
		return at(year, month, 1), at(year, month+1, 1)
	case facet.Quarter:
		month -= (month - 1) % 3
		return at(year, month, 1), at(year, month+3, 1)
	case facet.Year:
		return at(year, 1, 1), at(year+1, 1, 1)
	}
	return at(year, month, day), at(year, month, day+1)
}

func (d *dates) Result(check func() error) (facet.Result, error) {
	res := facet.Result{Missing: d.missing}
	for _, micros := range slices.Sorted(maps.Keys(d.counts)) {
		if err := check(); err != nil {
			return facet.Result{}, err
		}
		start := time.UnixMicro(micros).In(d.In)
		res.Buckets = append(res.Buckets, facet.Bucket{Name: d.name(start), Count: d.counts[micros], Start: start})
	}
	return res, nil
}

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
