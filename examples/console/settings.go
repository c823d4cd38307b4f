package main

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/webquarry/quarry/crawler/extract"
	"github.com/webquarry/quarry/crawler/job"
	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// settings say how what a job has found is indexed. They can be changed without crawling
// again.
type settings struct {
	Stemming  string             `json:"stemming"`   // auto (by the language of each text), none, or a language
	StopWords []string           `json:"stop_words"` // words that are left out
	MinLength int                `json:"min_length"` // of words, in letters; shorter ones are left out
	K1        float64            `json:"k1"`         // of BM25
	B         float64            `json:"b"`
	Weights   map[string]float64 `json:"weights"`   // of fields of text; 1
	MaxEdits  int                `json:"max_edits"` // typing errors that are forgiven in a word, 0 to 2; in short words fewer
}

func standardSettings() settings {
	return settings{Stemming: "auto", MinLength: 1, K1: 1.2, B: 0.75, MaxEdits: 2}
}

// parseSettings reads the settings of a form.
func parseSettings(get func(string) string, names []string) (s settings, err error) {
	s = settings{Stemming: get("stemming"), StopWords: strings.Fields(get("stop_words")), Weights: map[string]float64{}}
	number := func(name string, least, most float64) float64 {
		v, perr := strconv.ParseFloat(strings.TrimSpace(get(name)), 64)
		if perr != nil || !(v >= least && v <= most) {
			err = errors.Join(err, fmt.Errorf("%s: a number from %g to %g is wanted, not %q", name, least, most, get(name)))
		}
		return v
	}
	s.MinLength = int(number("min_length", 1, 20))
	s.MaxEdits = int(number("max_edits", 0, 2))
	s.K1, s.B = number("k1", 0, 10), number("b", 0, 1)
	for _, n := range names {
		if get("weight:"+n) != "" {
			s.Weights[n] = number("weight:"+n, 0, 100)
		}
	}
	if _, aerr := s.analyzer(); aerr != nil {
		err = errors.Join(err, aerr)
	}
	return s, err
}

// typos are the errors that are forgiven.
func (s settings) typos() query.Typos {
	t := query.Typos{Forgive: s.MaxEdits > 0}
	if s.MaxEdits == 1 {
		t.Two = -1
	}
	return t
}

// analyzer finds and stems words.
func (s settings) analyzer() (analysis.Analyzer, error) {
	switch s.Stemming {
	case "none":
		return s.around(analysis.Standard{}), nil
	case "auto":
		all := *analysis.Named("auto").(*analysis.Languages)
		by := map[string]analysis.Analyzer{}
		for code, a := range all.By {
			by[code] = s.around(a)
		}
		return &analysis.Languages{By: by, Other: s.around(analysis.Standard{})}, nil
	}
	a := analysis.Named(s.Stemming)
	if a == nil {
		return nil, fmt.Errorf("stemming: there is no %q", s.Stemming)
	}
	return s.around(a), nil
}

// around leaves out the words that are not wanted.
func (s settings) around(a analysis.Analyzer) analysis.Analyzer {
	if len(s.StopWords) > 0 {
		a = analysis.NewStopWords(a, s.StopWords...)
	}
	if s.MinLength > 1 {
		a = long{a, s.MinLength}
	}
	return a
}

// long leaves out words of fewer letters.
type long struct {
	analysis.Analyzer
	least int
}

// Tokens implements [analysis.Analyzer].
func (l long) Tokens(text string) iter.Seq[analysis.Token] { return l.only(l.Analyzer.Tokens(text)) }

// QueryTokens are those that a query asks for.
func (l long) QueryTokens(text string) iter.Seq[analysis.Token] {
	if q, ok := l.Analyzer.(interface {
		QueryTokens(text string) iter.Seq[analysis.Token]
	}); ok {
		return l.only(q.QueryTokens(text))
	}
	return l.Tokens(text)
}

// Fold is how words are written that are one term.
func (l long) Fold(text string) string { return analysis.Fold(l.Analyzer, text) }

func (l long) only(tokens iter.Seq[analysis.Token]) iter.Seq[analysis.Token] {
	return func(yield func(analysis.Token) bool) {
		for t := range tokens {
			if t.End-t.Start >= l.least && utf8.RuneCountInString(t.Text) >= l.least && !yield(t) {
				return
			}
		}
	}
}

// stemmings are the choices.
func stemmings() []string {
	return append([]string{"auto", "none"}, slices.DeleteFunc(slices.Sorted(slices.Values(analysis.Names())), func(n string) bool {
		return n == "auto" || n == "standard"
	})...)
}

// schema is that of documents with the fields of a job.
func (s settings) schema(fields []fieldKind) index.Schema {
	out := index.Schema{{Name: "url", Kind: index.Keyword, Stored: true}, {Name: "fetched", Kind: index.Time}}
	for _, f := range fields {
		t := index.FieldType{Name: f.Name, Kind: f.Kind}
		switch f.Kind {
		case index.Text:
			t.Analyzer, t.Stored, t.Weight = "own", true, s.Weights[f.Name]
			if f.Short {
				out = append(out, index.FieldType{Name: f.Name + exact, Kind: index.Keyword, Column: true})
			}
		case index.Keyword:
			t.Stored, t.Column = true, true
		}
		out = append(out, t)
	}
	return out
}

func (s settings) options(fields []fieldKind) (index.Options, error) {
	a, err := s.analyzer()
	return index.Options{Schema: s.schema(fields), Analyzers: map[string]analysis.Analyzer{"own": a}, Scorer: rank.BM25F{K1: s.K1, B: s.B}}, err
}

// fieldKind is a field of the documents of a job.
type fieldKind struct {
	Name  string
	Kind  index.Kind
	Short bool // a Text whose values can be chosen and ordered by, in a field of their own
	Money bool // a Float that is a price
}

// exact is the end of the name of the field with the values of a Short one, and mostExact
// how long they are at most.
const (
	exact     = "="
	mostExact = 100
)

// fieldsOf are the fields of the documents of a job: those of its records, or else those of
// pages.
func fieldsOf(spec *job.Spec) []fieldKind {
	if len(spec.Extract) == 0 {
		return []fieldKind{{Name: "title", Kind: index.Text, Short: true}, {Name: "text", Kind: index.Text}}
	}
	kinds, short, money := map[string]index.Kind{}, map[string]bool{}, map[string]bool{}
	var names []string
	add := func(name string, kind index.Kind) {
		if name == "url" || name == "fetched" {
			name += "_" // these are the page's
		}
		if _, ok := kinds[name]; !ok {
			names = append(names, name)
		}
		kinds[name] = kind
	}
	for _, s := range spec.Extract {
		for _, f := range s.Fields {
			switch f.Type {
			case extract.Money:
				add(f.Name, index.Float)
				money[f.Name] = true
				add(f.Name+"_currency", index.Keyword)
			case extract.Int, extract.Float:
				add(f.Name, index.Float)
			case extract.Time:
				add(f.Name, index.Time)
			case extract.Bool, extract.Present, extract.URL:
				add(f.Name, index.Keyword)
			default:
				add(f.Name, index.Text)
				short[f.Name] = f.Type == "" || f.Type == extract.String
			}
		}
	}
	out := make([]fieldKind, len(names))
	for i, n := range names {
		out[i] = fieldKind{n, kinds[n], short[n], money[n]}
	}
	return out
}
