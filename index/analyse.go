package index

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/internal/fault"
	"github.com/webquarry/quarry/index/internal/invert"
	"github.com/webquarry/quarry/index/internal/schema"
	"github.com/webquarry/quarry/index/internal/segment"
)

// valueGap is how far apart the last word of a value and the first of the next
// value of the field are, so that no phrase reaches across.
const valueGap = 100

// maxKey is the greatest length of a key, in bytes.
const maxKey = 1 << 16

// analyst turns documents into what the writer gathers.
type analyst struct {
	schema    schema.Fields
	numbers   map[string]int // of the fields, by name
	analyzers map[string]analysis.Analyzer
	tokens    sync.Pool // of *[]invert.Token, whose memory is used again
}

func newAnalyst(s schema.Fields, known map[string]analysis.Analyzer) *analyst {
	a := &analyst{schema: s, numbers: map[string]int{}, analyzers: known}
	for i, f := range s {
		a.numbers[f.Name] = i
	}
	return a
}

// check reports what is wrong with a document before any of it is used.
func (a *analyst) check(d Document) error {
	if d.Key == "" || len(d.Key) > maxKey {
		return &schema.Error{Field: "", Msg: fmt.Sprintf("a document needs a key of 1 to %d bytes, not %d", maxKey, len(d.Key))}
	}
	for _, f := range d.Fields {
		if _, ok := a.numbers[f.Name]; !ok {
			return &schema.Error{Field: f.Name, Msg: "not in the schema, in document " + strconv.Quote(d.Key)}
		}
		if a.schema[a.numbers[f.Name]].Kind >= schema.Vector {
			continue
		}
		if a.schema[a.numbers[f.Name]].Anchors > 0 {
			return &schema.Error{Field: f.Name, Msg: "is for anchors, which AddAnchors takes, and in document " + strconv.Quote(d.Key)}
		}
		switch f.Value.(type) {
		case string, []string:
		default:
			return &schema.Error{Field: f.Name, Msg: fmt.Sprintf("value of type %T, not string or []string, in document %s", f.Value, strconv.Quote(d.Key))}
		}
	}
	return a.checkColumns(d)
}

// analysed is a document as it is gathered.
type analysed struct {
	invert.Doc
	bytes int64        // of its strings
	cut   int          // tokens that were too long
	many  []*tokenizer // of fields with much text, which is analysed while it is gathered
}

// err returns what has ended the analysis early.
func (d *analysed) err() error {
	for _, t := range d.many {
		if t.err != nil {
			return t.err
		}
	}
	return nil
}

// tokensCut is how many tokens were too long and are cut.
func (d *analysed) tokensCut() int {
	n := d.cut
	for _, t := range d.many {
		n += t.cut
	}
	return n
}

// streamFrom is the text of a field, in bytes, from which on its tokens are not kept
// in memory.
const streamFrom = 1 << 20

// analyse returns the document as it is gathered. A field that is given twice has the
// values of both. Panics are those of analyzers.
func (a *analyst) analyse(ctx context.Context, d Document) (out analysed, err error) {
	out.Key, out.bytes = d.Key, d.size()
	language := schema.Speech{Language: d.Language, Texts: d.texts}
	var values []segment.Value
	for _, v := range a.gather(d) {
		number, f := v.Field, a.schema[v.Field]
		if f.Stored && len(v.Strings) > 0 {
			values = append(values, v)
		}
		if f.Kind == schema.StoredOnly {
			continue
		}
		tokens := invert.FieldTokens{Number: number, Name: f.Name, Positions: f.Kind == schema.Text}
		if f.Kind != schema.Text {
			tokens.Tokens = keywords(v.Strings)
		} else if t := newTokenizer(ctx, language.Of(a.analyzers[f.Analyzer]), v.Strings); t.bytes() >= streamFrom {
			tokens.Many = t.some
			out.many = append(out.many, t)
		} else {
			tokens.Tokens = t.all(a.room())
			out.cut += t.cut
			if t.err != nil {
				return out, t.err
			}
		}
		if len(tokens.Tokens) > 0 || tokens.Many != nil {
			out.Fields = append(out.Fields, tokens)
		}
	}
	if code := language.Asked(); code != "" {
		out.Fields = append(out.Fields, invert.FieldTokens{Number: schema.LanguageField, Name: schema.LanguageName, Tokens: keywords([]string{code})})
	}
	out.Columns, out.Vectors = a.columns(d), a.vectors(d)
	out.Small, out.Large = segment.Record(values)
	return out, nil
}

