package fetch

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// maxLayers is how many codings may lie on a body.
const maxLayers = 4

// maxZstdWindow is what RFC 9659 allows a sender to ask of us.
const maxZstdWindow = 8 << 20

var (
	errOverLimit  = errors.New("body over the limit")
	errLayerLimit = errors.New("a coding within a coding unpacks beyond the limit")
)

// bombError tells the sizes of a body that unpacks beyond all measure.
type bombError struct{ wire, decoded, limit int64 }

func (e bombError) Error() string {
	return fmt.Sprintf("%d bytes unpack to %d and more, the limit is %d", e.wire, e.decoded, e.limit)
}

// decoders keeps decoders for reuse; each has tens of kilobytes of tables.
type decoders struct{ input, gzip, zlib, flate, brotli, zstd sync.Pool }

// decode reads a body, its codings taken off, up to one byte over the limit. ended
// reports that it is whole by the account of a coding, whatever became of the wire.
func (d *decoders) decode(to *pieces, in *wire, header []string, limit int64) (ended bool, err error) {
	r, release, err := d.open(in, header, in.limit)
	if err != nil {
		return false, err
	}
	defer release()
	err = to.readFrom(io.LimitReader(r, limit+1))
	_, plain := r.(*bufio.Reader) // a coding was taken for none, or there is none
	return err == nil && r != io.Reader(in) && !plain, err
}

// open returns r without its content codings, the last one named being taken
// off first. No coding but the last to be taken off may yield more than limit
// bytes. Codings that nobody knows are taken for none, as browsers do.
func (d *decoders) open(r io.Reader, header []string, limit int64) (io.Reader, func(), error) {
	var codings []string
	for _, line := range header {
		for c := range strings.SplitSeq(line, ",") {
			if c = strings.ToLower(strings.TrimSpace(c)); d.known(c) {
				codings = append(codings, c)
			}
		}
	}
	if len(codings) > maxLayers {
		return nil, nil, fmt.Errorf("%d content codings", len(codings))
	}
	var releases []func()
	release := func() {
		for i := len(releases) - 1; i >= 0; i-- {
			releases[i]()
		}
	}
	for i := len(codings) - 1; i >= 0; i-- {
		next, free, err := d.layer(codings[i], r)
		if err != nil {
			release()
			return nil, nil, fmt.Errorf("%s: %w", codings[i], err)
		}
		releases = append(releases, free)
		if r = next; i > 0 {
			r = &layer{r: r, left: limit}
		}
	}
	return r, release, nil
}

func (d *decoders) known(coding string) bool {
	switch coding {
	case "gzip", "x-gzip", "br", "zstd", "deflate":
		return true
	}
	return false
}

// layer takes off one coding. A body that plainly is not in the coding that its
// header names is taken as it is: servers label files wrongly.
func (d *decoders) layer(coding string, r io.Reader) (io.Reader, func(), error) {
	in, free := reuse(&d.input, func() *bufio.Reader { return bufio.NewReader(nil) })
	in.Reset(r)
	head, _ := in.Peek(2)
	if len(head) < 2 {
		return in, free, nil // an empty body needs no header of a coding
	}
	dec, freeDec, err := d.start(coding, in, head)
	if err != nil {
		free()
		return nil, nil, err
	}
	return dec, func() { freeDec(); in.Reset(nil); free() }, nil
}

func (d *decoders) start(coding string, in *bufio.Reader, head []byte) (io.Reader, func(), error) {
	switch {
	case coding == "br" && head[0] == '<': // which begins a page and no stream (RFC 7932, 9.2)
		return in, func() {}, nil
	case coding == "deflate" && isGzip(head): // which begins neither form of it
		coding = "gzip"
	}
	switch coding {
	case "br":
		z, free := reuse(&d.brotli, func() *brotli.Reader { return brotli.NewReader(nil) })
		return &padded{r: z, padding: func(err error) bool { return err.Error() == "brotli: excessive input" }}, free, z.Reset(in)
	case "zstd":
		if !isZstd(in) {
			return in, func() {}, nil
		}
		z, free := reuse(&d.zstd, newZstd)
		return &padded{r: z, padding: func(err error) bool { return errors.Is(err, zstd.ErrMagicMismatch) }}, func() { z.Reset(nil); free() }, z.Reset(in)
	case "deflate":
		if head[0]&0x0f == 8 && (uint(head[0])<<8|uint(head[1]))%31 == 0 { // RFC 1950; some send RFC 1951 bare
			z, free := reuse(&d.zlib, func() io.ReadCloser { return &zlibReader{} })
			return z, free, z.(*zlibReader).Reset(in)
		}
		z, free := reuse(&d.flate, func() io.ReadCloser { return flate.NewReader(nil) })
		return z, free, z.(flate.Resetter).Reset(in, nil)
	}
	if !isGzip(head) {
		return in, func() {}, nil
	}
	z, free := reuse(&d.gzip, func() *gzip.Reader { return new(gzip.Reader) })
	m := &members{z, in}
	return m, free, m.next()
}

// isGzip looks for the magic number of a member (RFC 1952, 2.3.1).
func isGzip(head []byte) bool { return len(head) >= 2 && head[0] == 0x1f && head[1] == 0x8b }

// isZstd looks for the magic number of a frame (RFC 8878, 3.1).
func isZstd(in *bufio.Reader) bool {
	head, _ := in.Peek(4)
	if len(head) < 4 {
		return true // broken, but what else
	}
	return string(head) == "\x28\xb5\x2f\xfd" || head[0]&0xf0 == 0x50 && string(head[1:]) == "\x2a\x4d\x18"
}

func newZstd() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxZstdWindow))
	if err != nil {
		panic(err) // the options are constants
	}
	return d
}

// reuse takes a decoder from the pool, or makes one, and returns how to put it back.
func reuse[T any](p *sync.Pool, make func() T) (T, func()) {
	z, ok := p.Get().(T)
	if !ok {
		z = make()
	}
	return z, func() { p.Put(z) }
}

// zlibReader is a zlib reader that can be made before there is anything to read.
type zlibReader struct{ io.ReadCloser }

func (z *zlibReader) Reset(r io.Reader) (err error) {
	if z.ReadCloser == nil {
		z.ReadCloser, err = zlib.NewReader(r)
		return err
	}
	return z.ReadCloser.(zlib.Resetter).Reset(r, nil)
}

// members reads the members of a gzip body, one after the other. What follows the
// last one and is none is padding.
type members struct {
	z  *gzip.Reader
	in *bufio.Reader
}

func (m *members) Read(b []byte) (int, error) {
	for {
		n, err := m.z.Read(b)
		if n > 0 && err == io.EOF {
			err = nil // the next Read gets it again
		}
		if n > 0 || err != io.EOF {
			return n, err
		}
		if head, _ := m.in.Peek(2); !isGzip(head) {
			return 0, io.EOF
		}
		if err := m.next(); err != nil {
			return 0, err
		}
	}
}

// next begins a member.
func (m *members) next() error {
	if err := m.z.Reset(m.in); err != nil {
		return err
	}
	m.z.Multistream(false)
	return nil
}

// padded reads the parts of a compressed body, be they frames of zstd or a stream
// of brotli. What follows the last one and is none is padding.
type padded struct {
	r       io.Reader
	padding func(error) bool
	any     bool
}

func (p *padded) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	p.any = p.any || n > 0
	if p.any && err != nil && p.padding(err) {
		err = io.EOF
	}
	return n, err
}

// layer limits what a coding within a coding may yield.
type layer struct {
	r    io.Reader
	left int64
}

func (l *layer) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errLayerLimit
	}
	n, err := l.r.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}
