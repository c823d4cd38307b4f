package main

import (
	"fmt"
	"html"
	"io"
	"strings"
)

// curve is how a crawl went.
type curve struct {
	name    string
	limit   int   // pages that are to be visited; 0: not known
	harvest []int // pages on topic among the first 1, 2, 3, ...
}

// add notes a page, and tells now and then how it goes.
func (c *curve) add(onTopic bool, progress io.Writer) {
	n := 0
	if len(c.harvest) > 0 {
		n = c.harvest[len(c.harvest)-1]
	}
	if onTopic {
		n++
	}
	c.harvest = append(c.harvest, n)
	if every := max(c.limit/10, 20); len(c.harvest)%every == 0 {
		fmt.Fprintf(progress, "%s: %s\n", c.name, *c)
	}
}

func (c curve) String() string {
	n := len(c.harvest)
	if n == 0 {
		return "no pages"
	}
	return fmt.Sprintf("%d pages, %d on topic, harvest rate %.2f", n, c.harvest[n-1], c.rate(n))
}

// rate is the share of pages on topic among the first n.
func (c curve) rate(n int) float64 { return float64(c.harvest[n-1]) / float64(n) }

// Sizes of the picture.
const (
	width, height            = 720, 420
	left, right, top, bottom = 64, 16, 56, 48
	plotWidth                = width - left - right
	plotHeight               = height - top - bottom
)

// style has colours for light and dark backgrounds, told apart also by dashes.
const style = `
svg { background: #ffffff; font: 13px system-ui, sans-serif; color: #1f2328 }
text { fill: currentColor } .dim { opacity: .7 }
.grid { stroke: currentColor; stroke-opacity: .15 } .axis { stroke: currentColor; stroke-opacity: .5 }
.line { fill: none; stroke-width: 2.5; stroke-linejoin: round }
.c0 { stroke: #0969da } .c1 { stroke: #bc4c00; stroke-dasharray: 7 4 }
@media (prefers-color-scheme: dark) {
  svg { background: #0d1117; color: #e6edf3 } .c0 { stroke: #58a6ff } .c1 { stroke: #f0883e }
}
`

// draw makes an SVG picture of curves: the share of pages on topic, over the
// number of pages.
func draw(curves []curve) string {
	pages, best := 1, 0.0
	for _, c := range curves {
		pages = max(pages, len(c.harvest))
		for n := 1 + len(c.harvest)/20; n <= len(c.harvest); n++ {
			best = max(best, c.rate(n))
		}
	}
	scale := min(max(float64(int(best*10)+1)/10, 0.2), 1)
	x := func(n int) float64 { return left + plotWidth*float64(n)/float64(pages) }
	y := func(rate float64) float64 { return top + plotHeight*(1-min(rate/scale, 1)) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="Harvest rate of %s">`,
		width, height, width, height, html.EscapeString(names(curves)))
	fmt.Fprintf(&b, "\n<style>%s</style>\n", style)
	fmt.Fprintf(&b, `<text x="%d" y="24" font-size="16" font-weight="600">Harvest rate: share of the pages so far that are on topic</text>`+"\n", left)
	for i := 0; i <= int(scale*10+0.5); i++ {
		at := y(float64(i) / 10)
		fmt.Fprintf(&b, `<line class="grid" x1="%d" y1="%.1f" x2="%d" y2="%.1f"/><text class="dim" x="%d" y="%.1f" text-anchor="end">%d %%</text>`+"\n",
			left, at, width-right, at, left-8, at+4, i*10)
	}
	for n := 0; n <= pages; n += niceStep(pages) {
		fmt.Fprintf(&b, `<text class="dim" x="%.1f" y="%d" text-anchor="middle">%d</text>`+"\n", x(n), height-bottom+20, n)
	}
	fmt.Fprintf(&b, `<line class="axis" x1="%d" y1="%d" x2="%d" y2="%d"/>`+"\n", left, height-bottom, width-right, height-bottom)
	fmt.Fprintf(&b, `<text class="dim" x="%d" y="%d" text-anchor="middle">pages visited</text>`+"\n", left+plotWidth/2, height-8)
	for i, c := range curves {
		fmt.Fprintf(&b, `<line class="line c%d" x1="%d" y1="42" x2="%d" y2="42"/><text x="%d" y="46">%s</text>`+"\n",
			i%2, left+i*170, left+i*170+32, left+i*170+40, html.EscapeString(c.name))
		b.WriteString(c.path(i, x, y))
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// path is the line of a curve, with at most one point for each pixel. It begins
// where the rate has settled a little.
func (c curve) path(i int, x func(int) float64, y func(float64) float64) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<path class="line c%d" d="`, i%2)
	verb, last := byte('M'), -1.0
	for n := 1 + len(c.harvest)/50; n <= len(c.harvest); n++ {
		if at := x(n); at-last >= 1 || n == len(c.harvest) {
			fmt.Fprintf(&b, "%c%.1f %.1f", verb, at, y(c.rate(n)))
			verb, last = 'L', at
		}
	}
	b.WriteString("\"/>\n")
	return b.String()
}

func names(curves []curve) string {
	var all []string
	for _, c := range curves {
		all = append(all, c.name)
	}
	return strings.Join(all, " and ")
}

// niceStep parts an axis into five to ten steps of 1, 2 or 5 times a power of ten.
func niceStep(n int) int {
	for step := 1; ; step *= 10 {
		for _, k := range []int{1, 2, 5} {
			if n <= 10*step*k {
				return step * k
			}
		}
	}
}
