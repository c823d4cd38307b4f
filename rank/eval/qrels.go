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
// space and the second ignored, or as BEIR has them, with tabs; perhaps below a
// headline such as "query-id corpus-id score":
//
//	query  0  document  grade
//	query  document  grade
//
// The error is an [*InputError] that tells the line.
func ReadQrels(r io.Reader) (Qrels, error) {
	qrels := Qrels{}
	width, tabs := 0, false
	for l, err := range rows(r) {
		if err != nil {
			return nil, err
		}
		f := columns(l.text)
		if parts := strings.Split(l.text, "\t"); tabs && len(parts) == width {
			f = parts
		}
		if width == 0 {
			width = len(f)
			if width != 3 && width != 4 {
				return nil, l.errorf("want query, 0, document and grade, or query, document and grade, not %d columns", width)
			}
			if isHeadline(f) {
				tabs = strings.Count(l.text, "\t") == width-1 // and IDs may hold spaces
				continue
			}
		}
		if len(f) != width {
			return nil, l.errorf("want %d columns as before, not %d", width, len(f))
		}
		grade, err := parseGrade(f[width-1])
		if err != nil {
			return nil, l.errorf("%w", err)
		}
		if err := qrels.judge(l, f[0], f[width-2], grade); err != nil {
			return nil, err
		}
	}
	return qrels, nil
}

// isHeadline tells whether columns are named: "query-id corpus-id score", as of
// BEIR, or in some such way.
func isHeadline(f []string) bool {
	first := strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(f[0]))
	last := strings.ToLower(f[len(f)-1])
	_, err := parseGrade(last)
	return err != nil && (slices.Contains([]string{"qid", "queryid", "query", "topic", "topicid"}, first) ||
		slices.Contains([]string{"score", "rel", "relevance", "relevant", "grade", "label", "judgment", "judgement", "rating"}, last))
}

// judge adds a judgement. One that is made twice alike counts once.
func (q Qrels) judge(l line, query, doc string, grade int) error {
	query, doc = strings.Trim(query, blanks), strings.Trim(doc, blanks)
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
		return 0, fmt.Errorf("grade %.40q is no whole number", s)
	case math.Abs(v) > maxGrade:
		return 0, fmt.Errorf("grade %.40q is beyond %d", s, maxGrade)
	}
	return int(v), nil
}

// Write writes the judgements as TREC has them. An ID with white space in it is
// an error: the form has no place for it.
func (q Qrels) Write(w io.Writer) error {
	buf := bufio.NewWriter(w)
	for n, query := range slices.SortedFunc(maps.Keys(q), compareIDs) {
		if n == 0 && strings.HasPrefix(query, byteOrderMark) {
			buf.WriteString(byteOrderMark) // readers take away the first
		}
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
