package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/facet"
	"github.com/webquarry/quarry/index/highlight"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/index/serve"
)

// catalog is the index of what a job has found. It follows the file of pages that the job
// writes, and can be made anew from it with other settings.
type catalog struct {
	entry *entry

	taking sync.Mutex // held by who takes in, opens or closes; taken before mu
	at     place      // guarded by taking

	mu       sync.Mutex // guards what follows
	settings settings
	fields   []fieldKind
	ix       *index.Index
	writer   *index.Writer
}

// place is how far the file was taken in, and as what.
type place struct {
	File     string      `json:"file"`
	Offset   int64       `json:"offset"`
	Settings settings    `json:"settings"`
	Fields   []fieldKind `json:"fields"`
}

// document is a record, or a page of a job without records.
type document struct {
	URL    string
	Values []value
}

// value is a field of a document, for people.
type value struct{ Name, Text string }

const (
	indexFolder  = "index"
	settingsFile = "settings.json"
	placeFile    = "place.json"
)

func openCatalog(e *entry) (*catalog, error) {
	c := &catalog{entry: e, settings: standardSettings()}
	if err := readJSON(e.path(settingsFile), &c.settings); err != nil {
		return nil, err
	}
	if err := readJSON(e.path(placeFile), &c.at); err != nil {
		c.at = place{} // the index can be made anew
	}
	return c, c.open()
}

// open opens the index, anew if what is to be in it is not what it was made with, or it is
// damaged. The lock taking is held, or nobody else knows the catalog.
func (c *catalog) open() (err error) {
	spec, _ := c.entry.job.Spec()
	wanted := place{File: spec.Output.Pages, Fields: fieldsOf(spec)}
	wanted.Settings, _ = c.current()
	same := c.at.File == wanted.File && slices.Equal(c.at.Fields, wanted.Fields) && reflect.DeepEqual(c.at.Settings, wanted.Settings)
	if c.ix != nil && same {
		return nil
	}
	if err := c.close(); err != nil {
		return err
	}
	opt, err := wanted.Settings.options(wanted.Fields)
	if err != nil {
		return err
	}
	folder := c.entry.path(indexFolder)
	var ix *index.Index
	if same {
		if ix, err = index.Open(folder, opt); err != nil && !errors.Is(err, index.ErrCorrupt) {
			return err
		}
	}
	if ix == nil { // all is taken in once more
		c.at = wanted
		if err := os.RemoveAll(folder); err != nil {
			return err
		}
		if ix, err = index.Open(folder, opt); err != nil {
			return err
		}
	}
	writer, err := ix.Writer()
	if err != nil {
		return errors.Join(err, ix.Close())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ix, c.writer, c.fields = ix, writer, wanted.Fields
	return nil
}

func (c *catalog) close() (err error) {
	c.mu.Lock()
	ix, writer := c.ix, c.writer
	c.ix, c.writer = nil, nil
	c.mu.Unlock()
	if ix == nil {
		return nil
	}
	return errors.Join(writer.Close(), ix.Close())
}

// Close closes the index.
func (c *catalog) Close() error {
	c.taking.Lock()
	defer c.taking.Unlock()
	return c.close()
}

// set changes the settings, and makes the index anew.
func (c *catalog) set(ctx context.Context, s settings) error {
	if err := writeJSON(c.entry.path(settingsFile), s); err != nil {
		return err
	}
	c.mu.Lock()
	c.settings = s
	c.mu.Unlock()
	_, err := c.takeIn(ctx)
	return err
}

// current returns how documents are indexed, and what their fields are.
func (c *catalog) current() (settings, []fieldKind) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.settings, c.fields
}

// pageLine is a line of the file of pages.
type pageLine struct {
	URL     string           `json:"url"`
	Kind    string           `json:"kind"`
	Title   string           `json:"title"`
	Text    string           `json:"text"`
	Fetched time.Time        `json:"fetched"`
	Records []map[string]any `json:"records"`
}

