// Package stored keeps a record of bytes for each document, compressed
// together with others. It knows nothing of what is in a record.
//
// Where to look:
//
//	format.go   the bytes
//	writer.go   writing them
//	reader.go   reading one record, or all in order
//	copy.go     taking over what another segment holds, as it is if possible
package stored

import (
	"github.com/klauspost/compress/zstd"
)

// Records lie in two sections, blocks and index. A block is a zstd frame that
// tells its content size (RFC 8878, 3.1.1.1.4); in it are, for each of its
// records
//
//	size    [varint]
//	record  [size]
//
// Records are numbered as they lie in the blocks. The index is
//
//	blocks  [4]   how many; 0: all records are empty
//	        per block:
//	first   [4]     its first record; the block ends before that of the next
//	raw     [4]     bytes of the block before compression
//	offset  [8]     of its frame; it ends where the next starts
//	record  [4×documents]  the record of each document; absent: that of its own number
//
// A merge takes blocks over as they are, so that records keep the order in
// which they were first written, whatever the order of documents.
const (
	headSize  = 4
	entrySize = 16
	placeSize = 4
)

// Codec compresses and decompresses. It may be used from many goroutines.
type Codec struct {
	enc *zstd.Encoder
	dec *zstd.Decoder
}

// NewCodec returns a codec; one is enough for an index.
func NewCodec() *Codec {
	// The options are constant and valid, so neither returns an error.
	enc, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false), zstd.WithSingleSegment(true))
	dec, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(1<<32))
	return &Codec{enc, dec}
}
