package indextest

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"math/big"
	"slices"
	"sync"
	"time"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// Twin keeps documents in a map and answers queries by looking at every one of
// them. It takes the options, and does what an [index.Index] must do, down to
// the last bit of a score. Its methods may be called from many goroutines.
type Twin struct {
	opt index.Options

	mu      sync.Mutex
	pending map[string]index.Document
	docs    []document // as committed, by ascending key
}

var _ index.Searcher = (*Twin)(nil)

// document is a committed document, analysed.
type document struct {
	index.Document
	tokens   map[string][]analysis.Token // by field
	language string                      // where an analyzer asks for it
}

// NewTwin returns an empty twin. The schema must be given.
func NewTwin(opt index.Options) *Twin {
	return &Twin{opt: opt, pending: map[string]index.Document{}}
}

// Add adds documents; they are found after Commit.
func (t *Twin) Add(_ context.Context, docs ...index.Document) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, d := range docs {
		t.pending[d.Key] = d
	}
	return nil
}

// Delete removes documents; they are found until Commit.
func (t *Twin) Delete(_ context.Context, keys ...string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, key := range keys {
		delete(t.pending, key)
	}
	return nil
}

// Set replaces fields of a document; found after Commit.
func (t *Twin) Set(_ context.Context, key string, fields ...index.Field) (bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	d, ok := t.pending[key]
	if !ok {
		return false, nil
	}
	d.Fields = slices.DeleteFunc(slices.Clone(d.Fields), func(f index.Field) bool {
		return slices.ContainsFunc(fields, func(other index.Field) bool { return other.Name == f.Name })
	})
	d.Fields = append(d.Fields, fields...)
	t.pending[key] = d
	return true, nil
}

// Commit makes what was added and deleted count.
func (t *Twin) Commit(context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.docs = nil
	for _, key := range slices.Sorted(maps.Keys(t.pending)) {
		d := document{Document: t.pending[key], tokens: map[string][]analysis.Token{}}
		for _, f := range t.opt.Schema {
			if l, ok := t.analyzer(f).(analysis.Localizer); ok {
				d.language = languageOf(l, d.Document)
			}
			d.tokens[f.Name] = t.tokens(f, d.Document)
		}
		t.docs = append(t.docs, d)
	}
	return nil
}

// valueGap is more than any slop between two values of a field.
const valueGap = 1000

// tokens analyses a field of a document.
func (t *Twin) tokens(f index.FieldType, d index.Document) (tokens []analysis.Token) {
	base := 0
	for _, v := range values(d, f.Name) {
		for tok := range inLanguage(t.analyzer(f), d).Tokens(v) {
			tok.Pos += base
			tokens = append(tokens, tok)
		}
		if len(tokens) > 0 {
			base = tokens[len(tokens)-1].Pos + valueGap
		}
	}
	return tokens
}

func values(d index.Document, field string) (all []string) {
	for _, f := range d.Fields {
		if f.Name != field {
			continue
		}
		switch v := f.Value.(type) {
		case string:
			all = append(all, v)
		case []string:
			all = append(all, v...)
		}
	}
	return all
}

// analyzer returns the analyzer of a field; that of a keyword takes a value
// as it is.
func (t *Twin) analyzer(f index.FieldType) analysis.Analyzer {
	if f.Kind != index.Text {
		return asItIs{}
	}
	if a := t.opt.Analyzers[f.Analyzer]; a != nil {
		return a
	}
	if a := analysis.Named(f.Analyzer); a != nil {
		return a
	}
	return analysis.Standard{}
}

// analyzer returns the analyzer of a field for what is asked of the documents.
func (e *evaluation) analyzer(f index.FieldType) analysis.Analyzer {
	a := e.Twin.analyzer(f)
	l, ok := a.(analysis.Localizer)
	if !ok {
		return a
	}
	var languages []string
	for _, d := range e.docs {
		languages = append(languages, d.language)
	}
	return l.Among(languages)
}

// inLanguage returns the analyzer for the language of a document.
func inLanguage(a analysis.Analyzer, d index.Document) analysis.Analyzer {
	l, ok := a.(analysis.Localizer)
	if !ok {
		return a
	}
	return l.In(languageOf(l, d))
}

func languageOf(l analysis.Localizer, d index.Document) string {
	longest := ""
	for _, f := range d.Fields {
		for _, v := range values(d, f.Name) {
			if len(v) > len(longest) {
				longest = v
			}
		}
	}
	return cmp.Or(d.Language, l.Language(longest))
}

type asItIs struct{}

