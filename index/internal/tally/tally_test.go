package tally_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/webquarry/quarry/index/facet"
	"github.com/webquarry/quarry/index/internal/tally"
)

// whole is a column of whole numbers.
var whole = tally.Column{
	Text:  -1,
	Time:  true,
	Name:  func(n int64) (string, error) { return fmt.Sprint(n), nil },
	Float: func(n int64) float64 { return float64(n) },
	From:  func(f float64) int64 { return int64(math.Ceil(f)) },
}

func toTheEnd() error { return nil }

func counter(t *testing.T, f facet.Facet, c tally.Column) tally.Counter {
	t.Helper()
	out, err := tally.New(f, c)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Sums are those of the real numbers, rounded once, in any order.
func TestSumIsExact(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 2))
	c := whole
	c.Float = func(n int64) float64 { return math.Float64frombits(uint64(n)) }
	for range 300 {
		var values []float64
		for range 1 + r.IntN(40) {
			x := math.Ldexp(r.Float64()-0.5, r.IntN(120)-60)
			values = append(values, x)
			if r.IntN(3) == 0 {
				values = append(values, -x, math.Ldexp(1, r.IntN(60)))
			}
		}
		exact := new(big.Float).SetPrec(2000)
		for _, x := range values {
			exact.Add(exact, big.NewFloat(x))
		}
		want, _ := exact.Float64()
		for range 3 {
			r.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
			n := counter(t, facet.Numbers{}, c)
			for _, x := range values {
				n.Add([]int64{int64(math.Float64bits(x))})
			}
			res, err := n.Result(toTheEnd)
			if err != nil || res.Stats.Sum != want {
				t.Fatalf("sum of %v is %v, want %v; %v", values, res.Stats.Sum, want, err)
			}
		}
	}
	// What goes beyond all numbers on the way may come back, in any order and merged.
	huge := []float64{math.MaxFloat64, math.MaxFloat64, 1, -math.MaxFloat64, 0x1p970, -math.MaxFloat64, -math.MaxFloat64, math.MaxFloat64, -0x1p970}
	for range 50 {
		r.Shuffle(len(huge), func(i, j int) { huge[i], huge[j] = huge[j], huge[i] })
		n, other := counter(t, facet.Numbers{}, c), counter(t, facet.Numbers{}, c)
		for i, x := range huge {
			[]tally.Counter{n, other}[i%2].Add([]int64{int64(math.Float64bits(x))})
		}
		n.Merge(other)
		if res, err := n.Result(toTheEnd); err != nil || res.Stats.Sum != 1 {
			t.Fatalf("sum of %v is %v, want 1; %v", huge, res.Stats.Sum, err)
		}
	}
	n := counter(t, facet.Numbers{}, c)
	for range 3 {
		n.Add([]int64{int64(math.Float64bits(math.MaxFloat64))})
	}
	if res, err := n.Result(toTheEnd); err != nil || !math.IsInf(res.Stats.Sum, 1) {
		t.Errorf("beyond all numbers: %+v, %v", res.Stats, err)
	}
}

// Sums of whole numbers are rounded once, also where the numbers are beyond 2^53.
func TestSumOfWhole(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 5))
	for _, unit := range []int64{1, 1e6} {
		c := whole
		c.Unit = unit
		for range 100 {
			parts := []tally.Counter{counter(t, facet.Numbers{}, c), counter(t, facet.Numbers{}, c)}
			exact := new(big.Int)
			for range 1 + r.IntN(40) {
				v := []int64{r.Int64(), -r.Int64(), math.MinInt64, math.MaxInt64, 1<<53 + 1, r.Int64N(9)}[r.IntN(6)]
				exact.Add(exact, big.NewInt(v))
				parts[r.IntN(2)].Add([]int64{v})
			}
			parts[0].Merge(parts[1])
			want, _ := new(big.Rat).SetFrac(exact, big.NewInt(unit)).Float64()
			if res, err := parts[0].Result(toTheEnd); err != nil || res.Stats.Sum != want {
				t.Fatalf("sum %v, want %v; %v", res.Stats.Sum, want, err)
			}
		}
	}
}

