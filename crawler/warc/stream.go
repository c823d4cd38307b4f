package warc

import (
	"bufio"
	"bytes"
	"io"

	"github.com/klauspost/compress/gzip"
)

const bufferSize = 64 << 10

// stream is an archive without its compression: one gzip member or zstd frame
// after the other, or the file as it is.
type stream struct {
	src    io.Reader
	read   int64 // from src
	failed error // of src, other than its end
	raw    *bufio.Reader
	gz     gzip.Reader
	zstd   frames
	packed bool          // the file is compressed
	magic  byte          // that its members begin with; 0: not known yet
	in     *bufio.Reader // of the member; nil: it is at its end
	member *bufio.Reader
	start  int64 // where the member begins
}

func newStream(src io.Reader) *stream {
	s := &stream{src: src}
	s.raw = bufio.NewReaderSize(counter{s}, bufferSize)
	s.member = bufio.NewReaderSize(nil, bufferSize)
	return s
}

// counter counts what is read from the source.
type counter struct{ *stream }

func (c counter) Read(p []byte) (int, error) {
	n, err := c.src.Read(p)
	c.read += int64(n)
	if err != nil && err != io.EOF {
		c.failed = err
	}
	return n, err
}

// at is the offset of the next byte in the file.
func (s *stream) at() int64 { return s.read - int64(s.raw.Buffered()) }

// here is the offset that a record that begins now goes by.
func (s *stream) here() int64 {
	if s.packed {
		return s.start
	}
	return s.at()
}

// seek goes to an offset, which a pipe cannot do.
func (s *stream) seek(offset int64) bool {
	seeker, ok := s.src.(io.Seeker)
	if !ok {
		return false
	}
	if _, err := seeker.Seek(offset, io.SeekStart); err != nil {
		return false
	}
	s.read = offset
	s.raw.Reset(counter{s})
	if !s.packed {
		s.in = s.raw
	}
	return true
}

// size is that of the source, where it can be sought in.
func (s *stream) size() (int64, bool) {
	seeker, ok := s.src.(io.Seeker)
	if !ok {
		return 0, false
	}
	size, err := seeker.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, false
	}
	_, err = seeker.Seek(s.read, io.SeekStart)
	return size, err == nil
}

// open begins the next member. The error is io.EOF at the end of the file, and
// ErrFormat where a compressed file goes on with something else.
func (s *stream) open() error {
	s.start = s.at()
	head, err := s.raw.Peek(4)
	switch {
	case len(head) == 0:
		return err
	case isGzip(head):
		s.packed, s.magic = true, head[0]
		if err := s.gz.Reset(s.raw); err != nil {
			return err
		}
		s.gz.Multistream(false)
		s.member.Reset(&s.gz)
	case isZstd(head):
		s.packed, s.magic = true, head[0]
		r, err := s.zstd.open(s.raw)
		if err != nil {
			return err
		}
		s.member.Reset(r)
	case s.packed:
		return ErrFormat
	default:
		s.in = s.raw
		return nil
	}
	s.in = s.member
	return nil
}

// isGzip looks for the magic number, the one method there is, and flags that
// are known (RFC 1952).
func isGzip(head []byte) bool {
	return len(head) >= 4 && head[0] == 0x1f && head[1] == 0x8b && head[2] == 8 && head[3]&0xe0 == 0
}

// toMember looks for the next byte that may begin a member, from an offset on,
// or from where the stream is when it cannot go back.
func (s *stream) toMember(from int64) error {
	s.in = nil
	if !s.seek(from) {
		s.raw.Discard(int(max(from-s.at(), 0)))
	}
	for {
		head, err := s.raw.Peek(s.raw.Size())
		if len(head) < 4 {
			s.raw.Discard(len(head))
			return err
		}
		for i := 0; i+4 <= len(head); i++ {
			next := 0
			if s.magic != 0 {
				next = bytes.IndexByte(head[i:], s.magic)
			}
			if next < 0 || i+next+4 > len(head) {
				break
			}
			if i += next; isGzip(head[i:]) || isZstd(head[i:]) {
				s.raw.Discard(i)
				return nil
			}
		}
		s.raw.Discard(len(head) - 3)
	}
}

// line reads a line of at most limit bytes without its end. A longer one is
// ErrHeader, and only as much of it was read.
func (s *stream) line(limit int) ([]byte, error) {
	var long []byte
	for {
		part, err := s.in.ReadSlice('\n')
		switch {
		case len(long)+len(part) > limit:
			return nil, ErrHeader
		case err == bufio.ErrBufferFull:
			long = append(long, part...)
			continue
		case err == nil && long == nil:
			return bytes.TrimRight(part, "\r\n"), nil
		case len(part)+len(long) == 0:
			return nil, err
		case err == io.EOF || err == nil:
			return bytes.TrimRight(append(long, part...), "\r\n"), nil
		}
		return nil, err
	}
}

// ended reports whether the member came to its proper end.
func (s *stream) ended() bool {
	if s.in == nil {
		return true
	}
	_, err := s.in.Peek(1)
	return err == io.EOF
}