func (asItIs) Tokens(text string) iter.Seq[analysis.Token] {
	return func(yield func(analysis.Token) bool) {
		yield(analysis.Token{Text: text, End: len(text)})
	}
}

// weighed returns a schema with the weights of a search.
func weighed(s index.Schema, weights map[string]float64) index.Schema {
	s = slices.Clone(s)
	for i, f := range s {
		if w, ok := weights[f.Name]; ok {
			s[i].Weight, s[i].NamedOnly = w, w == 0
		}
	}
	return s
}

// Search answers q over the committed documents.
func (t *Twin) Search(ctx context.Context, q query.Query, opt index.SearchOptions) (*index.Results, error) {
	start := time.Now()
	t.mu.Lock()
	docs := t.docs
	t.mu.Unlock()
	e := evaluation{Twin: t, schema: weighed(t.opt.Schema, opt.Weights), docs: docs, scorer: opt.Scorer, expander: opt.Expander, effort: opt.Effort, typos: opt.Typos, warnings: map[query.WarningKind]bool{}}
	if e.scorer == nil {
		e.scorer = t.opt.Scorer
	}
	if e.scorer == nil {
		e.scorer = rank.BM25F{}
	}
	found := e.query(q)
	if found == nil {
		e.warn(query.WarnNoWords)
		found = e.nothing()
	}
	e.static(found, opt.Static)
	all := t.matches(found, docs, opt)
	res := &index.Results{Total: index.Count{Value: len(all), Exact: true}, Facets: t.facets(all, opt.Facets)}
	t.order(all, opt.Sort)
	res.Hits = t.cut(t.collapse(all, opt.Collapse), opt)
	for _, kind := range slices.Sorted(maps.Keys(e.warnings)) {
		res.Warnings = append(res.Warnings, query.Warning{Kind: kind, Text: string(kind)})
	}
	res.Took = time.Since(start)
	return res, context.Cause(ctx)
}

// matches returns what was found, by key.
func (t *Twin) matches(found *answer, docs []document, opt index.SearchOptions) (all []ordered) {
	for i, d := range docs {
		if found.match[i] {
			all = append(all, ordered{index.Hit{Key: d.Key, Score: found.score[i], Fields: t.stored(d, opt.Fields)}, d})
		}
	}
	return all
}

// cut returns the hits that opt asks for.
func (t *Twin) cut(all []ordered, opt index.SearchOptions) (hits []index.Hit) {
	from := min(max(opt.Offset, 0), len(all))
	to := from + min(cmp.Or(opt.Limit, 10), len(all)-from)
	for _, o := range all[from:max(from, to)] {
		hits = append(hits, o.hit)
		hits[len(hits)-1].Sort = t.sortValues(o, opt.Sort)
	}
	return hits
}

// storedValue is a stored field as it was added.
func storedValue(d index.Document, name string) any {
	fields := slices.DeleteFunc(slices.Clone(d.Fields), func(f index.Field) bool { return f.Name != name })
	if len(fields) == 1 {
		return fields[0].Value
	}
	return values(d, name)
}

// goValue is a value of columnValues as an answer gives it.
func goValue(k index.Kind, v any) any {
	r, ok := v.(*big.Rat)
	switch {
	case !ok:
		return v
	case k == index.Integer:
		return r.Num().Int64()
	}
	x, _ := r.Float64()
	return x
}

// sortValues are what a match is ordered by.
func (t *Twin) sortValues(o ordered, by []index.SortBy) (out []any) {
	for _, s := range by {
		f, _ := t.opt.Schema.Field(s.Field)
		switch all := columnValues(o.doc.Document, f); {
		case s.Field == "":
			out = append(out, o.hit.Score)
		case len(all) == 0:
			out = append(out, nil)
		case s.Descending:
			out = append(out, goValue(f.Kind, all[len(all)-1]))
		default:
			out = append(out, goValue(f.Kind, all[0]))
		}
	}
	return out
}

func (t *Twin) stored(d document, names []string) map[string]any {
	if len(names) == 0 {
		return nil
	}
	fields := map[string]any{}
	for _, name := range names {
		f, _ := t.opt.Schema.Field(name)
		if (f.Stored || f.Kind == index.StoredOnly) && len(values(d.Document, name)) > 0 {
			fields[name] = storedValue(d.Document, name)
		} else if all := columnValues(d.Document, f); (f.Column || f.Kind >= index.Integer) && len(all) == 1 {
			fields[name] = goValue(f.Kind, all[0])
		} else if len(all) > 1 {
			var texts []string
			for _, v := range all {
				texts = append(texts, v.(string))
			}
			fields[name] = texts
		}
	}
	return fields
}