// gather collects the values of a document that are texts, a field after the
// other, as the schema has them.
func (a *analyst) gather(d Document) []segment.Value {
	type place struct{ number, at int } // of a field in the schema, and in the document
	places := make([]place, 0, len(d.Fields))
	for at, f := range d.Fields {
		if number := a.numbers[f.Name]; a.schema[number].Kind < schema.Vector {
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

// tokenizer makes the tokens of the values of a text field.
type tokenizer struct {
	ctx      context.Context
	analyzer analysis.Analyzer
	values   []string
	cut      int   // tokens that were too long
	err      error // of the context, or a panic of the analyzer
}

func newTokenizer(ctx context.Context, an analysis.Analyzer, values []string) *tokenizer {
	return &tokenizer{ctx: ctx, analyzer: an, values: values}
}

func (t *tokenizer) bytes() (n int) {
	for _, v := range t.values {
		n += len(v)
	}
	return n
}

// someTokens is how many tokens are looked at between looks at the context.
const someTokens = 1024

// all appends all tokens. Panics are those of the analyzer.
func (t *tokenizer) all(tokens []invert.Token) []invert.Token {
	t.each(func(token invert.Token) bool {
		tokens = append(tokens, token)
		if len(tokens)%someTokens == 0 && t.ctx.Err() != nil {
			t.err = context.Cause(t.ctx)
		}
		return t.err == nil
	})
	return tokens
}

// some yields the tokens some at a time. A panic of the analyzer ends it, and is an
// error; one of yield is none of its business.
func (t *tokenizer) some(yield func([]invert.Token) bool) {
	tokens := make([]invert.Token, 0, someTokens)
	yielding := false
	pass := func() bool {
		yielding = true
		defer func() { tokens = tokens[:0] }()
		more := yield(tokens)
		yielding = false
		return more
	}
	defer func() {
		if yielding {
			return
		}
		if p := recover(); p != nil {
			t.err = fault.Panicked("analyzer", p)
		}
	}()
	ended := false
	t.each(func(token invert.Token) bool {
		if tokens = append(tokens, token); len(tokens) < someTokens {
			return true
		}
		if t.ctx.Err() != nil {
			t.err = context.Cause(t.ctx)
		}
		ended = t.err != nil || !pass()
		return !ended
	})
	if !ended {
		pass()
	}
}

// each yields the tokens of all values.
func (t *tokenizer) each(yield func(invert.Token) bool) {
	base, last := 0, -1
	for i, text := range t.values {
		if i > 0 && last >= 0 {
			base = last + valueGap
		}
		for token := range t.analyzer.Tokens(text) {
			last = max(last, base+token.Pos)
			if token.Cut {
				t.cut++
			}
			if !yield(invert.Token{Term: token.Text, Pos: uint32(min(last, math.MaxUint32))}) {
				return
			}
		}
	}
}

// checkColumns reports a value that its column does not take.
func (a *analyst) checkColumns(d Document) error {
	for i, f := range d.Fields {
		t := a.schema[a.numbers[f.Name]]
		if t.Kind < schema.Vector {
			continue
		}
		err := error(nil)
		if t.Kind == schema.Vector {
			_, err = schema.ToVector(t.Vectors, f.Value)
		} else {
			_, _, err = schema.ToNumber(t.Kind, f.Value)
		}
		if err != nil {
			return &schema.Error{Field: f.Name, Msg: fmt.Sprintf("%v, in document %s", err, strconv.Quote(d.Key))}
		}
		for _, other := range d.Fields[:i] {
			if other.Name == f.Name {
				return &schema.Error{Field: f.Name, Msg: "takes one value, in document " + strconv.Quote(d.Key)}
			}
		}
	}
	return nil
}

// columns returns what a document, which was checked, has in columns.
func (a *analyst) columns(d Document) (out []invert.ColumnValue) {
	for _, f := range d.Fields {
		number := a.numbers[f.Name]
		switch t := a.schema[number]; {
		case !t.Column || t.Kind == schema.Vector:
		case t.Kind == schema.Keyword:
			v := invert.ColumnValue{Field: number, IsText: true}
			for s := range f.values() {
				v.Strings = append(v.Strings, s)
			}
			out = append(out, v)
		default:
			if n, ok, err := schema.ToNumber(t.Kind, f.Value); ok && err == nil {
				out = append(out, invert.ColumnValue{Field: number, Number: n})
			}
		}
	}
	return out
}

// vectors returns the vectors of a document, which was checked.
func (a *analyst) vectors(d Document) (out []invert.VectorValue) {
	for _, f := range d.Fields {
		number := a.numbers[f.Name]
		if t := a.schema[number]; t.Kind == schema.Vector {
			if v, err := schema.ToVector(t.Vectors, f.Value); v != nil && err == nil {
				out = append(out, invert.VectorValue{Field: number, Options: t.Vectors, Vector: v})
			}
		}
	}
	return out
}
