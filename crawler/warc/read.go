package warc

import (
	"errors"
	"io"
	"iter"
	"os"
)

// Reader reads an archive from front to back: WARC 0.17, 0.18, 1.0 and 1.1, WET
// and WAT, which are WARC too, and ARC 1 and 2; plain, or compressed with gzip or
// zstd by record or as a whole. It holds no more of it in memory than a record's
// header.
//
// It goes on behind damage: what cannot be read is told once, as an *[Error], and
// the next record is looked for. Where the source is an io.Seeker that takes no
// record with it; otherwise those that a wrong length has swallowed are lost.
type Reader struct {
	s    *stream
	name string
	file io.Closer
	body *block

	format string // WARC or ARC; empty: not known yet
	sought bool   // a member was looked for, and what was found may be none
	spent  int64  // bytes searched of what may be no member

	line   []byte // a first line that was looked for and found; nil: none
	lineAt int64
	after  *Record // the last one, until it is clear that its length was right
	behind int64   // in a plain file: where its block begins
}

// NewReader reads an archive that goes by a name in errors and records.
func NewReader(src io.Reader, name string) *Reader {
	return &Reader{s: newStream(src), name: name}
}

// Open opens a file to read it.
func Open(name string) (*Reader, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	r := NewReader(f, name)
	r.file = f
	return r, nil
}

// Close closes a file that was opened by Open.
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

// Records walks the records that are left. Damage comes as an *[Error] without a
// record, and the walk goes on; any other error is one of reading the source and
// the last.
func (r *Reader) Records() iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		for {
			rec, err := r.Next()
			if err == io.EOF || !yield(rec, err) {
				return
			}
			if err != nil && !isDamage(err) {
				return
			}
		}
	}
}

// Next returns the next record. An *[Error] tells of damage, and Next may be
// called again; io.EOF is the end.
func (r *Reader) Next() (*Record, error) {
	for {
		doubtful := r.sought
		rec, err := r.next()
		if r.sought = r.sought && err != nil; doubtful && isDamage(err) && !errors.Is(err, ErrHeader) {
			continue // what looked like a member was none
		}
		return rec, err
	}
}

func isDamage(err error) bool {
	_, ok := errors.AsType[*Error](err)
	return ok
}

func (r *Reader) next() (*Record, error) {
	if err := r.finish(); err != nil {
		return nil, err
	}
	line, at, err := r.first()
	if err == io.EOF {
		return nil, err
	}
	if err != nil {
		return nil, r.damaged(r.s.start, err)
	}
	rec, err := r.head(line)
	if err != nil {
		return nil, r.strange(at, err)
	}
	rec.File, rec.Offset = r.name, at
	r.after, r.behind = rec, r.s.at()
	r.body = &block{r: r, rec: rec, left: rec.Size}
	rec.Block = r.body
	return rec, nil
}

// first finds the line that begins the next record, and its offset.
func (r *Reader) first() (line []byte, at int64, err error) {
	if r.line != nil {
		line, r.line = r.line, nil
		return line, r.lineAt, nil
	}
	for {
		if r.s.in == nil {
			if err := r.s.open(); err != nil {
				return nil, 0, err
			}
		}
		at := r.s.here()
		line, err := r.s.line(maxLine)
		switch {
		case err == io.EOF && !r.s.packed:
			return nil, 0, io.EOF
		case err == io.EOF:
			r.s.in, r.after = nil, nil // a new member begins a new record, whatever came before
		case err == ErrHeader:
			return []byte{}, at, nil // no record begins like that
		case err != nil:
			return nil, 0, err
		case len(line) > 0:
			return line, at, nil
		}
	}
}

// head reads the rest of the header of a record.
func (r *Reader) head(line []byte) (*Record, error) {
	if r.format != "ARC" && isVersion(line) {
		r.format = "WARC"
		return r.s.warcHead(string(line))
	}
	if r.format == "WARC" {
		return nil, ErrFormat
	}
	rec := arcHead(line)
	if rec == nil {
		return nil, ErrFormat
	}
	if r.format = "ARC"; rec.Size < 0 {
		return nil, ErrHeader
	}
	return rec, nil
}

// strange is what to do with a line that begins no record: the length of the
// record before may be wrong, too great or too small.
func (r *Reader) strange(at int64, why error) error {
	before := r.after
	r.after = nil
	if err := r.s.failed; err != nil {
		return err
	}
	if why != ErrFormat && why != ErrHeader {
		return r.damaged(at, why)
	}
	if before != nil && why == ErrFormat {
		at, why = before.Offset, ErrLength
		if !r.s.packed {
			r.s.seek(r.behind)
		}
	}
	r.search()
	return &Error{r.name, at, why}
}

// maxSpent is how much is searched of what may be no member, beside so many
// times what lies before it: members can be made to hold each other.
const (
	maxSpent   = 64 << 20
	spentShare = 8
)

// search looks for the next line that begins a record in this member.
func (r *Reader) search() {
	for {
		at := r.s.here()
		line, err := r.s.line(maxLine)
		if err != nil && err != ErrHeader {
			switch {
			case r.s.packed && err == io.EOF:
				r.s.in = nil
			case r.s.packed: // it does not unpack, and may have swallowed the next one
				r.s.toMember(r.s.start + 1)
				r.sought = true
			case r.format == "" && r.s.seek(r.s.start): // no text at all: a first member that is damaged
				r.s.packed, r.sought = true, true
				r.s.toMember(r.s.start)
			}
			return
		}
		if r.sought {
			if r.spent += int64(len(line)) + 1; r.spent > maxSpent+spentShare*r.s.start {
				r.s.toMember(r.s.start + 1)
				return
			}
		}
		if r.format != "ARC" && isVersion(line) || r.format == "ARC" && arcHead(line) != nil {
			r.line, r.lineAt = append([]byte{}, line...), at
			return
		}
	}
}

// damaged looks for the next member of a compressed file after one that does not
// unpack.
func (r *Reader) damaged(at int64, why error) error {
	if err := r.s.failed; err != nil {
		return err
	}
	if r.after = nil; isEOF(why) {
		why = ErrTorn
	}
	if r.s.packed {
		r.s.toMember(at + 1)
		r.sought = true
	}
	return &Error{r.name, at, why}
}

func isEOF(err error) bool { return err == io.EOF || err == io.ErrUnexpectedEOF }
