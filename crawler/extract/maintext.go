package extract

import (
	"net/url"
	"strings"

	"codeberg.org/readeck/go-readability/v2"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	maxReadable = 30_000 // elements of a page that readability is given
	fewWords    = 40     // less than that is next to nothing
)

// reading is what readability made of a page.
type reading struct {
	linked                              int // words within links
	text                                string
	title, byline, excerpt, site, image string
}

// readable gives a page to readability. A panic of it counts as nothing found.
func readable(root *html.Node, pageURL string) (r reading) {
	defer func() {
		if v := recover(); v != nil {
			r = reading{}
		}
	}()
	if tooManyElements(root) {
		return r
	}
	u, err := url.Parse(pageURL)
	if err != nil {
		u = nil
	}
	p := readability.NewParser()
	a, err := p.ParseDocument(root, u)
	if err != nil {
		return r
	}
	r = reading{title: a.Title(), byline: a.Byline(), excerpt: a.Excerpt(), site: a.SiteName(), image: a.ImageURL()}
	if a.Node != nil {
		r.text = blocks(a.Node)
		for n := range a.Node.Descendants() {
			if n.DataAtom == atom.A {
				r.linked += words(line(n))
			}
		}
	}
	return r
}

func tooManyElements(root *html.Node) bool {
	count := 0
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			if count++; count > maxReadable {
				return true
			}
		}
	}
	return false
}

// mainText returns the text of readability, or the densest part of the page
// where that is next to nothing beside it, or mostly links.
func mainText(root *html.Node, r reading) (text string, dense bool) {
	n := words(r.text)
	if n >= 5*fewWords && r.linked <= n/2 {
		return r.text, false
	}
	d := densest(root)
	if d.words < fewWords && n > 0 || n >= fewWords && r.linked <= n/2 && d.words < 3*n {
		return r.text, false
	}
	return d.text, d.text != ""
}

// stretch is a part of a page.
type stretch struct {
	text  string
	words int
}

// What words and blocks count when the densest stretch is sought.
const (
	plainWord = 1.0
	linkWord  = -1.0
	newBlock  = -4.0
)

// densest returns the stretch of blocks whose words outside of links, less a
// price for each block and each word within a link, are most.
func densest(root *html.Node) stretch {
	d := density{}
	d.walk(root, false)
	d.close()
	best, from, to := 0.0, 0, 0
	sum, start := 0.0, 0
	for i, b := range d.blocks {
		if sum <= 0 {
			sum, start = 0, i
		}
		if sum += b.score; sum > best {
			best, from, to = sum, start, i+1
		}
	}
	var s stretch
	lines := make([]string, 0, to-from)
	for _, b := range d.blocks[from:to] {
		s.words += b.words
		lines = append(lines, b.text)
	}
	s.text = clip(strings.Join(lines, "\n"), maxText)
	return s
}

// density scores the blocks of a page.
type density struct {
	blocks []block
	text   strings.Builder
	words  int
	score  float64
	price  float64 // of the borders before the block
}

type block struct {
	text  string
	words int
	score float64
}

// walk reads a node and what is in it.
func (d *density) walk(n *html.Node, link bool) {
	switch n.Type {
	case html.TextNode:
		w := words(n.Data)
		d.text.WriteString(n.Data)
		if d.words += w; link {
			d.score += linkWord * float64(w)
		} else {
			d.score += plainWord * float64(w)
		}
		return
	case html.ElementNode:
		if unseen(n.DataAtom) || aside(n) {
			return
		}
		link = link || n.DataAtom == atom.A
	}
	border := n.Type == html.ElementNode && (breaks(n.DataAtom) || n.DataAtom == atom.Td)
	if border {
		d.close()
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		d.walk(c, link)
	}
	if border {
		d.close()
	} else if n.DataAtom == atom.Br {
		d.text.WriteByte(' ')
	}
}

// close ends a block. Borders without text between them count as well, but
// not without end.
func (d *density) close() {
	d.price = max(d.price+newBlock/2, 8*newBlock)
	t := strings.Join(strings.Fields(d.text.String()), " ")
	if t != "" {
		d.blocks = append(d.blocks, block{t, d.words, d.score + d.price})
		d.price = 0
	}
	d.text.Reset()
	d.words, d.score = 0, 0
}

// aside reports whether an element is by its kind no part of an article.
func aside(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Nav, atom.Footer, atom.Aside, atom.Form, atom.Button, atom.Select, atom.Dialog, atom.Menu, atom.Svg:
		return true
	}
	_, hidden := attr(n, "hidden")
	return hidden
}
