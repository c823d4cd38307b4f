package eval

import (
	"io"
	"strings"
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

// smartQrels reads judgements. Their form is told by their columns: where each
// query has exactly two or three documents in a list it would be mistaken, but
// no known collection has that.
func smartQrels(r io.Reader) (Qrels, error) {
	var at []line
	var columns [][]string
	for l, err := range rows(r) {
		if err != nil {
			return nil, err
		}
		at = append(at, l)
		columns = append(columns, strings.Fields(l.text))
	}
	qrels := Qrels{}
	if len(columns) == 0 {
		return qrels, nil
	}
	form := formOf(columns)
	for i, f := range columns {
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
