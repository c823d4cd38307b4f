// Package stored keeps a record of bytes for each document, compressed
// together with its neighbours. It knows nothing of what is in a record.
//
// Where to look:
//
//	format.go   the bytes
//	writer.go   writing them
//	reader.go   reading one record, or all in order
package stored

import (
	"github.com/klauspost/compress/zstd"
)

// Records lie in two sections, blocks and index. A block is a zstd frame that
// tells its content size (RFC 8878, 3.1.1.1.4); in it
// are, for each document
//
//	size    [varint]
//	record  [size]
//
// The index has for each block an entry
//
//	first   [4]   its first document; the block ends before that of the next
//	raw     [4]   bytes of the block before compression
//	offset  [8]   of its frame; it ends where the next starts
const entrySize = 16

// Codec compresses and decompresses. It may be used from many goroutines.
type Codec struct {
	enc *zstd.Encoder
	dec *zstd.Decoder
}

// NewCodec returns a codec; one is enough for an index.
func NewCodec() *Codec {
	// The options are constant and valid, so neither returns an error.
	enc, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false), zstd.WithSingleSegment(true), zstd.WithEncoderConcurrency(1))
	dec, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(1<<32))
	return &Codec{enc, dec}
}
