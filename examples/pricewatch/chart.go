package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// chart is how the prices of a product went, ready to be drawn as SVG: a price
// holds until the next, so lines are stairs.
type chart struct {
	Width, Height int
	Lines, Legend []chartLine // in the order of drawing, and from the cheapest on
	Rules         []chartRule // lines across, with what they stand for
	Times         []chartRule // places below
	Left, Bottom  float64     // where the lines begin and end
	Right         float64
}

// chartLine is one shop.
type chartLine struct {
	Name  string
	Class string // s0, s1, ...: the colours are in the style sheet
	Path  string // of an SVG path element
	X, Y  float64
	Ended bool // it is not on sale now
}

type chartRule struct {
	At    float64
	Label string
}

const (
	chartWidth, chartHeight = 720, 260
	chartLeft, chartRight   = 76, 14
	chartTop, chartBottom   = 12, 30
	chartTail, sparkTail    = 30, 10 // what was seen last holds for now
	chartColours            = 6
	sparkWidth, sparkHeight = 96, 28
)

// frame maps times and prices to places.
type frame struct {
	from, to   time.Time
	low, high  float64
	left, top  float64
	width, bot float64 // bot is the height between top and bottom
	tail       float64 // width of now, behind to
}

// end is where a line ends that was seen last at a time.
func (f frame) end(seen time.Time) float64 {
	if seen.Before(f.to) {
		return f.x(seen)
	}
	return round(f.left + f.width + f.tail)
}

func (f frame) x(at time.Time) float64 {
	return round(f.left + f.width*float64(at.Sub(f.from))/float64(max(f.to.Sub(f.from), 1)))
}

func (f frame) y(price float64) float64 {
	return round(f.top + f.bot*(1-(price-f.low)/(f.high-f.low)))
}

func round(f float64) float64 { return math.Round(f*10) / 10 }

// stairs draws steps from their first to a time.
func (f frame) stairs(steps []step, until time.Time) string {
	var b strings.Builder
	for i, s := range steps {
		if i == 0 {
			fmt.Fprintf(&b, "M%v %v", f.x(s.At), f.y(s.Price))
			continue
		}
		fmt.Fprintf(&b, "H%vV%v", f.x(s.At), f.y(s.Price))
	}
	fmt.Fprintf(&b, "H%v", f.end(until))
	return b.String()
}

// steps is the trail of an offer in the currency of comparison.
func (o *offer) steps(rates rates) (out []step) {
	for _, p := range o.Trail {
		price := rates.of(p)
		if math.IsInf(price, 0) {
			return nil
		}
		if n := len(out); n == 0 || out[n-1].Price != price {
			out = append(out, step{p.At, price})
		}
	}
	return out
}

// chartOf draws the offers of a product; nil when there is nothing to draw, as
// after the first round.
func chartOf(p *product, rates rates) *chart {
	f := frame{left: chartLeft, top: chartTop, width: chartWidth - chartLeft - chartRight - chartTail, bot: chartHeight - chartTop - chartBottom, tail: chartTail,
		low: math.Inf(1), high: math.Inf(-1)}
	all := make([][]step, len(p.Offers))
	for i, o := range p.Offers {
		all[i] = o.steps(rates)
		for _, s := range all[i] {
			f.low, f.high = min(f.low, s.Price), max(f.high, s.Price)
			if f.from.IsZero() || s.At.Before(f.from) {
				f.from = s.At
			}
		}
		if o.Seen.After(f.to) {
			f.to = o.Seen
		}
	}
	if math.IsInf(f.low, 0) || !f.to.After(f.from) {
		return nil
	}
	c := &chart{Width: chartWidth, Height: chartHeight, Left: chartLeft, Right: chartWidth - chartRight, Bottom: chartHeight - chartBottom}
	gap := niceGap(f.low, f.high)
	f.low, f.high = math.Floor(f.low/gap)*gap, math.Ceil(f.high/gap)*gap
	if f.low == f.high {
		f.low, f.high = max(f.low-gap, 0), f.high+gap
	}
	for v := f.low; v <= f.high+gap/2; v += gap {
		c.Rules = append(c.Rules, chartRule{f.y(v), whole(v, rates.home)})
	}
	c.Times = timesOf(f)
	for i, o := range p.Offers {
		if len(all[i]) == 0 {
			continue
		}
		last := all[i][len(all[i])-1]
		c.Lines = append(c.Lines, chartLine{Name: o.Shop, Class: "s" + strconv.Itoa(o.shop%chartColours), Path: f.stairs(all[i], o.Seen),
			X: f.end(o.Seen), Y: f.y(last.Price), Ended: !o.Available()})
	}
	c.Legend = slices.Clone(c.Lines)
	slices.Reverse(c.Lines) // the cheapest is drawn last, above the others
	return c
}

// niceGap is a round number that parts a range in three to six.
func niceGap(low, high float64) float64 {
	span := max(high-low, high/20, 0.04)
	gap := math.Pow(10, math.Floor(math.Log10(span/3)))
	for _, by := range []float64{1, 2, 5, 10} {
		if span/(gap*by) <= 5 {
			return gap * by
		}
	}
	return gap * 10
}

// whole is an amount for an axis, without cents where there are none.
func whole(v float64, code string) string { return strings.TrimSuffix(money(v, code), ".00") }

// timesOf labels the beginning, the middle and the end, by day or by the second.
func timesOf(f frame) []chartRule {
	layout := "15:04:05"
	switch span := f.to.Sub(f.from); {
	case span > 36*time.Hour:
		layout = "2 Jan"
	case span > time.Hour:
		layout = "2 Jan 15:04"
	}
	var out []chartRule
	for _, at := range []time.Time{f.from, f.from.Add(f.to.Sub(f.from) / 2), f.to} {
		out = append(out, chartRule{f.x(at), at.UTC().Format(layout)})
	}
	return out
}

// spark is how the least price of a product went, small: the path of a line, and
// what it says.
type spark struct {
	Path  string
	X, Y  float64
	Label string
}

// sparkOf draws the least price; nil when it never changed.
func sparkOf(p *product, rates rates) *spark {
	trail := bestTrail(p.Offers, rates)
	if len(trail) < 2 {
		return nil
	}
	f := frame{from: trail[0].At, left: 3, top: 3, width: sparkWidth - 6 - sparkTail, bot: sparkHeight - 6, tail: sparkTail, low: math.Inf(1)}
	for _, s := range trail {
		if math.IsInf(s.Price, 0) {
			return nil
		}
		f.low, f.high = min(f.low, s.Price), max(f.high, s.Price)
	}
	for _, o := range p.Offers {
		if o.Seen.After(f.to) {
			f.to = o.Seen
		}
	}
	last := trail[len(trail)-1].Price
	return &spark{Path: f.stairs(trail, f.to), X: f.end(f.to), Y: f.y(last),
		Label: fmt.Sprintf("from %s to %s, now %s", money(f.low, rates.home), money(f.high, rates.home), money(last, rates.home))}
}
