package eval

import (
	"io"
	"slices"
)

// smartForm is one of the forms in which judgements of SMART's collections come.
// A file has the same form throughout.
type smartForm int

const (
	trecForm smartForm = iota // query 0 document code
	codeForm                  // query document code, as of Cranfield
	pairForm                  // query document, or query document 0 0.000
	listForm                  // query and all its documents, as of TIME
)

// formOf tells the form by the columns of all rows.
func formOf(rows [][]string) smartForm {
	width, zeros := len(rows[0]), true
	for _, f := range rows {
		if len(f) != width {
			return listForm
		}
		zeros = zeros && width == 4 && isZero(f[2]) && isZero(f[3])
	}
	switch {
	case width == 2 || zeros:
		return pairForm
	case width == 3:
		return codeForm
	case width == 4:
		return trecForm
	}
	return listForm
}

func isZero(s string) bool {
	g, err := parseGrade(s)
	return err == nil && g == 0
}

// odd returns the first row that is not as wide as nearly all others are, where
// these have few columns: it is a mistake. -1: there is none.
func odd(rows [][]string) int {
	count := map[int]int{}
	for _, f := range rows {
		count[len(f)]++
	}
	for width := 2; width <= 4; width++ {
		if n := count[width]; n < len(rows) && n >= len(rows)*9/10 && n >= 10 {
			return slices.IndexFunc(rows, func(f []string) bool { return len(f) != width })
		}
	}
	return -1
}

// smartQrels reads judgements. Their form is told by their columns: where each
// query has exactly two or three documents in a list it would be mistaken, but
// no known collection has that.
func smartQrels(r io.Reader) (Qrels, error) {
	var at []line
	var table [][]string
	for l, err := range rows(r) {
		if err != nil {
			return nil, err
		}
		at = append(at, l)
		table = append(table, columns(l.text))
	}
	qrels := Qrels{}
	if len(table) == 0 {
		return qrels, nil
	}
	if i := odd(table); i >= 0 {
		return nil, at[i].errorf("has %d columns, unlike nearly all other lines", len(table[i]))
	}
	form := formOf(table)
	for i, f := range table {
		if len(f) < 2 {
			return nil, at[i].errorf("want a query and at least one document")
		}
		if err := qrels.judgeSMART(at[i], form, f); err != nil {
			return nil, err
		}
	}
	return qrels, nil
}

func (q Qrels) judgeSMART(l line, form smartForm, f []string) error {
	docs, grade := f[1:], 1
	switch form {
	case trecForm, codeForm:
		code, err := parseGrade(f[len(f)-1])
		if err != nil {
			return l.errorf("%w", err)
		}
		docs, grade = f[len(f)-2:len(f)-1], min(code, 1)
	case pairForm:
		docs = f[1:2]
	}
	for _, doc := range docs {
		if err := q.judge(l, plainID(f[0]), plainID(doc), grade); err != nil {
			return err
		}
	}
	return nil
}
