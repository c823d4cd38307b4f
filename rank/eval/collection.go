package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// Document is a document of a test collection.
type Document struct {
	ID    string
	Title string
	Body  string
}

// Query is a question of a test collection.
type Query struct {
	ID   string
	Text string
}

// Format is how a test collection is written down.
type Format int

const (
	// JSONL has an object a line: {"id" or "_id", "title", "body" or "text"}. So
	// has BEIR. Queries may be lines id<TAB>text instead; judgements are those of
	// [ReadQrels].
	JSONL Format = iota

	// SMART has records of lines .I (the ID), .T (title), .W (text), .K (keywords, which are of the text), others that
	// are passed over: Cranfield, MED, ADI, CISI, CACM; or records that begin
	// with *TEXT and *FIND: TIME. Zeros before a numeric ID fall away.
	//
	// Judgements say yes or no: grade 1 or 0. The codes of Cranfield are no
	// grades, for 1 is "a complete answer" and 4 "of minimum interest": all above
	// 0 are grade 1. Its code -1, which some read as relevant, stays a grade of
	// -1, which counts as not judged; [Qrels.Regraded] can make it 1.
	SMART

	// LISA is that of the collection of this name: documents are "Document 1", a title, a blank line, text, and a line of
	// stars; queries a number and text up to #; judgements "Query 1", "2 Relevant Refs:", and documents up to -1.
	LISA

	// NPL is that of the collection of this name, also called Vaswani: documents and queries are a number on a line, text,
	// and a slash on a line; judgements the same with documents for the text.
	NPL

	// TREC is SGML: documents in <DOC>, with <DOCNO> and <TITLE>, <HEADLINE> or the like; the rest is the text, but for
	// <DOCID> and <DOCHDR>. Queries are <top> with <num> and <title>, or <desc> where that is empty or says so, or
	// <topic number="1"> with <query>. Judgements are those of [ReadQrels].
	TREC
)

// formats are their names.
var formats = [...]string{JSONL: "jsonl", SMART: "smart", LISA: "lisa", NPL: "npl", TREC: "trec"}

// String is the name of the format.
func (f Format) String() string {
	if f >= 0 && int(f) < len(formats) {
		return formats[f]
	}
	return fmt.Sprintf("format(%d)", int(f))
}

// MarshalText writes the name of the format.
func (f Format) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads the name of a format: "jsonl", "beir" (which is the same),
// "smart", "lisa", "npl" or "trec".
func (f *Format) UnmarshalText(b []byte) error {
	name := strings.ToLower(string(b))
	if name == "beir" {
		name = "jsonl"
	}
	i := slices.Index(formats[:], name)
	if i < 0 {
		return fmt.Errorf("eval: unknown format %q: want smart, lisa, npl, trec, beir or jsonl", b)
	}
	*f = Format(i)
	return nil
}

// Documents yields the documents of a collection one by one. An error is the last
// that it yields, as a rule an [*InputError] that tells the line.
func (f Format) Documents(r io.Reader) iter.Seq2[Document, error] {
	switch f {
	case SMART:
		return smartDocuments(r)
	case LISA:
		return documentsOf(lisaDocuments(r), func(b *block) (Document, error) { return b.titled(), nil })
	case NPL:
		return documentsOf(npl(r), func(b *block) (Document, error) { return Document{ID: b.id, Body: b.text()}, nil })
	case TREC:
		return documentsOf(sgml(r, "doc"), (*block).trecDocument)
	}
	return func(yield func(Document, error) bool) {
		for l, err := range lines(r) {
			if err == nil && l.blank() {
				continue
			}
			var d Document
			if err == nil {
				d, err = l.document()
			}
			if !yield(d, err) || err != nil {
				return
			}
		}
	}
}