// takeIn indexes what the file has more by now, and returns the last documents of that.
func (c *catalog) takeIn(ctx context.Context) (latest []document, err error) {
	c.taking.Lock()
	defer c.taking.Unlock()
	if err := c.open(); err != nil {
		return nil, err
	}
	if c.at.File == "" {
		return nil, errors.New("the job writes no file of pages: set output, pages")
	}
	file, err := os.Open(filepath.Join(c.entry.job.Dir(), c.at.File))
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || info.Size() == c.at.Offset {
		return nil, err
	} else if info.Size() < c.at.Offset { // it was begun anew
		c.at = place{}
		return nil, c.open()
	}
	if _, err := file.Seek(c.at.Offset, io.SeekStart); err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(file, 1<<20)
	damaged := 0
	for {
		text, err := in.ReadBytes('\n')
		if err == io.EOF {
			break // what is being written comes the next time
		}
		if err != nil {
			return latest, err
		}
		c.at.Offset += int64(len(text))
		var line pageLine
		if err := json.Unmarshal(text, &line); err != nil {
			damaged++ // by whoever changed the file: the rest counts
			continue
		}
		docs, err := c.put(ctx, &line)
		if err != nil {
			return latest, err
		}
		latest = append(latest, docs...)
		latest = latest[max(len(latest)-mostLatest, 0):]
	}
	if err := c.writer.Commit(ctx); err != nil {
		return latest, err
	}
	if err := writeJSON(c.entry.path(placeFile), c.at); err != nil {
		return latest, err
	}
	if damaged > 0 {
		return latest, fmt.Errorf("%s: %s cannot be read", c.at.File, serve.Plural(damaged, "line"))
	}
	return latest, nil
}

// put has the documents of a page take the place of those that it had.
func (c *catalog) put(ctx context.Context, line *pageLine) (docs []document, err error) {
	var records []map[string]any
	switch {
	case line.Kind == "gone" || line.Kind == "moved":
	case c.fields[0].Name == "title" && len(line.Records) == 0 && !c.hasRecords():
		records = []map[string]any{{"title": line.Title, "text": line.Text}}
	default:
		records = line.Records
	}
	for i, r := range records {
		d := index.Document{Key: fmt.Sprintf("%s#%d", line.URL, i+1), Fields: []index.Field{{Name: "url", Value: line.URL}, {Name: "fetched", Value: line.Fetched}}}
		shown := document{URL: line.URL}
		for _, f := range c.fields {
			v, text := valueOf(f, r)
			if text == "" {
				continue
			}
			d.Fields = append(d.Fields, index.Field{Name: f.Name, Value: v})
			if f.Short && len(text) <= mostExact {
				d.Fields = append(d.Fields, index.Field{Name: f.Name + exact, Value: text})
			}
			shown.Values = append(shown.Values, value{f.Name, text})
		}
		if err := c.writer.Add(ctx, d); err != nil {
			return nil, err
		}
		docs = append(docs, shown)
	}
	return docs, c.dropFrom(ctx, line.URL, len(records)+1)
}

func (c *catalog) hasRecords() bool {
	spec, _ := c.entry.job.Spec()
	return len(spec.Extract) > 0
}

// dropFrom deletes the documents that a page had beyond some number.
func (c *catalog) dropFrom(ctx context.Context, url string, n int) error {
	snap, err := c.ix.Snapshot()
	if err != nil {
		return err
	}
	defer snap.Close()
	for ; ; n++ {
		key := fmt.Sprintf("%s#%d", url, n)
		if _, ok, err := snap.Document(key); err != nil || !ok {
			return err
		}
		if err := c.writer.Delete(ctx, key); err != nil {
			return err
		}
	}
}

// valueOf is the value of a field in a record, for the index and for people.
func valueOf(f fieldKind, r map[string]any) (any, string) {
	v := r[f.Name]
	if name, ok := strings.CutSuffix(f.Name, "_currency"); ok && v == nil {
		if price, ok := r[name].(map[string]any); ok {
			v = price["currency"]
		}
	}
	text := textOf(v)
	if price, ok := v.(map[string]any); ok && price["amount"] != nil {
		v, text = price["amount"], priceText(price["amount"])
	}
	switch f.Kind {
	case index.Float:
		n, ok := v.(float64)
		if !ok {
			return nil, ""
		}
		return n, text
	case index.Time:
		t, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return nil, ""
		}
		return t, t.Format("2006-01-02 15:04")
	}
	return text, text
}

// priceText is an amount of money.
func priceText(amount any) string {
	n, ok := amount.(float64)
	if !ok || n == math.Trunc(n) {
		return textOf(amount)
	}
	return fmt.Sprintf("%.2f", n)
}

// textOf is a value in words.
func textOf(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []any:
		var all []string
		for _, each := range v {
			all = append(all, textOf(each))
		}
		return strings.Join(all, "; ")
	}
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}

// question is a search.
type question struct {
	Text   string
	Sort   string // field, or empty: by score
	Desc   bool
	Page   int                  // from 1 on
	Chosen map[string]string    // values of fields
	Ranges map[string][2]string // bounds of fields of numbers
}

