package eval

import (
	"io"
	"iter"
	"strconv"
	"strings"
)

// Tags are lines of a SMART file that are no text. Those of parts are letters:
// T, W and others.
const (
	noTag     byte = 0
	recordTag byte = 'I' // .I and an ID
	timeTag   byte = '*' // *TEXT or *FIND, and a number
	stopTag   byte = '.' // *STOP
)

// tagOf tells what a line is.
func tagOf(text string) (tag byte, id string) {
	f := strings.Fields(text)
	if len(f) == 0 {
		return noTag, ""
	}
	switch {
	case len(f) > 1 && (f[0] == "*TEXT" || f[0] == "*FIND"):
		return timeTag, f[1]
	case f[0] == "*STOP":
		return stopTag, ""
	case !strings.HasPrefix(text, ".") || len(f[0]) != 2:
		return noTag, ""
	case f[0] == ".I" && len(f) == 2:
		return recordTag, plainID(f[1])
	case 'A' <= f[0][1] && f[0][1] <= 'Z' && len(f) == 1:
		return f[0][1], ""
	}
	return noTag, ""
}

// plainID is an ID without zeros before a number: .I 004 is judged as 4.
func plainID(id string) string {
	if n, err := strconv.ParseUint(id, 10, 64); err == nil {
		return strconv.FormatUint(n, 10)
	}
	return id
}

// record is a document or query.
type record struct {
	start line
	id    string
	part  byte // that lines belong to now; noTag before the first
	text  map[byte][]byte
}

// counter numbers the records of TIME. Its judgements count documents instead of
// using their numbers, which have gaps. They count 425; two are missing from the
// copies that go round: 499 and 500, or perhaps 505 and 506, with nothing judged
// between. From there on, all would be judged as others.
type counter struct {
	last string // number that the last one calls itself
	n    int
}

func (c *counter) next(number string) string {
	c.n++
	if c.last == "498" && number == "501" {
		c.n += 2
	}
	c.last = number
	return strconv.Itoa(c.n)
}

// add appends a line to the part that it belongs to.
func (r *record) add(text string) {
	r.text[r.part] = append(append(r.text[r.part], text...), '\n')
}

// in returns the text of a part.
func (r *record) in(part byte) string {
	return strings.TrimSpace(string(r.text[part]))
}

// records yields the records of a SMART file.
func records(r io.Reader) iter.Seq2[*record, error] {
	return func(yield func(*record, error) bool) {
		var now *record
		var count counter
		for l, err := range lines(r) {
			if err != nil {
				yield(nil, err)
				return
			}
			switch tag, id := tagOf(l.text); {
			case tag == recordTag && id == "":
				yield(nil, l.errorf("want an ID behind .I"))
				return
			case tag == stopTag && now != nil:
				yield(now, nil)
				return
			case tag == recordTag || tag == timeTag:
				if now != nil && !yield(now, nil) {
					return
				}
				now = &record{start: l, id: id, text: map[byte][]byte{}}
				if tag == timeTag { // has no parts
					now.id, now.part = count.next(id), 'W'
				}
			case tag != noTag && now != nil:
				now.part = tag
			case now != nil && now.part != noTag:
				now.add(l.text)
			case !l.blank():
				yield(nil, l.errorf("want a line such as .I 1, .T or .W here, not %.40q", l.text))
				return
			}
		}
		if now != nil {
			yield(now, nil)
		}
	}
}

func smartDocuments(r io.Reader) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		for rec, err := range records(r) {
			if err != nil {
				yield(Document{}, err)
				return
			}
			d := Document{rec.id, rec.in('T'), joined(rec.in('W'), rec.in('K'))}
			if !yield(d, nil) {
				return
			}
		}
	}
}

func smartQueries(r io.Reader) ([]Query, error) {
	var queries []Query
	seen := map[string]bool{}
	for rec, err := range records(r) {
		if err != nil {
			return nil, err
		}
		if seen[rec.id] {
			return nil, rec.start.errorf("query %s: %w", rec.id, ErrDuplicate)
		}
		seen[rec.id] = true
		queries = append(queries, Query{rec.id, joined(rec.in('T'), rec.in('W'))})
	}
	return queries, nil
}
