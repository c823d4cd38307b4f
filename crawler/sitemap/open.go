package sitemap

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/unicode"
)

// packings is how many times a body may be packed: servers that compress what
// is compressed exist.
const packings = 2

var errTooLarge = errors.New("sitemap: too large")

// source is a body, unpacked and in UTF-8 without byte order mark.
type source struct {
	*bufio.Reader
	read *limited
}

// offset is how many bytes were read, some of which may be still ahead.
func (s *source) offset() int64 {
	if s == nil || s.read == nil {
		return 0
	}
	return s.read.n
}

// limited reads up to a number of bytes.
type limited struct {
	r    io.Reader
	n    int64
	most int64
}

func (l *limited) Read(b []byte) (int, error) {
	if l.n >= l.most {
		if n, _ := io.ReadFull(l.r, make([]byte, 1)); n == 0 {
			return 0, io.EOF
		}
		return 0, errTooLarge
	}
	n, err := l.r.Read(b[:min(int64(len(b)), l.most-l.n)])
	l.n += int64(n)
	return n, err
}

// open unpacks and decodes a body of at most so many bytes.
func open(body io.Reader, most int64) (*source, error) {
	in := bufio.NewReader(body)
	for range packings {
		magic, _ := in.Peek(2)
		if !bytes.Equal(magic, []byte("\x1f\x8b")) {
			break
		}
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, err
		}
		in = bufio.NewReader(z)
	}
	l := &limited{r: in, most: most}
	head, err := in.Peek(sniffed)
	if len(head) == 0 && err != io.EOF {
		return nil, err
	}
	s := &source{Reader: bufio.NewReader(decoder(l, head)), read: l}
	if mark, _ := s.Peek(3); string(mark) == "\xef\xbb\xbf" {
		_, _ = s.Discard(3) // they are there
	}
	return s, nil
}

// decoder makes UTF-8 of what is in another encoding by its first bytes.
func decoder(r io.Reader, head []byte) io.Reader {
	big, little := unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	switch {
	case bytes.HasPrefix(head, []byte("\xfe\xff")), len(head) > 1 && head[0] == 0 && head[1] != 0:
		return big.NewDecoder().Reader(r)
	case bytes.HasPrefix(head, []byte("\xff\xfe")), len(head) > 1 && head[0] != 0 && head[1] == 0:
		return little.NewDecoder().Reader(r)
	}
	label := declared(head)
	if enc, name := charset.Lookup(label); enc != nil && name != "utf-8" && name != "replacement" && !strings.HasPrefix(name, "utf-16") {
		return enc.NewDecoder().Reader(r)
	}
	return r
}

// declared returns the encoding that an XML declaration names.
func declared(head []byte) string {
	s := string(bytes.TrimLeft(head, "\xef\xbb\xbf \t\r\n"))
	if !strings.HasPrefix(s, "<?xml") {
		return ""
	}
	s, _, _ = strings.Cut(s, "?>")
	_, s, ok := strings.Cut(s, "encoding")
	s = strings.TrimLeft(s, " \t\r\n=")
	if !ok || s == "" || s[0] != '"' && s[0] != '\'' {
		return ""
	}
	s, _, _ = strings.Cut(s[1:], s[:1])
	return s
}

// kindOf says what an error of a source means.
func kindOf(err error) Kind {
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, errTooLarge):
		return ErrTooLarge
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return ErrTruncated
	case errors.As(err, &corrupt), errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.Is(err, html.ErrBufferExceeded):
		return ErrMalformed
	}
	return ErrRead
}
