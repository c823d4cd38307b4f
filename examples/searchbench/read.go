package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// document is what is indexed of a line of a corpus.
type document struct{ key, text string }

var errNoID = errors.New("a document without id")

// reader reads lines of a corpus, with the same memory for all of them.
type reader struct {
	decoder jsontext.Decoder
	line    bytes.Buffer
	fields  struct{ id, title, body []byte }
}

// read reads a line. It takes the JSON that encoding/json takes, but for names in
// another case.
func (r *reader) read(line []byte) (d document, err error) {
	r.line = *bytes.NewBuffer(line)
	r.decoder.Reset(&r.line, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	r.fields.id, r.fields.title, r.fields.body = r.fields.id[:0], r.fields.title[:0], r.fields.body[:0]
	if err := r.object(); err != nil {
		return d, err
	}
	if len(r.fields.id) == 0 {
		return d, errNoID
	}
	return document{string(r.fields.id), string(r.fields.title) + "\n" + string(r.fields.body)}, nil
}

// object reads the fields of the one object of a line.
func (r *reader) object() error {
	start, err := r.decoder.ReadToken()
	if err != nil {
		return err
	}
	if start.Kind() != '{' {
		return fmt.Errorf("%s instead of an object", start.Kind())
	}
	for r.decoder.PeekKind() != '}' {
		if err := r.field(); err != nil {
			return err
		}
	}
	if _, err := r.decoder.ReadToken(); err != nil {
		return err
	}
	if _, err := r.decoder.ReadToken(); err != io.EOF {
		return errors.Join(errors.New("more than one object in a line"), err)
	}
	return nil
}

func (r *reader) field() error {
	name, err := r.decoder.ReadToken()
	if err != nil {
		return err
	}
	var field *[]byte
	switch name.String() {
	case "id":
		field = &r.fields.id
	case "title":
		field = &r.fields.title
	case "body":
		field = &r.fields.body
	default:
		return r.decoder.SkipValue()
	}
	value, err := r.decoder.ReadValue()
	if err != nil {
		return err
	}
	switch value.Kind() {
	case '"':
		*field, _ = jsontext.AppendUnquote((*field)[:0], value) // an error only tells of what is no UTF-8
	case 'n':
	default:
		return fmt.Errorf("%s instead of a string", value.Kind())
	}
	return nil
}

// buffers of lines are used again.
type buffers struct{ sync.Pool }

// take returns a copy of a line.
func (b *buffers) take(line []byte) *[]byte {
	room, ok := b.Get().(*[]byte)
	if !ok {
		room = new([]byte)
	}
	*room = append((*room)[:0], line...)
	return room
}

// lines calls f with each line that is not blank, until the next one, and its
// number from 1. The byte order mark of some editors is no part of the first.
func lines(r io.Reader, f func(number int, line []byte) error) error {
	in := bufio.NewReaderSize(r, 1<<20)
	var long []byte
	for number := 1; ; number++ {
		line, err := in.ReadSlice('\n')
		for long = long[:0]; err == bufio.ErrBufferFull; line, err = in.ReadSlice('\n') {
			long = append(long, line...)
		}
		if err != nil && err != io.EOF {
			return fmt.Errorf("line %d: %w", number, err)
		}
		if len(long) > 0 {
			long = append(long, line...)
			line = long
		}
		if number == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if len(bytes.TrimSpace(line)) > 0 {
			if err := f(number, line); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}
