package content

import (
	"bytes"
	"io"
	"strings"

	"github.com/ledongthuc/pdf"
)

// pdfFont decodes the strings that are shown in a font, and knows how wide they
// are.
type pdfFont struct {
	encoding pdf.TextEncoding // nil: as Latin-1
	wide     bool             // two bytes a glyph
	widths   map[int]float64  // of glyphs
	width    float64          // of others
	unit     float64          // of widths, as a multiple of the size
	known    map[string]string
}

// fontOf returns a font by its name in resources. One that is broken is read as
// Latin-1.
func (s *pdfShow) fontOf(resources pdf.Value, name string) *pdfFont {
	if f := s.fonts[name]; f != nil {
		return f
	}
	f := &pdfFont{width: 500, unit: 0.001, known: make(map[string]string)}
	_ = guard(func() error {
		v := resources.Key("Font").Key(name)
		as := v.String()
		if old := s.to.fonts[as]; old != nil {
			f = old
			return nil
		}
		if s.to.fonts == nil || len(s.to.fonts) >= mostFonts {
			s.to.fonts = make(map[string]*pdfFont)
		}
		s.to.fonts[as] = f
		f.wide = v.Key("Subtype").Name() == "Type0"
		if harmless(v.Key("ToUnicode")) {
			font := pdf.Font{V: v}
			f.encoding = font.Encoder()
		}
		f.measure(v)
		return nil
	})
	s.fonts[name] = f
	return f
}

// harmless reports whether the library can read the table of a font that makes
// characters of glyphs: it loops as often as the numbers in it say.
func harmless(table pdf.Value) bool {
	if table.Kind() != pdf.Stream {
		return true
	}
	b, err := io.ReadAll(io.LimitReader(table.Reader(), mostCmap+1))
	if err != nil && len(b) == 0 || len(b) > mostCmap || bytes.LastIndexByte(b, '<') > bytes.LastIndexByte(b, '>') {
		return false
	}
	digits := 0
	for i := 0; i < len(b); {
		switch c := b[i]; {
		case c == '<' && bytes.HasPrefix(b[i:], []byte("<<")):
			i++
		case c == '<':
			i = skipPast(b, i, ">")
			continue
		case c >= '0' && c <= '9':
			if digits++; digits > 6 {
				return false
			}
		default:
			digits = 0
		}
		i++
	}
	return true
}

const (
	mostWidths = 1 << 16 // of a font
	mostFonts  = 1000    // of a document that are kept at a time
)

// measure reads the widths of glyphs.
func (f *pdfFont) measure(v pdf.Value) {
	f.widths = make(map[int]float64)
	if !f.wide {
		first, list := int(v.Key("FirstChar").Int64()), v.Key("Widths")
		for i := range min(list.Len(), 256) {
			f.widths[first+i] = list.Index(i).Float64()
		}
		if m := v.Key("FontMatrix"); v.Key("Subtype").Name() == "Type3" && m.Len() == 6 {
			f.unit = m.Index(0).Float64()
		}
		return
	}
	of := v.Key("DescendantFonts").Index(0)
	f.width = 1000
	if dw := of.Key("DW"); !dw.IsNull() {
		f.width = dw.Float64()
	}
	list := of.Key("W")
	for i := 0; i+1 < list.Len() && len(f.widths) < mostWidths; {
		first, next := int(list.Index(i).Int64()), list.Index(i+1)
		if next.Kind() == pdf.Array { // c [w ...]
			for j := range min(next.Len(), mostWidths) {
				f.widths[first+j] = next.Index(j).Float64()
			}
			i += 2
			continue
		}
		last, w := int(next.Int64()), list.Index(i+2).Float64() // c c w
		for c := first; c <= last && c-first < mostWidths; c++ {
			f.widths[c] = w
		}
		i += 3
	}
}

// decode returns the text of a string and its width as a multiple of the size.
func (f *pdfFont) decode(raw string) (text string, width float64) {
	if f == nil {
		return latin1(raw), 0.5 * float64(len(raw))
	}
	step := 1
	if f.wide {
		step = 2
	}
	var b strings.Builder
	for ; raw != ""; raw = raw[min(step, len(raw)):] {
		glyph := raw[:min(step, len(raw))]
		b.WriteString(f.glyph(glyph))
		code := 0
		for i := range len(glyph) {
			code = code<<8 | int(glyph[i])
		}
		w, ok := f.widths[code]
		if !ok {
			w = f.width
		}
		width += w * f.unit
	}
	return b.String(), width
}

func (f *pdfFont) glyph(raw string) string {
	s, ok := f.known[raw]
	if !ok {
		if f.encoding == nil {
			s = latin1(raw)
		} else {
			s = f.encoding.Decode(raw)
		}
		f.known[strings.Clone(raw)] = s
	}
	return s
}

func latin1(s string) string {
	r := make([]rune, len(s))
	for i := range len(s) {
		r[i] = rune(s[i])
	}
	return string(r)
}
