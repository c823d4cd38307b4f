package main

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/webquarry/quarry/crawler/crawlertest"
)

// The web of the demonstration: a magazine of 480 pages in 24 columns of 20,
// every fourth of them on beekeeping. Pages of a column link to each other, and
// half of the columns on bees can be reached only through columns on other things.
const (
	demoSeed  = "http://magazine.test/"
	demoQuery = "bee honey hive beekeeping"

	columns       = 24
	columnPages   = 20
	columnsOnBees = 4 // every how many-th
)

// subjects are what columns are about, bees first.
var subjects = [][]string{
	strings.Fields("bee honey hive queen swarm nectar pollen comb apiary beekeeping smoker drone brood wax varroa"),
	strings.Fields("harbour ferry anchor deck sail captain tide lighthouse rope pier cargo mast gull net crew"),
	strings.Fields("violin concert opera rhythm choir piano melody stage orchestra encore drum score tenor cello song"),
	strings.Fields("glacier summit ridge climber rope avalanche hut crampon valley peak snow ledge trail compass tent"),
	strings.Fields("loom wool linen thread weaver dye spindle yarn cotton needle hem pattern cloth felt button"),
	strings.Fields("oven rye flour crust yeast baker dough salt bread honey butter loaf kneading starter crumb"),
}

var fillers = strings.Fields(`morning road neighbour weather letter window garden story question answer winter evening table market village
	paper family journey corner history hour street river people season colour number half place reason`)

// demoWeb makes the web. It is the same each time.
func demoWeb() (*crawlertest.Web, error) {
	m := magazine{rng: rand.New(rand.NewPCG(7, 11))}
	m.lay()
	web, err := crawlertest.Parse("")
	if err != nil {
		return nil, err
	}
	for i := range m.links {
		web.Add(m.url(i), m.page(i))
	}
	return web, nil
}

type magazine struct {
	rng   *rand.Rand
	about []int   // subject of each page
	links [][]int // of each page
}

// lay decides what pages are about and what they link to.
func (m *magazine) lay() {
	n := columns * columnPages
	m.about, m.links = make([]int, n), make([][]int, n)
	for c := range columns {
		about := 0
		if c%columnsOnBees != 0 {
			about = 1 + m.rng.IntN(len(subjects)-1)
		}
		first := c * columnPages
		for k := range columnPages {
			m.about[first+k] = about
			if k > 0 {
				m.link(first+(k-1)/3, first+k)
			}
			m.link(first+k, first+m.rng.IntN(columnPages))
			m.link(first+k, first+m.rng.IntN(columnPages))
		}
		for range 2 {
			switch {
			case c == 0:
			case c%(2*columnsOnBees) == columnsOnBees: // from columns before, on something else
				m.link(m.in(c-1-m.rng.IntN(columnsOnBees-1)), first)
			case c%columnsOnBees == 0: // from an earlier one on bees
				m.link(m.in(columnsOnBees*m.rng.IntN(c/columnsOnBees)), first)
			default:
				m.link(m.in(m.rng.IntN(c)), first)
			}
		}
	}
	for i := range n {
		if to := m.rng.IntN(n); m.about[i] != 0 && m.about[to] != 0 {
			m.link(i, to)
		}
	}
}

// in is a page of a column.
func (m *magazine) in(column int) int { return column*columnPages + m.rng.IntN(columnPages) }

func (m *magazine) link(from, to int) {
	if from != to {
		m.links[from] = append(m.links[from], to)
	}
}

// url tells nothing of a page.
func (m *magazine) url(i int) string {
	if i == 0 {
		return demoSeed
	}
	return fmt.Sprintf("%sread/%d", demoSeed, 1000+(i*7919)%(columns*columnPages))
}

// word is one on the subject in so many of a hundred, else any.
func (m *magazine) word(about, share int) string {
	if m.rng.IntN(100) < share {
		w := subjects[about]
		return w[min(m.rng.IntN(len(w)), m.rng.IntN(len(w)))] // the first more often
	}
	return fillers[m.rng.IntN(len(fillers))]
}

func (m *magazine) phrase(about, share, n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = m.word(about, share)
	}
	return strings.Join(words, " ")
}

// page writes a page. Two in three links say what they lead to.
func (m *magazine) page(i int) string {
	var b strings.Builder
	about := m.about[i]
	fmt.Fprintf(&b, "<!DOCTYPE html><html lang=en><title>The %s and the %s</title>\n", m.word(about, 80), m.word(about, 50))
	for range 4 {
		fmt.Fprintf(&b, "<p>The %s. A %s.</p>\n", m.phrase(about, 25, 18), m.phrase(about, 25, 14))
	}
	for _, to := range m.links[i] {
		text := "read on"
		if m.rng.IntN(3) > 0 {
			text = m.phrase(m.about[to], 70, 2)
		}
		fmt.Fprintf(&b, "<p>%s: <a href=%q>%s</a></p>\n", m.phrase(about, 25, 3), m.url(to), text)
	}
	return b.String()
}
