package embedding

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// FormatError is a file that holds no model.
type FormatError struct {
	Line int
	Msg  string
}

func (e *FormatError) Error() string { return fmt.Sprintf("embedding: line %d: %s", e.Line, e.Msg) }

// mostLine is the longest line that is read.
const mostLine = 1 << 20

// WriteTo writes the model in the text format of word2vec: a line with the number of words and of
// dimensions, and a line for each word with the word and its numbers. A word that is empty or has
// white space in it, which the format has no place for, is left out.
func (m *Model) WriteTo(w io.Writer) (n int64, err error) {
	out := bufio.NewWriter(w)
	count := func(k int, e error) {
		n += int64(k)
		if err == nil {
			err = e
		}
	}
	words := 0
	for _, word := range m.words {
		if writable(word) {
			words++
		}
	}
	count(fmt.Fprintf(out, "%d %d\n", words, m.dims))
	var line []byte
	for i, word := range m.words {
		if !writable(word) {
			continue
		}
		line = append(line[:0], word...)
		for _, x := range m.row(i) {
			line = strconv.AppendFloat(append(line, ' '), float64(x), 'g', -1, 32)
		}
		count(out.Write(append(line, '\n')))
	}
	if e := out.Flush(); err == nil {
		err = e
	}
	return n, err
}

func writable(word string) bool { return word != "" && strings.IndexFunc(word, unicode.IsSpace) < 0 }

// Read reads a model that WriteTo, word2vec or fastText has written as text, or one of GloVe, which has
// no first line. The error is a [*FormatError], or that of the reader. A word that comes again
// is an error.
func Read(r io.Reader) (*Model, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, mostLine)
	m := &Model{places: map[string]int{}}
	words := -1
	n := 0
	for lines.Scan() {
		n++
		bad := func(format string, args ...any) error { return &FormatError{n, fmt.Sprintf(format, args...)} }
		fields := strings.Fields(lines.Text())
		if n == 1 && len(fields) == 2 {
			var errs [2]error
			words, errs[0] = strconv.Atoi(fields[0])
			m.dims, errs[1] = strconv.Atoi(fields[1])
			if errs[0] == nil && errs[1] == nil {
				if words < 0 || m.dims < 1 {
					return nil, bad("a model of %d words and %d dimensions", words, m.dims)
				}
				continue
			}
			words, m.dims = -1, 0
		}
		if len(fields) < 2 {
			return nil, bad("no word with numbers")
		}
		if m.dims == 0 {
			m.dims = len(fields) - 1
		}
		if len(fields)-1 != m.dims {
			return nil, bad("%d numbers, not %d", len(fields)-1, m.dims)
		}
		if _, again := m.places[fields[0]]; again {
			return nil, bad("the word %q comes again", fields[0])
		}
		for _, f := range fields[1:] {
			x, err := strconv.ParseFloat(f, 32)
			if err != nil || math.IsNaN(x) || math.Abs(x) > mostNumber {
				return nil, bad("%q is no number of a vector", f)
			}
			m.vectors = append(m.vectors, float32(x))
		}
		m.places[fields[0]] = len(m.words)
		m.words = append(m.words, fields[0])
	}
	switch err := lines.Err(); {
	case err == bufio.ErrTooLong:
		return nil, &FormatError{n + 1, fmt.Sprintf("longer than %d bytes", mostLine)}
	case err != nil:
		return nil, err
	case words >= 0 && words != len(m.words):
		return nil, &FormatError{n, fmt.Sprintf("%d words, not %d", len(m.words), words)}
	case len(m.words) == 0 && words != 0:
		return nil, &FormatError{n, "no words"}
	}
	return m, nil
}

// mostNumber is the greatest number of a vector.
const mostNumber = 1e15
