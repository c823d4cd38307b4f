package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"
)

// opener opens a file for reading.
type opener func(name string) (io.ReadCloser, error)

// readFile reads a whole file by read. The error names the file.
func readFile[T any](open opener, name string, read func(io.Reader) (T, error)) (v T, err error) {
	f, err := open(name)
	if err != nil {
		return v, err
	}
	defer f.Close()
	if v, err = read(f); err != nil {
		return v, fmt.Errorf("%s: %w", name, err)
	}
	return v, nil
}

// openFile opens a file, and unpacks it when its first bytes are those of gzip
// or zstd.
func openFile(name string) (io.ReadCloser, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	r, err := unpacked(bufio.NewReader(f))
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return packedFile{r, f}, nil
}

// packedFile reads what is packed in a file.
type packedFile struct {
	io.Reader
	io.Closer // of the file
}

func unpacked(r *bufio.Reader) (io.Reader, error) {
	first, err := r.Peek(4)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(first, []byte{0x1f, 0x8b}):
		return gzip.NewReader(r)
	case bytes.Equal(first, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
	}
	return r, nil
}
