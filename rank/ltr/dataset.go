package ltr

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Dataset is what a model learns from: documents that were found, with their features and how relevant
// people judged them to be.
type Dataset struct {
	Features []string // names
	Groups   []Group
}

// Group is the documents of one query. Only these are compared with each other.
type Group struct {
	Query string
	Docs  []Doc
}

// Doc is a document for a query.
type Doc struct {
	Key      string
	Grade    int       // how relevant it is, from 0 up to 30; less is as 0
	Features []float64 // in the order of their names; NaN, and what lacks at the end, is missing
}

// namesLine begins the comment in which the names of features stand.
const namesLine = "# features: "

// ReadSVMlight reads the form of SVMlight, which LETOR, MSLR and most programs have:
//
//	2 qid:7 1:0.5 3:12 # key of the document
//
// A line is a document, those of one query stand together, features count from 1, and one that is not
// there is 0; nan is missing. Names are read from a line as [Dataset.WriteSVMlight] writes it, and are f1, f2 and so on
// otherwise. An error is a [*FormatError], or that of r.
func ReadSVMlight(r io.Reader) (*Dataset, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<24)
	p := svmlight{seen: map[string]bool{}, data: &Dataset{}}
	for lines.Scan() {
		p.line++
		if err := p.read(lines.Text()); err != nil {
			return nil, err
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		p.line++
		return nil, p.fail("longer than 16 MiB")
	} else if err != nil {
		return nil, err
	}
	return p.data, p.finish()
}

type svmlight struct {
	data  *Dataset
	seen  map[string]bool // queries
	line  int
	width int // features
	given int // numbers that were written
	room  int // numbers that are kept
}

func (p *svmlight) fail(format string, args ...any) error {
	return &FormatError{Format: "SVMlight", Line: p.line, Msg: fmt.Sprintf(format, args...)}
}

func (p *svmlight) read(line string) error {
	if names, ok := strings.CutPrefix(line, namesLine); ok && p.line == 1 {
		p.data.Features = strings.Fields(names)
		return nil
	}
	line, key, _ := strings.Cut(line, "#")
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil
	}
	grade, err := strconv.ParseFloat(words[0], 64)
	if err != nil || grade != math.Trunc(grade) || math.Abs(grade) > 1e6 {
		return p.fail("the grade is %q, and no whole number", clip(words[0]))
	}
	if len(words) < 2 || !strings.HasPrefix(words[1], "qid:") {
		return p.fail("no qid: behind the grade")
	}
	d := Doc{Key: strings.TrimSpace(key), Grade: int(grade)}
	last := 0
	for _, w := range words[2:] {
		name, number, ok := strings.Cut(w, ":")
		n, err := strconv.Atoi(name)
		if !ok || err != nil || n <= last || n > maxFeatures {
			return p.fail("%q is no feature, or does not stand in order", clip(w))
		}
		v, err := strconv.ParseFloat(number, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return p.fail("%q is no number", clip(w))
		}
		p.given++
		if p.room+n > 1<<20+64*p.given {
			return p.fail("feature %d is too far from the others: a document keeps all features up to its last", n)
		}
		for len(d.Features) < n {
			d.Features = append(d.Features, 0)
		}
		d.Features[n-1], last = v, n
	}
	p.room, p.width = p.room+last, max(p.width, last)
	query := words[1][len("qid:"):]
	groups := p.data.Groups
	if len(groups) == 0 || groups[len(groups)-1].Query != query {
		if p.seen[query] {
			return p.fail("query %q was there before others: its documents do not stand together", clip(query))
		}
		p.seen[query] = true
		groups = append(groups, Group{Query: query})
	}
	of := &groups[len(groups)-1]
	of.Docs = append(of.Docs, d)
	p.data.Groups = groups
	return nil
}

// finish gives all documents the same number of features, where that does not take much more memory.
func (p *svmlight) finish() error {
	d := p.data
	if len(d.Features) > 0 && len(d.Features) < p.width {
		return p.fail("feature %d, and names of %d", p.width, len(d.Features))
	}
	for i := len(d.Features); i < p.width; i++ {
		d.Features = append(d.Features, "f"+strconv.Itoa(i+1))
	}
	for g := range d.Groups {
		for i := range d.Groups[g].Docs {
			doc := &d.Groups[g].Docs[i]
			if p.room += len(d.Features) - len(doc.Features); p.room > 1<<20+64*p.given {
				return p.fail("documents have so few of the %d features that they would not fit into memory", len(d.Features))
			}
			for len(doc.Features) < len(d.Features) {
				doc.Features = append(doc.Features, 0)
			}
		}
	}
	return nil
}

// WriteSVMlight writes the form that [ReadSVMlight] reads, with the names of the features in a comment on the
// first line. Names and queries without a white space, and keys without a line break, are read back as they are; others are an error.
func (d *Dataset) WriteSVMlight(w io.Writer) error {
	out := bufio.NewWriter(w)
	for _, name := range d.Features {
		if len(strings.Fields(name)) != 1 || strings.Fields(name)[0] != name {
			return &FormatError{Format: "SVMlight", Msg: fmt.Sprintf("the name %q cannot be written", clip(name))}
		}
	}
	fmt.Fprintf(out, "%s%s\n", namesLine, strings.Join(d.Features, " "))
	for _, g := range d.Groups {
		if f := strings.Fields(g.Query); len(f) != 1 || f[0] != g.Query || strings.Contains(g.Query, "#") {
			return &FormatError{Format: "SVMlight", Msg: fmt.Sprintf("the query %q cannot be written", clip(g.Query))}
		}
		for _, doc := range g.Docs {
			if strings.ContainsAny(doc.Key, "\r\n") || strings.TrimSpace(doc.Key) != doc.Key {
				return &FormatError{Format: "SVMlight", Msg: fmt.Sprintf("the key %q cannot be written", clip(doc.Key))}
			}
			fmt.Fprintf(out, "%d qid:%s", doc.Grade, g.Query)
			for i := range d.Features {
				v := math.NaN()
				if i < len(doc.Features) {
					v = doc.Features[i]
				}
				if v != 0 {
					fmt.Fprintf(out, " %d:%s", i+1, strconv.FormatFloat(v, 'g', -1, 64))
				}
			}
			fmt.Fprintf(out, " # %s\n", doc.Key)
		}
	}
	return out.Flush()
}
