package schema

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/webquarry/quarry/index/internal/vector"
	"github.com/webquarry/quarry/index/query"
)

// A value of a column is an int64 whose order is that of the values: an
// Integer as it is, a Float by its bits, a Time in microseconds since 1970.

var errNotFinite = errors.New("is not a finite number")

// farthest is how many years from now a time may be.
const farthest = 200_000

// ToNumber makes a Go value one of a column; ok is false for nil, which is no
// value.
func ToNumber(k Kind, v any) (n int64, ok bool, err error) {
	if v == nil {
		return 0, false, nil
	}
	if k == Time {
		t, is := v.(time.Time)
		switch {
		case !is:
			return 0, false, fmt.Errorf("value of type %T, not time.Time", v)
		case t.Year() > farthest || t.Year() < -farthest:
			return 0, false, fmt.Errorf("the year %d is out of range", t.Year())
		}
		return t.UnixMicro(), true, nil
	}
	r := reflect.ValueOf(v)
	switch {
	case r.CanInt() && k == Integer:
		return r.Int(), true, nil
	case r.CanUint() && k == Integer:
		if r.Uint() > math.MaxInt64 {
			return 0, false, fmt.Errorf("%d is out of range", r.Uint())
		}
		return int64(r.Uint()), true, nil
	case k != Float:
	case r.CanFloat():
		n, err = fromFloat(r.Float())
		return n, err == nil, err
	case r.CanInt():
		n, err = fromFloat(float64(r.Int()))
		return n, err == nil, err
	case r.CanUint():
		n, err = fromFloat(float64(r.Uint()))
		return n, err == nil, err
	}
	return 0, false, fmt.Errorf("value of type %T is no %v", v, k)
}

// ToVector makes a Go value one of a field of vectors; nil of nil, which is no value.
func ToVector(o vector.Options, v any) ([]float32, error) {
	if v == nil {
		return nil, nil
	}
	of, ok := v.([]float32)
	if !ok {
		return nil, fmt.Errorf("value of type %T, not []float32", v)
	}
	if msg := o.CheckVector(of); msg != "" {
		return nil, errors.New(msg)
	}
	return of, nil
}

// fromFloat gives finite numbers an int64 of the same order.
func fromFloat(f float64) (int64, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, errNotFinite
	}
	return OrderedBits(f), nil
}

// OrderedBits maps numbers, infinite ones too, to integers of the same order.
func OrderedBits(f float64) int64 {
	n := int64(math.Float64bits(f + 0)) // -0 is 0
	return n ^ n>>63&math.MaxInt64
}

// FromOrderedBits takes back what OrderedBits does.
func FromOrderedBits(n int64) float64 { return math.Float64frombits(uint64(n ^ n>>63&math.MaxInt64)) }

// GoValue is the value of a column as a document holds it.
func GoValue(k Kind, n int64) any {
	switch k {
	case Float:
		return FromOrderedBits(n)
	case Time:
		return time.UnixMicro(n).UTC()
	}
	return n
}

// AsFloat is the value of a column as a number; of a time, in seconds since
// 1970.
func AsFloat(k Kind, n int64) float64 {
	switch k {
	case Float:
		return FromOrderedBits(n)
	case Time:
		return float64(n) / 1e6
	}
	return float64(n)
}

// LeastFrom returns the least value of a column that is not less than a bound.
func LeastFrom(k Kind, f float64) int64 {
	switch k {
	case Float:
		return OrderedBits(f)
	case Time:
		f *= 1e6
	}
	switch f = math.Ceil(f); {
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= math.MinInt64:
		return math.MinInt64
	}
	return int64(f)
}

// Format writes a value as results and queries do.
func Format(k Kind, n int64) string {
	switch k {
	case Float:
		return strconv.FormatFloat(FromOrderedBits(n), 'g', -1, 64)
	case Time:
		return time.UnixMicro(n).UTC().Format(time.RFC3339Nano)
	}
	return strconv.FormatInt(n, 10)
}

// interval is what a text stands for among the values of a column: a number is
// one value, or lies between two; a day is many.
type interval struct {
	first, last int64 // first is last+1 where there is no such value
	above       bool  // all values of the column are less
	below       bool  // all are greater
}

// CheckValue reports why a text is no value of a column.
func CheckValue(k Kind, s string) error {
	_, err := parseValue(k, s)
	return err
}

// parseValue reads a text as values of a column.
func parseValue(k Kind, s string) (interval, error) {
	s = strings.TrimSpace(s)
	if k == Time {
		return parseTime(s)
	}
	if k == Integer {
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return interval{first: n, last: n}, nil
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(f) {
		return interval{}, fmt.Errorf("%q is no number", s)
	}
	if k == Float {
		n := OrderedBits(f)
		return interval{first: n, last: n}, nil
	}
	switch {
	case f >= math.MaxInt64:
		return interval{above: true}, nil
	case f < math.MinInt64:
		return interval{below: true}, nil
	}
	return interval{first: int64(math.Ceil(f)), last: int64(math.Floor(f))}, nil
}

// The layouts of a time, and how to get from the start of such a span to its
// end.
var timeLayouts = [...]struct {
	layout              string
	years, months, days int
	span                time.Duration
}{
	{layout: "2006", years: 1},
	{layout: "2006-01", months: 1},
	{layout: "2006-01-02", days: 1},
	{layout: "2006-01-02T15:04", span: time.Minute},
	{layout: "2006-01-02T15:04:05", span: time.Second},
	{layout: time.RFC3339Nano, span: time.Microsecond},
}

func parseTime(s string) (interval, error) {
	for _, l := range timeLayouts {
		t, err := time.ParseInLocation(l.layout, s, time.UTC)
		if err != nil {
			continue
		}
		after := t.AddDate(l.years, l.months, l.days).Add(l.span)
		return interval{first: t.UnixMicro(), last: after.UnixMicro() - 1}, nil
	}
	return interval{}, fmt.Errorf("%q is no time such as 2026, 2026-03, 2026-03-15 or 2026-03-15T12:00:00Z", s)
}

// NumbersOf returns the values that r lets through, lo to hi; none when lo is
// greater.
func NumbersOf(k Kind, r query.Range) (lo, hi int64, err error) {
	lo, hi = math.MinInt64, math.MaxInt64
	if r.From != "" {
		iv, err := parseValue(k, r.From)
		if err != nil {
			return 0, 0, err
		}
		switch {
		case iv.above || r.AfterFrom && iv.last == math.MaxInt64 && !iv.below:
			return 1, 0, nil
		case iv.below:
		case r.AfterFrom:
			lo = iv.last + 1
		default:
			lo = iv.first
		}
	}
	if r.To != "" {
		iv, err := parseValue(k, r.To)
		if err != nil {
			return 0, 0, err
		}
		switch {
		case iv.below || r.BeforeTo && iv.first == math.MinInt64 && !iv.above:
			return 1, 0, nil
		case iv.above:
		case r.BeforeTo:
			hi = iv.first - 1
		default:
			hi = iv.last
		}
	}
	return lo, hi, nil
}