// Queries reads the queries of a collection. The error is as of Documents.
func (f Format) Queries(r io.Reader) ([]Query, error) {
	switch f {
	case SMART:
		return smartQueries(r)
	case LISA:
		return queriesOf(lisaQueries(r), (*block).plainQuery)
	case NPL:
		return queriesOf(npl(r), (*block).plainQuery)
	case TREC:
		return queriesOf(either(r, "top", "topic"), (*block).trecQuery)
	}
	var queries []Query
	seen := map[string]bool{}
	for l, err := range lines(r) {
		if err != nil {
			return nil, err
		}
		if l.blank() {
			continue
		}
		q, err := l.query()
		if err != nil {
			return nil, err
		}
		if seen[q.ID] {
			return nil, l.errorf("query %s: %w", q.ID, ErrDuplicate)
		}
		seen[q.ID] = true
		queries = append(queries, q)
	}
	return queries, nil
}

// Qrels reads the judgements of a collection. The error is as of Documents.
func (f Format) Qrels(r io.Reader) (Qrels, error) {
	switch f {
	case SMART:
		return smartQrels(r)
	case LISA:
		return lisaQrels(r)
	case NPL:
		return nplQrels(r)
	}
	return ReadQrels(r)
}

// object is a document or query in JSON.
type object struct {
	ID    jsonID   `json:"id"`
	BEIR  jsonID   `json:"_id"`
	Title jsonText `json:"title"`
	Body  jsonText `json:"body"`
	Text  jsonText `json:"text"`
}

// jsonText is a string, a number, or a list of such, as paragraphs are.
type jsonText string

// UnmarshalJSON joins a list by line breaks.
func (text *jsonText) UnmarshalJSON(b []byte) error {
	if b[0] != '[' {
		return (*jsonID)(text).UnmarshalJSON(b)
	}
	var list []jsonText
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	for i, part := range list {
		if i > 0 {
			*text += "\n"
		}
		*text += part
	}
	return nil
}

// jsonID is a string or a number.
type jsonID string

// UnmarshalJSON takes a number as it is written.
func (id *jsonID) UnmarshalJSON(b []byte) error {
	var v any
	d := json.NewDecoder(strings.NewReader(string(b)))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return err
	}
	switch v := v.(type) {
	case string:
		*id = jsonID(v)
	case json.Number:
		*id = jsonID(v)
	case nil:
	default:
		return errors.New("want a string or a number")
	}
	return nil
}

func (l line) document() (Document, error) {
	var o object
	if err := json.Unmarshal([]byte(l.text), &o); err != nil {
		return Document{}, l.errorf("not a JSON object as wanted: %w", err)
	}
	d := Document{ID: string(o.ID), Title: string(o.Title), Body: string(o.Body)}
	if d.ID == "" {
		d.ID = string(o.BEIR)
	}
	if d.ID == "" {
		return Document{}, l.errorf(`the object has neither "id" nor "_id"`)
	}
	if d.Body == "" {
		d.Body = string(o.Text)
	}
	return d, nil
}

func (l line) query() (Query, error) {
	if strings.HasPrefix(strings.TrimSpace(l.text), "{") {
		d, err := l.document()
		return Query{d.ID, joined(d.Title, d.Body)}, err
	}
	id, text, ok := strings.Cut(l.text, "\t")
	id = strings.TrimSpace(id)
	if !ok || id == "" {
		return Query{}, l.errorf("want a JSON object, or ID, tab and text")
	}
	return Query{id, strings.TrimSpace(text)}, nil
}

// joined puts a title before a text.
func joined(title, text string) string {
	return strings.TrimSpace(title + "\n" + text)
}

// Renumber returns the queries as the judgements name them. Where these name
// queries that are not there, but none beyond the number of queries, they count
// from 1, as those of Cranfield do: its third query calls itself 004 and is
// judged as 3. Else the queries are returned as they are.
func Renumber(queries []Query, qrels Qrels) []Query {
	known := map[string]bool{}
	for _, q := range queries {
		known[q.ID] = true
	}
	strange := false
	for id := range qrels {
		n, err := strconv.Atoi(id)
		if err != nil || n < 1 || n > len(queries) {
			return queries
		}
		strange = strange || !known[id]
	}
	if !strange {
		return queries
	}
	out := make([]Query, len(queries))
	for i, q := range queries {
		out[i] = Query{strconv.Itoa(i + 1), q.Text}
	}
	return out
}
