package pagefile

import "io"

// NewWriterAs is NewWriter of a file that has an ID already.
func NewWriterAs(w io.Writer, id ID) *Writer {
	f := NewWriter(w, id.Index)
	f.id = id
	return f
}
