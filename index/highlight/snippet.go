package highlight

import (
	"cmp"
	"html"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"

	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/query"
)

// Snippet is a short piece of a text that shows where a query matches. Text is
// plain, valid UTF-8, in one line.
type Snippet struct {
	Text  string
	Spans []Span // matches, in order, not overlapping
}

// Span is a part of a text: the bytes from Start up to End.
type Span struct{ Start, End int }

// Options say what a snippet is made of. The zero value gives 240 bytes
// for a query over any field.
type Options struct {
	// Bytes is the greatest length of the text; 0: 240; negative: none, the snippet is
	// empty; math.MaxInt: the whole text, such as of a title, with every match.
	Bytes int
	// Fragments is the number of passages a snippet may have, when one does not
	// show all words of the query; 0: 2; negative: one.
	Fragments int
	// Field is the field that the text comes from: what the query asks of
	// others is not shown. "" shows all.
	Field string
	// Expander is that of the search: what it yields for a word of a [query.Match] is shown
	// as that word is. nil: none.
	Expander query.Expander
	// Typos are those of the search: what is near a word of a [query.Match] is shown as
	// that word is.
	Typos query.Typos
}

// New returns the passages of text that answer q best: those with the
// most different words of the query, close together, early on. It analyses the
// text with a, which should be the analyzer of its field (nil: the standard
// one), so stems, folded letters and prefixes are found; of a phrase only its
// occurrences are. It cuts between words where it can and marks cuts with an
// ellipsis. Neither a passage nor a match ever begins or ends within a grapheme
// cluster; a cluster that has no room is left out. Without a match the snippet is
// the beginning of the text.
//
// The text may be any bytes; those that are not UTF-8 become U+FFFD. The cost is
// that of analysing the text, less where all words come early and not the whole
// text is asked for: 8 KiB behind the first places of all words nothing else is
// looked at.
func New(text string, q query.Query, a analysis.Analyzer, opt Options) Snippet {
	return For(q, a, opt).Snippet(text)
}

// Highlighter makes snippets of many texts for one query. It is for one goroutine at a
// time.
type Highlighter struct {
	of  *matcher
	opt Options
}

// For returns what makes snippets for q of texts that a analyses, as [New] does.
func For(q query.Query, a analysis.Analyzer, opt Options) *Highlighter {
	return &Highlighter{newMatcher(q, a, opt), opt}
}

// Snippet is [New] for a text.
func (h *Highlighter) Snippet(text string) Snippet {
	opt := h.opt
	if opt.Bytes < 0 {
		return Snippet{}
	}
	whole := opt.Bytes == math.MaxInt
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	hits := h.of.hits(text, whole)
	wholeClusters(text, hits)
	b := snippetBuilder{text: text, spans: united(hits), short: 0 < opt.Bytes && opt.Bytes < leastMarked}
	switch {
	case whole:
		b.add(passage{0, len(text), false})
		return b.snippet()
	case opt.Bytes == 0:
		opt.Bytes = 240
	}
	opt.Fragments = max(1, cmp.Or(opt.Fragments, 2))
	for _, p := range choose(text, hits, opt.Bytes, opt.Fragments) {
		b.add(p)
	}
	return b.snippet()
}

// HTML returns the text escaped for HTML, with each match in a mark element. It
// is safe to use as template.HTML.
func (s Snippet) HTML() string {
	var b strings.Builder
	at := 0
	for _, span := range s.Spans {
		b.WriteString(html.EscapeString(s.Text[at:span.Start]))
		b.WriteString("<mark>")
		b.WriteString(html.EscapeString(s.Text[span.Start:span.End]))
		b.WriteString("</mark>")
		at = span.End
	}
	b.WriteString(html.EscapeString(s.Text[at:]))
	return b.String()
}

// united returns the hits, which are in order, without overlaps.
func united(hits []hit) (spans []Span) {
	for _, h := range hits {
		if n := len(spans); n > 0 && h.start < spans[n-1].End {
			spans[n-1].End = max(spans[n-1].End, h.end)
			continue
		}
		spans = append(spans, Span{h.start, h.end})
	}
	return spans
}

// ellipsis marks a cut, in snippets of leastMarked bytes or more.
const (
	ellipsis    = "…"
	leastMarked = 32
)

// snippetBuilder writes passages of a text, blanks and control characters as
// single blanks, and moves the spans along.
type snippetBuilder struct {
	text  string
	spans []Span // in text
	out   strings.Builder
	moved []Span
	blank bool // one is due before the next character
	cut   bool // the last passage ended before the text
	short bool // there is no room for ellipses
}

func (b *snippetBuilder) add(p passage) {
	if !b.short && (b.out.Len() > 0 || p.from > 0 && !p.sentence) {
		b.blank = b.out.Len() > 0
		b.write(ellipsis)
		b.blank = true
	}
	at := p.from
	for _, s := range b.spans {
		if s.End <= p.from || s.Start >= p.to {
			continue
		}
		s = Span{max(s.Start, p.from), min(s.End, p.to)}
		s.Start += len(b.text[s.Start:s.End]) - len(strings.TrimLeftFunc(b.text[s.Start:s.End], isBlank))
		b.write(b.text[at:s.Start])
		b.flush()
		start := b.out.Len()
		b.write(b.text[s.Start:s.End])
		if end := b.out.Len(); end > start {
			b.moved = append(b.moved, Span{start, end})
		}
		at = s.End
	}
	b.write(b.text[at:p.to])
	b.cut = p.to < len(b.text)
}

// write copies s.
func (b *snippetBuilder) write(s string) {
	for len(s) > 0 {
		n := strings.IndexFunc(s, isBlank)
		if n < 0 {
			n = len(s)
		}
		if n > 0 {
			b.flush()
			b.out.WriteString(s[:n])
		}
		rest := strings.TrimLeftFunc(s[n:], isBlank)
		b.blank = b.blank || len(rest) < len(s)-n && (b.out.Len() > 0 || extends(rest))
		s = rest
	}
}

func (b *snippetBuilder) flush() {
	if b.blank {
		b.out.WriteByte(' ')
		b.blank = false
	}
}

// extends reports whether s begins with marks, which belong to a blank before it.
func extends(s string) bool {
	_, n := utf8.DecodeRuneInString(s)
	g := graphemes.FromString(" " + s[:n])
	return g.Next() && len(g.Value()) > 1
}

func isBlank(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

func (b *snippetBuilder) snippet() Snippet {
	if b.cut && !b.short {
		b.blank = b.out.Len() > 0
		b.write(ellipsis)
	}
	return Snippet{b.out.String(), b.moved}
}
