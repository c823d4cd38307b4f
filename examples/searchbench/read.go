package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
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

// readDocument reads a line. It takes the JSON that encoding/json takes, but for
// names in another case.
func readDocument(line []byte) (d document, err error) {
	var p page
	if err := json.Unmarshal(line, &p, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)); err != nil {
		return d, err
	}
	if p.ID == "" {
		return d, errNoID
	}
	return document{p.ID, p.Title + "\n" + p.Body}, nil
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