// A result of many values ends when it is told to.
func TestResultEnds(t *testing.T) {
	t.Parallel()
	c, named := whole, 0
	c.Name = func(n int64) (string, error) { named++; return fmt.Sprint(n), nil }
	n := counter(t, facet.Terms{Limit: math.MaxInt}, c)
	for v := range int64(5000) {
		n.Add([]int64{v * 7919 % 5003})
	}
	enough, asked := errors.New("enough"), 0
	for name, stop := range map[string]func() bool{
		"while it sorts": func() bool { asked++; return asked == 100 },
		"while it names": func() bool { return named == 100 },
	} {
		named = 0
		_, err := n.Result(func() error {
			if stop() {
				return enough
			}
			return nil
		})
		if !errors.Is(err, enough) || named > 100 || asked > 100 {
			t.Errorf("%s: %v; %d named, asked %d times", name, err, named, asked)
		}
	}
}

func TestDistinct(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 3))
	for range 50 {
		known := map[int64]bool{}
		n := counter(t, facet.Numbers{}, whole)
		for range r.IntN(3000) {
			v := []int64{r.Int64N(50), r.Int64(), -r.Int64N(1000), r.Int64N(1<<20) << 32, math.MinInt64}[r.IntN(5)]
			known[v] = true
			n.Add([]int64{v})
		}
		if res, err := n.Result(toTheEnd); err != nil || res.Stats.Distinct != len(known) {
			t.Fatalf("%d different, want %d; %v", res.Stats.Distinct, len(known), err)
		}
	}
}

func TestSpans(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("east", 2*3600)
	at := time.Date(2026, 1, 1, 23, 30, 0, 0, time.UTC) // a Thursday; Friday, 01:30, in the east
	for _, c := range []struct {
		f    facet.Dates
		name string
		from time.Time
	}{
		{facet.Dates{Every: facet.Hour}, "2026-01-01T23", at.Add(-30 * time.Minute)},
		{facet.Dates{Every: facet.Day}, "2026-01-01", time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)},
		{facet.Dates{Every: facet.Day, In: zone}, "2026-01-02", time.Date(2026, 1, 2, 0, 0, 0, 0, zone)},
		{facet.Dates{Every: facet.Week}, "2026-W01", time.Date(2025, 12, 29, 0, 0, 0, 0, time.UTC)},
		{facet.Dates{Every: facet.Month}, "2026-01", time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)},
		{facet.Dates{Every: facet.Quarter}, "2026-Q1", time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)},
		{facet.Dates{Every: facet.Year}, "2026", time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)},
	} {
		n := counter(t, c.f, whole)
		n.Add([]int64{at.UnixMicro()})
		n.Add(nil)
		res, err := n.Result(toTheEnd)
		if err != nil || len(res.Buckets) != 1 || res.Buckets[0].Name != c.name || !res.Buckets[0].Start.Equal(c.from) || res.Missing != 1 {
			t.Errorf("%+v: %+v, %v; want %s from %v", c.f, res, err, c.name, c.from)
		}
	}
}

// What several counters counted adds up to what one counts of all.
func TestMerge(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 4))
	names := whole
	names.Text = 40
	for range 200 {
		for _, c := range []struct {
			f  facet.Facet
			of tally.Column
		}{
			{facet.Terms{Limit: math.MaxInt}, whole}, {facet.Terms{Limit: math.MaxInt}, names}, {facet.Numbers{}, whole}, {facet.Numbers{}, names},
			{facet.Ranges{Bounds: []float64{3, 20}}, whole}, {facet.Dates{Every: facet.Hour}, whole},
		} {
			one, parts := counter(t, c.f, c.of), []tally.Counter{counter(t, c.f, c.of), counter(t, c.f, c.of), counter(t, c.f, c.of)}
			for range r.IntN(60) {
				var values []int64
				for v := r.Int64N(40); v < 40 && len(values) < 3; v += 1 + r.Int64N(30) {
					if r.IntN(5) > 0 {
						values = append(values, v)
					}
				}
				one.Add(values)
				parts[r.IntN(3)].Add(values)
			}
			parts[0].Merge(parts[1])
			parts[0].Merge(parts[2])
			want, err := one.Result(toTheEnd)
			got, err2 := parts[0].Result(toTheEnd)
			if err != nil || err2 != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("%T: %+v, want %+v; %v, %v", c.f, got, want, err, err2)
			}
		}
	}
}
