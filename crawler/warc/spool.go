package warc

import (
	"bytes"
	"io"
	"os"
)

// spoolMemory is how much of a body or a record is held in memory; what is
// longer waits in a temporary file.
const spoolMemory = 1 << 20

// spool holds bytes until it is known what stands before them.
type spool struct {
	mem  bytes.Buffer
	file *os.File
	n    int64
}

// Write adds to what is held.
func (s *spool) Write(p []byte) (int, error) {
	if s.file == nil && s.mem.Len()+len(p) > spoolMemory {
		f, err := os.CreateTemp("", "quarry-warc-*")
		if err != nil {
			return 0, err
		}
		os.Remove(f.Name()) // where the system lets go of the name already
		s.file = f
	}
	to := io.Writer(&s.mem)
	if s.file != nil {
		to = s.file
	}
	n, err := to.Write(p)
	s.n += int64(n)
	return n, err
}

// reader reads all that was written. It may be called several times, but not
// before the last reader is done with.
func (s *spool) reader() io.Reader {
	mem := io.Reader(bytes.NewReader(s.mem.Bytes()))
	if s.file == nil {
		return mem
	}
	return io.MultiReader(mem, io.NewSectionReader(s.file, 0, s.n-int64(s.mem.Len())))
}

// close lets go of the file.
func (s *spool) close() {
	if s.file != nil {
		s.file.Close()
		os.Remove(s.file.Name())
	}
}
