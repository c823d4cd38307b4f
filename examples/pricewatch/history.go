package main

import (
	"maps"
	"math"
	"slices"
	"time"
)

// rates say what one unit of a currency is in that of comparison.
type rates struct {
	home string
	in   map[string]float64
}

// of is a price in the currency of comparison. One whose rate is not known
// cannot be compared: it is infinite.
func (r rates) of(p point) float64 {
	if p.Code == r.home {
		return p.Price
	}
	if rate, ok := r.in[p.Code]; ok {
		return math.Round(p.Price*rate*100) / 100
	}
	return math.Inf(1)
}

// step is a price from a time on, in the currency of comparison.
type step struct {
	At    time.Time
	Price float64
}

// bestTrail is how the least price of a product went. What is sold out does not
// count, unless everything is.
func bestTrail(offers []*offer, rates rates) (trail []step) {
	times := map[time.Time]bool{}
	for _, o := range offers {
		for _, p := range o.Trail {
			times[p.At] = true
		}
	}
	for _, at := range slices.SortedFunc(maps.Keys(times), time.Time.Compare) {
		price := leastAt(offers, rates, at)
		if n := len(trail); n == 0 || trail[n-1].Price != price {
			trail = append(trail, step{at, price})
		}
	}
	return trail
}

func leastAt(offers []*offer, rates rates, at time.Time) float64 {
	onSale, least := math.Inf(1), math.Inf(1)
	for _, o := range offers {
		after, _ := slices.BinarySearchFunc(o.Trail, at, func(p point, t time.Time) int {
			if p.At.After(t) {
				return 1
			}
			return -1
		})
		if after == 0 {
			continue
		}
		p := o.Trail[after-1]
		price := rates.of(p)
		least = min(least, price)
		if p.Stock != soldOut {
			onSale = min(onSale, price)
		}
	}
	if math.IsInf(onSale, 1) {
		return least
	}
	return onSale
}

// summarise says what is searched and sorted by.
func summarise(offers []*offer, rates rates) (s summary) {
	trail := bestTrail(offers, rates)
	last := trail[len(trail)-1]
	s.Price, s.High, s.Low = last.Price, last.Price, last.Price
	since := last.At
	for _, o := range offers {
		if o.Seen.After(since) {
			since = o.Seen
		}
	}
	since = since.Add(-monthBack)
	shops := map[string]bool{}
	for i, t := range trail {
		s.Low = min(s.Low, t.Price)
		if i+1 == len(trail) || trail[i+1].At.After(since) {
			s.High = max(s.High, t.Price)
		}
	}
	for _, o := range offers {
		s.InStock = s.InStock || o.Available()
		if !o.Gone {
			shops[o.Shop] = true
		}
	}
	s.Shops = len(shops)
	if s.High > s.Price && !math.IsInf(s.High, 1) {
		s.Drop = 1 - s.Price/s.High
	}
	return s
}
