package eval

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
)

// InputError is a line that cannot be read. It matches [ErrDuplicate] when the
// line lists what an earlier one has listed.
type InputError struct {
	Line int // from 1
	Err  error
}

func (e *InputError) Error() string { return fmt.Sprintf("eval: line %d: %v", e.Line, e.Err) }

// Unwrap returns the cause.
func (e *InputError) Unwrap() error { return e.Err }

// ErrDuplicate is matched when a document is listed twice for one query.
var ErrDuplicate = errors.New("listed twice")

// maxLine is the greatest length of a line, in bytes: one may hold a book.
const maxLine = 64 << 20

// line is a line of a file, without its end.
type line struct {
	number int
	text   string
}

func (l line) blank() bool { return strings.TrimSpace(l.text) == "" }

func (l line) errorf(format string, args ...any) error {
	return &InputError{l.number, fmt.Errorf(format, args...)}
}

// lines yields the lines of r, whether they end in LF or CRLF, without the byte
// order mark of some editors. An error is the last that it yields; when reading
// fails, what stood in the middle of a line then is none.
func lines(r io.Reader) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		sc := bufio.NewScanner(r)
		sc.Buffer(nil, maxLine)
		n := 0
		for sc.Scan() && sc.Err() == nil {
			n++
			text := sc.Text()
			if n == 1 {
				text = strings.TrimPrefix(text, byteOrderMark)
			}
			if !yield(line{n, text}, nil) {
				return
			}
		}
		switch err := sc.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			yield(line{}, line{number: n + 1}.errorf("longer than %d bytes", maxLine))
		case err != nil:
			yield(line{}, fmt.Errorf("eval: %w", err))
		}
	}
}

// columns parts a line at blanks of ASCII, as trec_eval does: an ID may hold others.
func columns(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(blanks, r) })
}

const byteOrderMark = "\ufeff"

const blanks = " \t\n\v\f\r"

// rows yields the lines of a table: not those that are blank or, as in the
// files of trec_eval, a comment behind '#'.
func rows(r io.Reader) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		for l, err := range lines(r) {
			if err == nil && (l.blank() || strings.HasPrefix(strings.TrimSpace(l.text), "#")) {
				continue
			}
			if !yield(l, err) {
				return
			}
		}
	}
}
