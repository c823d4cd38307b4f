package store

import (
	"errors"
	"io"
)

// spoolMemory is how much a spool keeps in memory before it takes a file.
const spoolMemory = 4 << 20

// Spool takes bytes that are copied somewhere once: a little in memory, much
// in a temporary file.
type Spool struct {
	in   Folder
	name string
	buf  []byte
	file File // nil: all is in buf
	err  error
}

// NewSpool returns an empty spool. Its file would have that name.
func NewSpool(in Folder, name string) *Spool { return &Spool{in: in, name: name} }

// Write appends to the spool.
func (s *Spool) Write(b []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	s.buf = append(s.buf, b...)
	if len(s.buf) >= spoolMemory {
		s.flush()
	}
	return len(b), s.err
}

func (s *Spool) flush() {
	if s.file == nil {
		if s.file, s.err = s.in.Create(s.name); s.err != nil {
			return
		}
	}
	_, s.err = s.file.Write(s.buf)
	s.buf = s.buf[:0]
}

// CopyTo writes all bytes to w and empties the spool.
func (s *Spool) CopyTo(w io.Writer) error {
	if s.err == nil && s.file == nil {
		_, s.err = w.Write(s.buf)
		s.buf = s.buf[:0]
		return s.err
	}
	if s.err == nil {
		s.flush()
	}
	if s.file == nil {
		return s.err
	}
	err := errors.Join(s.err, s.file.Close())
	s.file = nil
	if err == nil {
		err = s.copyFile(w)
	}
	return errors.Join(err, s.in.Remove(s.name))
}

func (s *Spool) copyFile(w io.Writer) error {
	m, err := s.in.Map(s.name)
	if err != nil {
		return err
	}
	_, err = w.Write(m.Bytes)
	return errors.Join(err, m.Close())
}

// Discard empties the spool.
func (s *Spool) Discard() error {
	s.buf = nil
	if s.file == nil {
		return nil
	}
	err := errors.Join(s.file.Close(), s.in.Remove(s.name))
	s.file = nil
	return err
}
