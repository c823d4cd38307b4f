package content

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
)

// guard turns a panic into an error.
func guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return f()
}

// within runs f in a goroutine and waits no longer than its time for it. f is
// told by its context when time is up, and then has a moment to return what it
// has.
func within[T any](ctx context.Context, limit time.Duration, f func(context.Context) (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	inner, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan result, 1)
	go func() {
		var r result
		r.err = guard(func() (err error) { r.value, err = f(inner); return err })
		done <- r
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-inner.Done():
	}
	moment := time.NewTimer(time.Second)
	defer moment.Stop()
	select {
	case r := <-done:
		return r.value, r.err
	case <-moment.C:
		var none T
		return none, errors.New("pdf: takes too long")
	}
}

// pdfSource is a document as the library reads it: from its header to its last
// end mark, both in the form that the library wants. Reading ends with its
// context, which so ends whatever the library is at.
type pdfSource struct {
	ctx  context.Context
	body []byte
}

const pdfHeader = "%PDF-1.7\n"

// newPDFSource refuses documents that would make the library take memory or
// time without bound.
func newPDFSource(body []byte) (*pdfSource, error) {
	if i := bytes.Index(body[:min(len(body), 1024)], []byte("%PDF-")); i > 0 {
		body = body[i:]
	}
	end := bytes.LastIndex(body, []byte("%%EOF"))
	if end < 100 {
		return nil, errors.New("pdf: no end mark: cut off, or no PDF")
	}
	body = body[:end+len("%%EOF")]
	if err := refusePDF(body); err != nil {
		return nil, err
	}
	return &pdfSource{ctx: context.Background(), body: body}, nil
}

func (s *pdfSource) size() int64 { return int64(len(s.body)) }

func (s *pdfSource) ReadAt(b []byte, off int64) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	if off < 0 || off >= s.size() {
		return 0, io.EOF
	}
	n := copy(b, s.body[off:])
	if off < int64(len(pdfHeader)) {
		copy(b[:n], pdfHeader[off:])
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// The library makes tables as large as the numbers in a document say, and loops
// as often. None of them has reason to be larger than the document or than
// leastBound, but for those behind /P, which it only hands on.
const (
	leastBound   = 1 << 20
	mostInflated = 16 << 20 // bytes of a stream of objects
)

// refusePDF looks for such numbers, outside of strings and streams, and for
// streams of objects that unpack beyond measure.
func refusePDF(b []byte) error {
	bound := uint64(max(len(b), leastBound))
	object := 0 // where the current object began
	for i := 0; i < len(b); {
		switch c := b[i]; {
		case c == '(':
			i = skipString(b, i)
		case c == '<' && bytes.HasPrefix(b[i:], []byte("<<")):
			i += 2
		case c == '<':
			i = skipPast(b, i, ">")
		case c == '%':
			i = skipLine(b, i)
		case c == 'o' && bytes.HasPrefix(b[i:], []byte("obj")):
			object = i
			i += 3
		case c == 's' && bytes.HasPrefix(b[i:], []byte("stream")):
			start := i + len("stream")
			end := skipPast(b, start, "endstream")
			if err := refuseStream(b[object:i], b[start:end]); err != nil {
				return err
			}
			i = end
		case c >= '0' && c <= '9':
			end := i
			for end < len(b) && b[end] >= '0' && b[end] <= '9' {
				end++
			}
			if err := refuseNumber(b, i, end, bound); err != nil {
				return err
			}
			i = end
		default:
			i++
		}
	}
	return nil
}

func refuseNumber(b []byte, start, end int, bound uint64) error {
	before := b[max(0, start-8):start]
	if len(before) > 0 && (before[len(before)-1] == '.' || before[len(before)-1] == '-') || bytes.Contains(before, []byte("/P")) {
		return nil
	}
	if n, err := strconv.ParseUint(string(b[start:end]), 10, 64); err != nil || n > bound {
		return fmt.Errorf("pdf: a number that nothing here is as large as: %.20s", b[start:end])
	}
	return nil
}

// refuseStream refuses a stream of objects, or of what may be one, that is a
// bomb, or whose count is not in its place.
func refuseStream(header, data []byte) error {
	if !bytes.Contains(header, []byte("/First")) && !bytes.Contains(header, []byte("XRef")) && !bytes.ContainsRune(header, '#') {
		return nil
	}
	data = bytes.TrimLeft(data, "\r\n")
	var from io.Reader = bytes.NewReader(data)
	if z, err := zlib.NewReader(bytes.NewReader(data)); err == nil {
		from = z
	}
	var seen edges
	_, _ = io.Copy(&seen, io.LimitReader(from, mostInflated+1)) // what is broken the library finds out
	switch {
	case seen.n > mostInflated:
		return errors.New("pdf: a bomb")
	case bytes.Contains(header, []byte("/First")) && (seen.endless() || bytes.Contains(header, []byte("ASCII"))):
		return errors.New("pdf: objects that do not end")
	}
	return nil
}

// edges notes how much was written, and where the last angle brackets are: in a
// stream of objects the library would look for ever for the end of a string that
// is opened and never closed.
type edges struct{ n, open, closed int64 }

func (e *edges) Write(b []byte) (int, error) {
	if i := bytes.LastIndexByte(b, '<'); i >= 0 {
		e.open = e.n + int64(i) + 1
	}
	if i := bytes.LastIndexByte(b, '>'); i >= 0 {
		e.closed = e.n + int64(i) + 1
	}
	e.n += int64(len(b))
	return len(b), nil
}

func (e *edges) endless() bool { return e.open > e.closed }

// skipString returns what follows a string in parentheses.
func skipString(b []byte, i int) int {
	depth := 0
	for ; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(b)
}

func skipPast(b []byte, i int, mark string) int {
	n := bytes.Index(b[i:], []byte(mark))
	if n < 0 {
		return len(b)
	}
	return i + n + len(mark)
}

func skipLine(b []byte, i int) int {
	n := bytes.IndexAny(b[i:], "\r\n")
	if n < 0 {
		return len(b)
	}
	return i + n
}
