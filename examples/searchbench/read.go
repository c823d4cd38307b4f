package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// page is a line of a corpus.
type page struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Body  string `json:"body"`
}

// text is what is searched.
func (p page) text() string {
	var b strings.Builder
	b.Grow(len(p.Title) + 1 + len(p.Body))
	b.WriteString(p.Title)
	b.WriteByte('\n')
	b.WriteString(p.Body)
	return b.String()
}

var errNoID = errors.New("a document without id")

func parsePage(line []byte) (page, error) {
	var p page
	err := json.Unmarshal(line, &p)
	if err == nil && p.ID == "" {
		err = errNoID
	}
	return p, err
}

// lines calls f with each line that is not empty, which f may keep, and its
// number from 1.
func lines(r io.Reader, f func(number int, line []byte) error) error {
	in := bufio.NewReaderSize(r, 1<<20)
	for number := 1; ; number++ {
		line, err := in.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return fmt.Errorf("line %d: %w", number, err)
		}
		if len(line) > 1 {
			if err := f(number, line); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}
