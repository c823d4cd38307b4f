package eval

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Qrels hold the grade of each document that was judged for a query, by the IDs
// of query and document: 0 is not relevant, more is better. A grade below 0 says
// that there is no judgement.
type Qrels map[string]map[string]int

// maxGrade is the greatest grade that is read.
const maxGrade = 1000

// ReadQrels reads judgements as TREC has them, with columns parted by white
// space and the second ignored, or as BEIR has them, with tabs and perhaps a
// headline:
//
//	query  0  document  grade
//	query  document  grade
//
// The error is an [*InputError] that tells the line.
func ReadQrels(r io.Reader) (Qrels, error) {
	qrels := Qrels{}
	columns, tabs := 0, false
	for l, err := range rows(r) {
		if err != nil {
			return nil, err
		}
		f := strings.Fields(l.text)
		if parts := strings.Split(l.text, "\t"); tabs && len(parts) == 3 {
			f = parts
		}
		if columns == 0 {
			columns = len(f)
			if columns != 3 && columns != 4 {
				return nil, l.errorf("want query, 0, document and grade, or query, document and grade, not %d columns", columns)
			}
			if isHeadline(f) {
				tabs = strings.Count(l.text, "\t") == 2 // and IDs may hold spaces
				continue
			}
		}
		if len(f) != columns {
			return nil, l.errorf("want %d columns as before, not %d", columns, len(f))
		}
		grade, err := parseGrade(f[columns-1])
		if err != nil {
			return nil, l.errorf("%w", err)
		}
		if err := qrels.judge(l, f[0], f[columns-2], grade); err != nil {
			return nil, err
		}
	}
	return qrels, nil
}

// isHeadline tells whether columns are those of BEIR, named.
func isHeadline(f []string) bool {
	_, err := parseGrade(f[len(f)-1])
	return err != nil && len(f) == 3 && (f[2] == "score" || strings.Contains(f[0], "id"))
}

// judge adds a judgement. One that is made twice alike counts once.
func (q Qrels) judge(l line, query, doc string, grade int) error {
	query, doc = strings.TrimSpace(query), strings.TrimSpace(doc)
	if query == "" || doc == "" {
		return l.errorf("a judgement needs a query and a document")
	}
	if q[query] == nil {
		q[strings.Clone(query)] = map[string]int{}
	}
	if was, known := q[query][doc]; known && was != grade {
		return l.errorf("query %s, document %s: %w, with grades %d and %d", query, doc, ErrDuplicate, was, grade)
	}
	q[query][strings.Clone(doc)] = grade
	return nil
}

// parseGrade reads a whole number, perhaps written as 1.0.
func parseGrade(s string) (int, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	switch {
	case err != nil || math.Trunc(v) != v:
		return 0, fmt.Errorf("grade %q is no whole number", s)
	case math.Abs(v) > maxGrade:
		return 0, fmt.Errorf("grade %q is beyond %d", s, maxGrade)
	}
	return int(v), nil
}

// Write writes the judgements as TREC has them. An ID with white space in it is
// an error: the form has no place for it.
func (q Qrels) Write(w io.Writer) error {
	buf := bufio.NewWriter(w)
	for _, query := range slices.SortedFunc(maps.Keys(q), compareIDs) {
		if err := oneWord("query", query); err != nil {
			return err
		}
		for _, doc := range slices.SortedFunc(maps.Keys(q[query]), compareIDs) {
			if err := oneWord("document", doc); err != nil {
				return err
			}
			fmt.Fprintf(buf, "%s 0 %s %d\n", query, doc, q[query][doc])
		}
	}
	return flush(buf)
}

// Regraded returns judgements whose grades are what of makes of them.
func (q Qrels) Regraded(of func(grade int) int) Qrels {
	out := make(Qrels, len(q))
	for query, docs := range q {
		out[query] = make(map[string]int, len(docs))
		for doc, grade := range docs {
			out[query][doc] = of(grade)
		}
	}
	return out
}
