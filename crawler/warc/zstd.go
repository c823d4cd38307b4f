package warc

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"
)

// frames reads zstd frames one at a time (RFC 8878), so that each record of a
// .warc.zst has its place in the file. The first frame may be skippable and hold
// the dictionary of all others, itself compressed or not (IIPC, "zstd
// compression in WARC files").
type frames struct {
	decoder    *zstd.Decoder
	dictionary []byte
}

const (
	maxWindow     = 128 << 20 // what zstd --long=27 makes
	maxDictionary = 8 << 20
	dictFrame     = 0x184d2a5d
)

var errFrame = errors.New("zstd frame cannot be read")

// isZstd looks for the magic number of a frame, skippable ones included.
func isZstd(head []byte) bool {
	return len(head) >= 4 && (string(head[:4]) == "\x28\xb5\x2f\xfd" || head[0]&0xf0 == 0x50 && string(head[1:4]) == "\x2a\x4d\x18")
}

// open begins the next frame that is not to be skipped.
func (f *frames) open(r *bufio.Reader) (io.Reader, error) {
	for {
		head, err := r.Peek(4)
		if err != nil {
			return nil, err
		}
		if head[0] == 0x28 {
			return f.decode(r)
		}
		if err := f.skip(r); err != nil {
			return nil, err
		}
	}
}

// skip reads a skippable frame, which may be the dictionary.
func (f *frames) skip(r *bufio.Reader) error {
	var head [8]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	size := int64(binary.LittleEndian.Uint32(head[4:]))
	if binary.LittleEndian.Uint32(head[:]) != dictFrame || f.dictionary != nil || size > maxDictionary {
		_, err := io.CopyN(io.Discard, r, size)
		return err
	}
	dict, err := io.ReadAll(io.LimitReader(r, size))
	if err != nil {
		return err
	}
	if isZstd(dict) {
		d, err := zstd.NewReader(bytes.NewReader(dict), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxDictionary))
		if err != nil {
			return err
		}
		defer d.Close()
		if dict, err = io.ReadAll(d); err != nil {
			return err
		}
	}
	f.dictionary, f.decoder = dict, nil
	return nil
}

func (f *frames) decode(r *bufio.Reader) (io.Reader, error) {
	if f.decoder == nil {
		opt := []zstd.DOption{zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow)}
		if f.dictionary != nil {
			opt = append(opt, zstd.WithDecoderDicts(f.dictionary))
		}
		d, err := zstd.NewReader(nil, opt...)
		if err != nil {
			return nil, err
		}
		f.decoder = d
	}
	return f.decoder, f.decoder.Reset(&frame{r: r})
}

// frame is the bytes of one frame, found by its block headers.
type frame struct {
	r    *bufio.Reader
	left int  // bytes to hand out before the next header
	sum  int  // bytes of checksum at the end
	last bool // the last block is being handed out
	open bool // the frame header is behind us
}

func (f *frame) Read(p []byte) (int, error) {
	if f.left == 0 {
		if err := f.next(); err != nil {
			return 0, err
		}
	}
	n, err := f.r.Read(p[:min(len(p), f.left)])
	f.left -= n
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// rest hands out what there is of a header that is cut short, so that the decoder finds
// it to be and nobody reads it as another frame.
func (f *frame) rest(head []byte) error {
	if len(head) == 0 {
		return io.ErrUnexpectedEOF
	}
	f.left = len(head)
	return nil
}

// next measures what comes: the frame header, or a block with its header, the
// last with the checksum.
func (f *frame) next() error {
	switch {
	case f.last:
		return io.EOF
	case !f.open:
		head, err := f.r.Peek(5)
		if err != nil {
			return f.rest(head)
		}
		f.open, f.left, f.sum = true, frameHeader(head[4]), int(head[4]>>2&1)*4
		return nil
	}
	head, err := f.r.Peek(3)
	if err != nil {
		return f.rest(head)
	}
	h := int(head[0]) | int(head[1])<<8 | int(head[2])<<16
	size := h >> 3
	switch h >> 1 & 3 {
	case 1: // one byte, repeated
		size = 1
	case 3:
		return errFrame
	}
	f.left = 3 + size
	if f.last = h&1 == 1; f.last {
		f.left += f.sum
	}
	return nil
}

// frameHeader is the size of a frame header by its descriptor (RFC 8878,
// 3.1.1.1.1), the magic number included.
func frameHeader(descriptor byte) int {
	single := int(descriptor >> 5 & 1)
	content := [...]int{single, 2, 4, 8}[descriptor>>6]
	dict := [...]int{0, 1, 2, 4}[descriptor&3]
	return 4 + 1 + (1 - single) + dict + content
}
