package warc

import (
	"errors"
	"io"
)

var errPassed = errors.New("warc: the block of a record that was passed")

// block is the block of the record that a Reader is at.
type block struct {
	r    *Reader
	rec  *Record
	left int64
	err  error
}

// Read reads of the block. Where it ends too early the error is an *Error.
func (b *block) Read(p []byte) (int, error) {
	switch {
	case b.err != nil:
		return 0, b.err
	case b.r.body != b:
		return 0, errPassed
	case b.left == 0:
		return 0, io.EOF
	case b.r.s.in == nil:
		return 0, b.fail(io.EOF)
	}
	n, err := b.r.s.in.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	if err != nil && b.left > 0 {
		return n, b.fail(err)
	}
	return n, nil
}

func (b *block) fail(err error) error {
	if failed := b.r.s.failed; failed != nil {
		b.err = failed
		return b.err
	}
	if isEOF(err) {
		err = ErrTorn
	}
	b.err = &Error{b.rec.File, b.rec.Offset, err}
	return b.err
}

// finish goes to the end of the block of the last record.
func (r *Reader) finish() error {
	b := r.body
	if b == nil {
		return nil
	}
	err := b.pass()
	if r.body = nil; err == nil {
		return nil
	}
	if r.s.failed != nil {
		return err
	}
	r.after = nil
	switch {
	case !r.s.packed: // perhaps the length is wrong, and more records follow
		if r.s.seek(r.behind) {
			r.search()
		}
	case r.s.ended():
		r.s.in = nil // the member is whole, and too short
	default:
		r.s.toMember(r.s.start + 1)
		r.sought = true
	}
	return err
}

// pass goes to the end of the block, in a plain file that can be sought in
// without reading it: lengths may be wrong, and as great as they like.
func (b *block) pass() error {
	s := b.r.s
	if b.err == nil && !s.packed && b.left > bufferSize {
		if size, ok := s.size(); ok && s.at()+b.left > size {
			return b.fail(io.EOF)
		} else if ok && s.seek(s.at()+b.left) {
			b.left = 0
			return nil
		}
	}
	_, err := io.Copy(io.Discard, b)
	return err
}