// answer is what was found.
type answer struct {
	Total  int
	Took   time.Duration
	Hits   []found
	Facets []facetOf
	Pages  int
	Notes  []string // what was asked for in vain
}

type found struct {
	URL    string
	Values map[string]string // texts of fields, with <mark>
}

type facetOf struct {
	Field   string
	Buckets []facet.Bucket
}

const (
	pageSize   = 20
	mostValues = 30 // of a field to choose from
)

// search answers a question.
func (c *catalog) search(ctx context.Context, q question) (*answer, error) {
	c.mu.Lock()
	ix, fields, typos := c.ix, c.fields, c.settings.typos()
	c.mu.Unlock()
	if ix == nil {
		return nil, errors.New("there is no index")
	}
	snap, err := ix.Snapshot()
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	asked, warnings := query.ParseLenient(q.Text, query.ParseOptions{Schema: snap.Schema()})
	if strings.TrimSpace(q.Text) == "" {
		asked = query.All{}
	}
	all := query.And{asked}
	opt := index.SearchOptions{Limit: pageSize, Offset: (max(q.Page, 1) - 1) * pageSize, Fields: []string{"url"},
		Snippets: map[string]highlight.Options{}, Typos: typos, Facets: map[string]facet.Facet{}}
	for _, f := range fields {
		switch f.Kind {
		case index.Text:
			opt.Snippets[f.Name] = highlight.Options{Bytes: 200}
			if f.Short {
				opt.Facets[f.Name] = facet.Terms{Field: f.Name + exact, Limit: mostValues}
				if v := q.Chosen[f.Name]; v != "" {
					all = append(all, query.Term{Field: f.Name + exact, Text: v})
				}
			}
		case index.Keyword:
			opt.Fields = append(opt.Fields, f.Name)
			opt.Facets[f.Name] = facet.Terms{Field: f.Name, Limit: mostValues}
			if v := q.Chosen[f.Name]; v != "" {
				all = append(all, query.Term{Field: f.Name, Text: v})
			}
		default:
			opt.Fields = append(opt.Fields, f.Name)
			if r := q.Ranges[f.Name]; r != [2]string{} {
				all = append(all, query.Range{Field: f.Name, From: r[0], To: r[1]})
			}
		}
		if q.Sort == f.Name {
			by := f.Name
			if f.Kind == index.Text {
				by += exact
			}
			opt.Sort = []index.SortBy{{Field: by, Descending: q.Desc}}
		}
	}
	res, err := snap.Search(ctx, all, opt)
	if err != nil {
		return nil, err
	}
	a := &answer{Total: res.Total.Value, Took: res.Took, Pages: (res.Total.Value + pageSize - 1) / pageSize}
	for _, w := range append(warnings, res.Warnings...) {
		a.Notes = append(a.Notes, fmt.Sprint(w))
	}
	for _, h := range res.Hits {
		f := found{URL: h.Text("url"), Values: map[string]string{}}
		for _, k := range fields {
			if s, ok := h.Snippets[k.Name]; ok {
				f.Values[k.Name] = s.HTML()
			} else if v, ok := h.Fields[k.Name]; ok {
				f.Values[k.Name] = escape(shown(v))
				if k.Money {
					f.Values[k.Name] = priceText(v)
				}
			}
		}
		a.Hits = append(a.Hits, f)
	}
	for _, k := range fields {
		if r, ok := res.Facets[k.Name]; ok && tellsApart(r) || q.Chosen[k.Name] != "" {
			a.Facets = append(a.Facets, facetOf{k.Name, r.Buckets})
		}
	}
	return a, nil
}

// tellsApart reports whether choosing one of the values of a field is of use.
func tellsApart(r facet.Result) bool {
	return len(r.Buckets) > 1 && r.Other == 0 && r.Buckets[0].Count > 1
}

func shown(v any) string {
	if t, ok := v.(time.Time); ok {
		return t.Format("2006-01-02 15:04")
	}
	if s, ok := v.(string); ok {
		return s
	}
	return textOf(v)
}

func readJSON(name string, into any) error {
	text, err := os.ReadFile(name)
	if missing(err) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// writeJSON replaces a file in one step.
func writeJSON(name string, v any) error {
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	next := name + ".tmp"
	if err := os.WriteFile(next, text, 0o644); err != nil {
		return err
	}
	return os.Rename(next, name)
}

// missing reports whether the error is that there is no such file.
func missing(err error) bool { return errors.Is(err, os.ErrNotExist) }
