package sink

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/internal/durable"
)

// CSVOptions are the settings of a CSV. The zero value is sound.
type CSVOptions struct {
	// Columns are the names in the first line. A cell has the value of that name in a row. Nil: url,
	// status, title, text, depth and fetched.
	Columns []string

	// Rows makes the rows of a Result: values that JSON writes as objects, such as structs with tags,
	// and maps. Nil: of a page with Records a row for each of them that is an object, to which the
	// values of its [Record] are added; else one for the page.
	Rows func(r *crawler.Result) []any

	// Formulas leaves cells as they are that a spreadsheet would take for a formula. Else texts that begin
	// with =, +, -, @, a tab or a carriage return, and are no numbers, get an apostrophe before them.
	Formulas bool

	NoSync bool // do not wait for the disk: rows survive the process, but not a power cut
	Anew   bool // begin with an empty file
}

// CSV is a [crawler.Sink] that writes pages, or the records that were taken out of them, as rows of
// a file of comma-separated values (RFC 4180) in UTF-8, with the names of its columns in the first line. Put returns
// when the rows are on the disk. Lists and objects in a cell are JSON; what has no value is empty.
//
// A file that is there already is gone on with, if it has the same columns. After a crash what is
// not whole of its last row is cut off, and rows of pages that the crawl puts once more stand twice. A
// file that is damaged elsewhere is an error of OpenCSV, which reads all of it. Methods may be called from many goroutines.
type CSV struct {
	lines *JSONL
	opt   CSVOptions
}

var _ crawler.Sink = (*CSV)(nil)

// OpenCSV opens a file to write to, and creates it when it is absent.
func OpenCSV(name string, opt CSVOptions) (*CSV, error) { return openCSV(name, opt) }

func openCSV(name string, opt CSVOptions, hook ...durable.Hook) (*CSV, error) {
	if opt.Columns == nil {
		opt.Columns = []string{"url", "status", "title", "text", "depth", "fetched"}
	}
	d, err := durable.Open(filepath.Dir(name), hook...)
	if err != nil {
		return nil, err
	}
	j := &JSONL{dir: d, base: filepath.Base(name), opt: JSONLOptions{NoSync: opt.NoSync, Anew: opt.Anew}}
	j.whole = readOnce(opt.Columns)
	if err := j.resume(); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	c := &CSV{lines: j, opt: opt}
	if j.size == 0 {
		if err := c.write([][]string{opt.Columns}); err != nil {
			return nil, errors.Join(err, c.Close())
		}
	}
	return c, nil
}

// readOnce returns what wholeRows says of a file that does not change meanwhile.
func readOnce(columns []string) func(f *os.File) (size int64, rows int, err error) {
	size, rows := int64(-1), 0
	return func(f *os.File) (_ int64, _ int, err error) {
		if size < 0 {
			size, rows, err = wholeRows(f, columns)
		}
		return size, rows, err
	}
}

// wholeRows is the length of a file up to the end of its last whole row, and how many rows
// there are below its names, which have to be the columns.
func wholeRows(f *os.File, columns []string) (size int64, rows int, err error) {
	st, err := f.Stat()
	if err != nil {
		return 0, 0, err
	}
	r := csv.NewReader(io.NewSectionReader(f, 0, st.Size()))
	r.FieldsPerRecord, r.ReuseRecord = -1, true
	for first := true; ; first = false {
		row, err := r.Read()
		at := r.InputOffset()
		if err == io.EOF || errors.Is(err, csv.ErrQuote) && at == st.Size() {
			return size, rows, nil // a quoted cell may have been cut
		}
		if err != nil {
			return 0, 0, fmt.Errorf("sink: %s: %w", f.Name(), err)
		}
		var end [1]byte
		if _, err := f.ReadAt(end[:], at-1); err != nil {
			return 0, 0, err
		}
		if end[0] != '\n' {
			return size, rows, nil
		}
		switch {
		case !first:
			rows++
		case !slices.Equal(row, columns):
			return 0, 0, fmt.Errorf("sink: %s has the columns %q, not %q", f.Name(), row, columns)
		}
		size = at
	}
}

// Earlier returns how many rows there were when the file was opened.
func (c *CSV) Earlier() int { return c.lines.Earlier() }

// Close syncs and closes the file.
func (c *CSV) Close() error { return c.lines.Close() }

// Put writes the rows of a Result.
func (c *CSV) Put(_ context.Context, r *crawler.Result) error {
	objects, err := c.objects(r)
	if err != nil {
		return err
	}
	rows := make([][]string, len(objects))
	for n, o := range objects {
		rows[n] = make([]string, len(c.opt.Columns))
		for i, name := range c.opt.Columns {
			if rows[n][i], err = c.cell(o[name]); err != nil {
				return err
			}
		}
	}
	return c.write(rows)
}

// objects are what the rows of a Result are made of.
func (c *CSV) objects(r *crawler.Result) (all []map[string]any, err error) {
	if c.opt.Rows == nil {
		return objectsOf(r.Page)
	}
	for _, v := range c.opt.Rows(r) {
		o, err := object(v)
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	return all, nil
}

// objectsOf are those of a page unless they are told otherwise.
func objectsOf(p *crawler.Page) (all []map[string]any, err error) {
	if p == nil {
		return nil, nil
	}
	whole, err := object(NewRecord(p))
	if err != nil {
		return nil, err
	}
	for _, r := range p.Records {
		one, err := object(r)
		if err != nil {
			continue // it is no object
		}
		for k, v := range whole {
			if _, own := one[k]; !own {
				one[k] = v
			}
		}
		all = append(all, one)
	}
	if len(all) == 0 {
		all = append(all, whole)
	}
	return all, nil
}

// object is a value by the names that JSON gives its parts.
func object(v any) (o map[string]any, err error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&o); err != nil {
		return nil, fmt.Errorf("sink: a row is no object: %w", err)
	}
	if o == nil {
		return nil, errors.New("sink: a row is no object: null")
	}
	return o, nil
}

// cell is a value as text.
func (c *CSV) cell(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		if !c.opt.Formulas && isFormula(v) {
			v = "'" + v
		}
		return v, nil
	case json.Number:
		return v.String(), nil
	case bool:
		return strconv.FormatBool(v), nil
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return strings.TrimSuffix(text.String(), "\n"), err
}

// isFormula reports whether a spreadsheet may compute a text instead of showing it.
func isFormula(s string) bool {
	if s == "" || !strings.ContainsAny(string([]rune(s)[:1]), "=+-@\t\r＝＋－＠") {
		return false
	}
	_, err := strconv.ParseFloat(s, 64)
	return err != nil
}

// write appends rows.
func (c *CSV) write(rows [][]string) error {
	if len(rows) == 0 {
		return nil
	}
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	for _, row := range rows {
		if len(row) == 1 && row[0] == "" {
			w.Flush()
			text.WriteString("\"\"\n") // an empty line would be no row
			continue
		}
		if err := w.Write(row); err != nil {
			return err
		}
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return err
	}
	n, err := c.lines.write("", text.Bytes())
	if err != nil || n == 0 || c.opt.NoSync {
		return err
	}
	return c.lines.sync(n)
}
