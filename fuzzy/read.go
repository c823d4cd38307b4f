package fuzzy

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxLine is the longest line of a dictionary, in bytes.
const maxLine = 1 << 20

// DictionaryError tells what is wrong with a line of a dictionary.
type DictionaryError struct {
	Line int // from 1
	Err  error
}

func (e *DictionaryError) Error() string {
	return fmt.Sprintf("fuzzy: dictionary line %d: %v", e.Line, e.Err)
}

func (e *DictionaryError) Unwrap() error { return e.Err }

// Read makes a QGrams of a UTF-8 text with a word on each line, and its weight
// after it if it has one other than 1:
//
//	the	23135851162
//	of	13151942776
//
// A byte order mark, carriage returns, empty lines and space around words are
// ignored. A line that is not of this form is a *DictionaryError.
func Read(r io.Reader) (*QGrams, error) {
	var entries []entry
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	line := 0
	for lines.Scan() {
		line++
		text := lines.Bytes()
		if line == 1 {
			text = bytes.TrimPrefix(text, []byte("\ufeff"))
		}
		word, weight, err := parseLine(string(text))
		if err != nil {
			return nil, &DictionaryError{Line: line, Err: err}
		}
		entries = append(entries, entry{text: word, weight: weight})
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, &DictionaryError{Line: line + 1, Err: fmt.Errorf("longer than %d bytes", maxLine)}
	} else if err != nil {
		return nil, fmt.Errorf("fuzzy: dictionary: %w", err)
	}
	return build(entries), nil
}

func parseLine(line string) (word string, weight float64, err error) {
	if !utf8.ValidString(line) {
		return "", 0, errors.New("not UTF-8")
	}
	line = strings.TrimSpace(line)
	at := strings.LastIndexAny(line, " \t")
	if at < 0 || !strings.ContainsRune("0123456789.+-", rune(line[at+1])) {
		return line, 1, nil
	}
	weight, err = strconv.ParseFloat(line[at+1:], 64)
	if err != nil || math.IsInf(weight, 0) || weight < 0 {
		return "", 0, fmt.Errorf("%q is no weight", line[at+1:])
	}
	return strings.TrimSpace(line[:at]), weight, nil
}
