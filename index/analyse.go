package index

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/internal/invert"
	"github.com/webquarry/quarry/index/internal/segment"
)

// valueGap is how far apart the last word of a value and the first of the next
// value of the field are, so that no phrase reaches across.
const valueGap = 100

// maxKey is the greatest length of a key, in bytes.
const maxKey = 1 << 16

// analyst turns documents into what the writer gathers.
type analyst struct {
	schema    Schema
	numbers   map[string]int // of the fields, by name
	analyzers map[string]analysis.Analyzer
	tokens    sync.Pool // of *[]invert.Token, whose memory is used again
}

func newAnalyst(s Schema, known map[string]analysis.Analyzer) *analyst {
	a := &analyst{schema: s, numbers: map[string]int{}, analyzers: known}
	for i, f := range s {
		a.numbers[f.Name] = i
	}
	return a
}

// check reports what is wrong with a document before any of it is used.
func (a *analyst) check(d Document) error {
	if d.Key == "" || len(d.Key) > maxKey {
		return &SchemaError{"", fmt.Sprintf("a document needs a key of 1 to %d bytes, not %d", maxKey, len(d.Key))}
	}
	for _, f := range d.Fields {
		if _, ok := a.numbers[f.Name]; !ok {
			return &SchemaError{f.Name, "not in the schema, in document " + quoted(d.Key)}
		}
		if a.schema[a.numbers[f.Name]].Kind >= Integer {
			continue
		}
		if a.schema[a.numbers[f.Name]].Anchors > 0 {
			return &SchemaError{f.Name, "is for anchors, which AddAnchors takes, and in document " + quoted(d.Key)}
		}
		switch f.Value.(type) {
		case string, []string:
		default:
			return &SchemaError{f.Name, fmt.Sprintf("value of type %T, not string or []string, in document %s", f.Value, quoted(d.Key))}
		}
	}
	return a.checkNumbers(d)
}

// analyse returns the document as it is gathered, and how many of its tokens
// were too long and are cut. A field that is given twice has the values of
// both.
func (a *analyst) analyse(d Document) (out invert.Doc, cut int) {
	out.Key = d.Key
	language := speech{doc: d}
	var values []segment.Value
	for _, v := range a.gather(d) {
		number, f := v.Field, a.schema[v.Field]
		if f.Stored {
			values = append(values, v)
		}
		if f.Kind == StoredOnly {
			continue
		}
		tokens := invert.FieldTokens{Number: number, Name: f.Name, Positions: f.Kind == Text}
		if f.Kind == Text {
			var n int
			tokens.Tokens, n = words(a.room(), language.of(a.analyzers[f.Analyzer]), v.Strings)
			cut += n
		} else {
			tokens.Tokens = keywords(v.Strings)
		}
		if len(tokens.Tokens) > 0 {
			out.Fields = append(out.Fields, tokens)
		}
	}
	out.Columns = a.columns(d)
	out.Small, out.Large = segment.Record(values)
	return out, cut
}

// gather collects the values of a document that are no numbers, a field after the
// other, as the schema has them.
func (a *analyst) gather(d Document) []segment.Value {
	type place struct{ number, at int } // of a field in the schema, and in the document
	places := make([]place, 0, len(d.Fields))
	for at, f := range d.Fields {
		if number := a.numbers[f.Name]; a.schema[number].Kind < Integer {
			places = append(places, place{number, at})
		}
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(a.number, b.number) })
	all := make([]segment.Value, 0, len(places))
	for i, p := range places {
		again := i > 0 && places[i-1].number == p.number
		if !again {
			all = append(all, segment.Value{Field: p.number})
		}
		v, f := &all[len(all)-1], d.Fields[p.at]
		_, list := f.Value.([]string)
		v.List = v.List || list || again
		for s := range f.values() {
			v.Strings = append(v.Strings, s)
		}
	}
	return all
}

func keywords(values []string) []invert.Token {
	tokens := make([]invert.Token, len(values))
	for i, s := range values {
		tokens[i] = invert.Token{Term: s}
	}
	return tokens
}

// room returns an empty list of tokens.
func (a *analyst) room() []invert.Token {
	if tokens, ok := a.tokens.Get().(*[]invert.Token); ok {
		return *tokens
	}
	return nil
}

// done takes back the tokens of a document.
func (a *analyst) done(d invert.Doc) {
	for _, f := range d.Fields {
		tokens := f.Tokens[:0]
		clear(f.Tokens) // they refer to the text
		a.tokens.Put(&tokens)
	}
}

// words appends the tokens of the values of a text field.
func words(tokens []invert.Token, an analysis.Analyzer, values []string) (_ []invert.Token, cut int) {
	base, last := 0, -1
	for i, text := range values {
		if i > 0 && last >= 0 {
			base = last + valueGap
		}
		for t := range an.Tokens(text) {
			last = max(last, base+t.Pos)
			tokens = append(tokens, invert.Token{Term: t.Text, Pos: uint32(min(last, math.MaxUint32))})
			if t.Cut {
				cut++
			}
		}
	}
	return tokens, cut
}
