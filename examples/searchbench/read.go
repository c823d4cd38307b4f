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

// document is what is indexed of a page.
type document struct{ key, text string }

var errNoID = errors.New("a document without id")

// document reads a line.
func (p *plain) document(line []byte) (d document, err error) {
	if !p.read(line) {
		var of page
		if err := json.Unmarshal(line, &of); err != nil {
			return d, err
		}
		p.id, p.title, p.body = append(p.id[:0], of.ID...), append(p.title[:0], of.Title...), append(p.body[:0], of.Body...)
	}
	if len(p.id) == 0 {
		return d, errNoID
	}
	var text strings.Builder
	text.Grow(len(p.title) + 1 + len(p.body))
	text.Write(p.title)
	text.WriteByte('\n')
	text.Write(p.body)
	return document{string(p.id), text.String()}, nil
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
