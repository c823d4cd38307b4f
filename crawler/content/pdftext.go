package content

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"strings"

	"github.com/ledongthuc/pdf"
)

// Bounds of one page.
const (
	mostContent = 4 << 20 // bytes of drawing instructions, unpacked
	mostCmap    = 1 << 20 // bytes of a table from glyphs to characters
	mostForms   = 8       // drawings within each other
	mostStates  = 64      // saved at a time
	mostStreams = 10_000  // of instructions
)

// pdfWriter is the text of a document: lines of words.
type pdfWriter struct {
	out   strings.Builder
	fonts map[string]*pdfFont // by what the document says of them: pages have most in common
}

func (w *pdfWriter) String() string { return clean(w.out.String()) }

func (w *pdfWriter) newline() { w.part("\n") }
func (w *pdfWriter) space()   { w.part(" ") }

// part separates what is there from what comes.
func (w *pdfWriter) part(by string) {
	if s := w.out.String(); s != "" && s[len(s)-1] != '\n' && (s[len(s)-1] != ' ' || by == "\n") {
		w.out.WriteString(by)
	}
}

// matrix is a transformation: x' = a·x + c·y + e, y' = b·x + d·y + f.
type matrix struct{ a, b, c, d, e, f float64 }

var identity = matrix{a: 1, d: 1}

// then applies n after m.
func (m matrix) then(n matrix) matrix {
	return matrix{
		m.a*n.a + m.b*n.c, m.a*n.b + m.b*n.d,
		m.c*n.a + m.d*n.c, m.c*n.b + m.d*n.d,
		m.e*n.a + m.f*n.c + n.e, m.e*n.b + m.f*n.d + n.f,
	}
}

// pdfShow executes drawing instructions as far as they show text (ISO 32000,
// 9.4).
type pdfShow struct {
	ctx   context.Context
	to    *pdfWriter
	page  matrix // of the page, and what was saved of it
	saved []matrix
	line  matrix // of the line, and of the place in it
	at    matrix
	font  *pdfFont
	size  float64
	lead  float64
	end   place
	fonts map[string]*pdfFont
	forms int
}

// place is where the last text ended.
type place struct {
	x, y  float64
	known bool
}

func newPDFShow(ctx context.Context, to *pdfWriter) *pdfShow {
	return &pdfShow{ctx: ctx, to: to, page: identity, line: identity, at: identity, size: 1}
}

// drawing shows the text of a page.
func (s *pdfShow) drawing(p pdf.Page) error {
	return s.run(p.V.Key("Contents"), p.Resources())
}

// run executes a stream of instructions, or several as one.
func (s *pdfShow) run(streams, resources pdf.Value) error {
	b, err := unpacked(streams)
	if err != nil {
		return err
	}
	fonts := s.fonts
	s.fonts = make(map[string]*pdfFont)
	defer func() { s.fonts = fonts }()
	in := content{b}
	for op, args := in.next(); op != ""; op, args = in.next() {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		if s.to.out.Len() < pdfText {
			s.do(op, args, resources)
		}
	}
	return nil
}

// unpacked reads the instructions of a page. Of a stream that is broken there
// is what comes before.
func unpacked(v pdf.Value) ([]byte, error) {
	streams := []pdf.Value{v}
	if v.Kind() == pdf.Array {
		streams = nil
		for i := range min(v.Len(), mostStreams) {
			streams = append(streams, v.Index(i))
		}
	}
	var b bytes.Buffer
	for _, one := range streams {
		_, _ = io.Copy(&b, io.LimitReader(one.Reader(), int64(mostContent+1-b.Len())))
		if b.Len() > mostContent {
			return nil, errors.New("too many instructions")
		}
		b.WriteByte('\n')
	}
	return b.Bytes(), nil
}

// do executes one instruction.
func (s *pdfShow) do(op string, args []operand, resources pdf.Value) {
	var n [6]float64
	for i := range min(len(args), 6) {
		n[i] = args[i].num
	}
	switch op {
	case "q":
		if len(s.saved) < mostStates {
			s.saved = append(s.saved, s.page)
		}
	case "Q":
		if last := len(s.saved) - 1; last >= 0 {
			s.page, s.saved = s.saved[last], s.saved[:last]
		}
	case "cm":
		s.page = matrix{n[0], n[1], n[2], n[3], n[4], n[5]}.then(s.page)
	case "BT":
		s.line, s.at = identity, identity
	case "Tf":
		if len(args) == 2 {
			s.font, s.size = s.fontOf(resources, args[0].str), n[1]
		}
	case "TL":
		s.lead = n[0]
	case "Tm":
		s.line = matrix{n[0], n[1], n[2], n[3], n[4], n[5]}
		s.at = s.line
	case "TD":
		s.lead = -n[1]
		s.move(n[0], n[1])
	case "Td":
		s.move(n[0], n[1])
	case "T*":
		s.move(0, -s.lead)
	case "Do":
		if len(args) == 1 {
			s.form(resources.Key("XObject").Key(args[0].str), resources)
		}
	default:
		s.showing(op, args)
	}
}

// showing executes the instructions that show text.
func (s *pdfShow) showing(op string, args []operand) {
	if len(args) == 0 {
		return
	}
	last := args[len(args)-1]
	switch op {
	case "Tj":
		s.show(last.str)
	case "'", "\"":
		s.move(0, -s.lead)
		s.show(last.str)
	case "TJ":
		for _, part := range last.list {
			if part.kind == stringOperand {
				s.show(part.str)
			} else {
				s.at = matrix{1, 0, 0, 1, -part.num / 1000 * s.size, 0}.then(s.at)
			}
		}
	}
}

// move begins a line at a distance from where the last one began.
func (s *pdfShow) move(x, y float64) {
	s.line = matrix{1, 0, 0, 1, x, y}.then(s.line)
	s.at = s.line
}

// form shows a drawing within the drawing.
func (s *pdfShow) form(form, resources pdf.Value) {
	if form.Key("Subtype").Name() != "Form" || s.forms == mostForms {
		return
	}
	if own := form.Key("Resources"); own.Kind() == pdf.Dict {
		resources = own
	}
	s.forms++
	page, line, at := s.page, s.line, s.at
	if m := form.Key("Matrix"); m.Len() == 6 {
		f := func(i int) float64 { return m.Index(i).Float64() }
		s.page = matrix{f(0), f(1), f(2), f(3), f(4), f(5)}.then(s.page)
	}
	_ = guard(func() error { return s.run(form, resources) })
	s.page, s.line, s.at = page, line, at
	s.forms--
}

// Gaps, as shares of the size of the text, that part words and lines.
const (
	wordGap = 0.18
	lineGap = 0.5
)

// show shows a string where the text is at.
func (s *pdfShow) show(raw string) {
	text, width := s.font.decode(raw)
	from := s.at.then(s.page)
	size := math.Abs(s.size) * math.Hypot(from.a, from.b)
	switch {
	case !s.end.known:
	case math.Abs(from.f-s.end.y) > lineGap*size:
		s.to.newline()
	case from.e-s.end.x > wordGap*size, from.e < s.end.x-size:
		s.to.space()
	}
	s.to.out.WriteString(text)
	s.at = matrix{1, 0, 0, 1, width * s.size, 0}.then(s.at)
	to := s.at.then(s.page)
	s.end = place{to.e, to.f, true}
}
