package main

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/webquarry/quarry/crawler/extract"
)

// later is a sighting some days after.
func later(s sighting, days int, price float64, st stock) sighting {
	s.At, s.Price.Amount, s.Stock = monday.AddDate(0, 0, days), price, st
	return s
}

func TestHistory(t *testing.T) {
	t.Parallel()
	f := facts{Name: "K", GTIN: "09520000410001"}
	a, b := seen("A", "/1", "1", 100, f), seen("B", "/1", "1", 110, f)
	c := catalogOf(a, b,
		later(a, 1, 100, inStock), later(b, 1, 90, inStock), // B is cheaper
		later(b, 2, 90, soldOut), // but has none: A again
		later(a, 3, 120, inStock),
		later(a, 4, 120, soldOut), // nobody has one: the least of all
	)
	p := c.products[0]
	at := func(days int, price float64) step { return step{monday.AddDate(0, 0, days), price} }
	want := []step{at(0, 100), at(1, 90), at(2, 100), at(3, 120), at(4, 90)}
	if diff := cmp.Diff(want, bestTrail(p.Offers, c.rates)); diff != "" {
		t.Error(diff)
	}
	if p.Price != 90 || p.High != 120 || p.Low != 90 || math.Abs(p.Drop-0.25) > 1e-9 || p.InStock || p.Shops != 2 {
		t.Errorf("%+v", p.summary)
	}
	for _, o := range p.Offers {
		if len(o.Trail) != map[string]int{"A": 3, "B": 3}[o.Shop] {
			t.Errorf("%s: %v: only changes make a point", o.Shop, o.Trail)
		}
	}
}

// A drop looks back a month: who sold at 200 last year is not cheap at 100 today.
func TestDropLooksBackAMonth(t *testing.T) {
	t.Parallel()
	a := seen("A", "/1", "1", 200, facts{Name: "K"})
	for _, c := range []struct {
		fell, now int // days
		want      float64
	}{{1, 2, 0.5}, {1, 30, 0.5}, {1, 32, 0}, {40, 41, 0.5}} {
		p := catalogOf(a, later(a, c.fell, 100, inStock), later(a, c.now, 100, inStock)).products[0]
		if math.Abs(p.Drop-c.want) > 1e-9 {
			t.Errorf("fell on day %d, seen on day %d: drop %v, want %v", c.fell, c.now, p.Drop, c.want)
		}
	}
}

// What is gone counts no more, and what comes back does.
func TestGone(t *testing.T) {
	t.Parallel()
	f := facts{Name: "K", GTIN: "09520000410001"}
	a, b := seen("A", "/1", "1", 100, f), seen("B", "/1", "1", 50, f)
	gone := sighting{At: monday.AddDate(0, 0, 1), Shop: b.Shop, URL: b.URL, SKU: b.SKU, Gone: true}
	c := catalogOf(a, b, gone)
	p := c.products[0]
	if p.Price != 100 || p.Shops != 1 || !p.Offers[1].Gone || p.Offers[1].Available() {
		t.Errorf("%+v, %+v", p.summary, p.Offers[1])
	}
	c.take(later(b, 2, 60, inStock))
	c.refresh()
	if p = c.products[0]; p.Price != 60 || p.Shops != 2 || p.Offers[0].Gone {
		t.Errorf("back again: %+v", p.summary)
	}
}

// A price whose rate is not known is no bargain.
func TestRates(t *testing.T) {
	t.Parallel()
	f := facts{Name: "K", GTIN: "09520000410001"}
	a, b, d := seen("A", "/1", "1", 100, f), seen("B", "/1", "1", 120, f), seen("C", "/1", "1", 1, f)
	b.Price.Currency, d.Price.Currency = "USD", "XTS"
	c := catalogOf(a, b, d)
	if p := c.products[0]; p.Price != 60 || p.Offers[0].Shop != "B" || p.Offers[2].Shop != "C" {
		t.Errorf("%+v", p.summary)
	}
	p := catalogOf(d).products[0]
	if !math.IsInf(p.Price, 1) || p.Drop != 0 || chartOf(p, c.rates) != nil || sparkOf(p, c.rates) != nil || money(p.Price, "EUR") != "not comparable" {
		t.Errorf("%+v", p.summary)
	}
}

func TestChart(t *testing.T) {
	t.Parallel()
	a := seen("A", "/1", "1", 100, facts{Name: "K"})
	if c := chartOf(catalogOf(a).products[0], rates{home: "EUR"}); c != nil {
		t.Error("a chart after one round")
	}
	p := catalogOf(a, later(a, 1, 80, inStock), later(a, 2, 80, inStock)).products[0]
	c := chartOf(p, rates{home: "EUR"})
	if len(c.Lines) != 1 || c.Lines[0].Path != "M76 12H376V230H706" {
		t.Errorf("%+v", c.Lines)
	}
	if first, last := c.Rules[0], c.Rules[len(c.Rules)-1]; first.Label != "€80" || last.Label != "€100" || first.At != 230 || last.At != 12 {
		t.Errorf("rules %+v", c.Rules)
	}
	if c.Times[0].Label != "2 Mar" || c.Times[2].Label != "4 Mar" {
		t.Errorf("times %+v", c.Times)
	}
	flat := catalogOf(a, later(a, 1, 100, inStock)).products[0]
	if c := chartOf(flat, rates{home: "EUR"}); len(c.Rules) < 2 || len(c.Rules) > 7 || c.Lines[0].Path != "M76 121H706" {
		t.Errorf("a price that stands still: %+v", c)
	}
}

func TestMoney(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"€1,180.45": money(1180.449, "EUR"), "CHF 99.00": money(99, "CHF"), "$0.05": money(0.05, "USD"), "€100.00": money(99.999, "EUR"),
		"25%": percent(0.249),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if p, err := extract.ParsePrice("CHF 1'299.–"); err != nil || p != (extract.Price{Amount: 1299, Currency: "CHF"}) {
		t.Errorf("%v, %v", p, err)
	}
	if got := day(time.Date(2026, 3, 2, 8, 5, 0, 0, time.UTC)); got != "2 Mar 2026, 08:05 UTC" {
		t.Error(got)
	}
}
