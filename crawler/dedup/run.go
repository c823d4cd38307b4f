package dedup

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/webquarry/quarry/internal/durable"
)

// A run is a file of tables, each sorted by key, that never changes. Numbers
// are little-endian.
//
//	block   255 pairs of key [8] and value [8], zeros where there are fewer, sum [4], zeros [12]
//	tables  the blocks of one table after the other
//	index   the first key [8] of each block, of all tables
//	foot    for each table the number of pairs [8]; number of tables [4], magic [4] "QDR1",
//	        sum [4] of index and foot before it
//
// Sums are CRC-32C. The index is kept in memory: 8 bytes for 255 pairs.
const (
	pairSize   = 16
	blockPairs = 255
	blockSize  = 4096
	runMagic   = "QDR1"
	maxTables  = 64
)

// run is a file of tables that is read.
type run struct {
	file   io.ReaderAt
	name   string
	tables []span
}

// span is where a table lies in a run.
type span struct {
	count int64
	start int64    // offset of the first block
	first []uint64 // first keys of the blocks
}

// source gives pairs in order until it is false.
type source func() (pair, bool, error)

// writeRun writes tables into a new file.
func writeRun(d *durable.Dir, name string, tables []source) (err error) {
	f, err := d.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriterSize(f, 256<<10)
	var index, foot []byte
	for _, next := range tables {
		n, err := writeTable(w, next, &index)
		if err != nil {
			return err
		}
		foot = binary.LittleEndian.AppendUint64(foot, n)
	}
	foot = binary.LittleEndian.AppendUint32(foot, uint32(len(tables)))
	foot = append(foot, runMagic...)
	sum := crc32.Update(crc32.Checksum(index, castagnoli), castagnoli, foot)
	w.Write(index)
	w.Write(foot)
	w.Write(binary.LittleEndian.AppendUint32(nil, sum))
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Sync()
}

func writeTable(w *bufio.Writer, next source, index *[]byte) (count uint64, err error) {
	var block [blockSize]byte
	in := 0
	flush := func() error {
		clear(block[in*pairSize:])
		binary.LittleEndian.PutUint32(block[blockPairs*pairSize:], crc32.Checksum(block[:blockPairs*pairSize], castagnoli))
		in = 0
		_, err := w.Write(block[:])
		return err
	}
	for {
		p, ok, err := next()
		if err != nil {
			return 0, err
		}
		if !ok {
			break
		}
		if in == 0 {
			*index = binary.LittleEndian.AppendUint64(*index, p.key)
		}
		binary.LittleEndian.PutUint64(block[in*pairSize:], p.key)
		binary.LittleEndian.PutUint64(block[in*pairSize+8:], p.value)
		count++
		if in++; in == blockPairs {
			if err := flush(); err != nil {
				return 0, err
			}
		}
	}
	if in > 0 {
		return count, flush()
	}
	return count, nil
}

// openRun reads the foot and the index of a run of so many bytes.
func openRun(f io.ReaderAt, size int64, name string) (*run, error) {
	bad := func(what string) (*run, error) {
		return nil, &CorruptError{name, size, errors.New(what)}
	}
	var tail [12]byte
	if _, err := f.ReadAt(tail[:], size-12); err != nil || string(tail[4:8]) != runMagic {
		return bad("no run of tables")
	}
	tables := int64(binary.LittleEndian.Uint32(tail[:]))
	foot := make([]byte, 8*min(tables, maxTables))
	if _, err := f.ReadAt(foot, size-12-int64(len(foot))); err != nil || tables > maxTables {
		return bad("the foot is cut short")
	}
	r := &run{file: f, name: name}
	var blocks int64
	for i := range tables {
		n := int64(binary.LittleEndian.Uint64(foot[8*i:]))
		if n < 0 || n > size/pairSize {
			return bad("the foot makes no sense")
		}
		r.tables = append(r.tables, span{count: n, start: blocks * blockSize, first: make([]uint64, (n+blockPairs-1)/blockPairs)})
		blocks += (n + blockPairs - 1) / blockPairs
	}
	if blocks*(blockSize+8)+int64(len(foot))+12 != size {
		return bad("the file has not the length that its foot tells")
	}
	index := make([]byte, 8*blocks)
	if _, err := f.ReadAt(index, blocks*blockSize); err != nil {
		return bad("the index is cut short")
	}
	sum := crc32.Update(crc32.Update(crc32.Checksum(index, castagnoli), castagnoli, foot), castagnoli, tail[:8])
	if sum != binary.LittleEndian.Uint32(tail[8:]) {
		return bad("checksum of the index does not match")
	}
	for _, t := range r.tables {
		for i := range t.first {
			t.first[i], index = binary.LittleEndian.Uint64(index), index[8:]
		}
	}
	return r, nil
}

// block reads the pairs of a block of a table.
func (r *run) block(t span, i int, buf []byte) (int, error) {
	at := t.start + int64(i)*blockSize
	if _, err := r.file.ReadAt(buf, at); err != nil {
		if errors.Is(err, io.EOF) {
			err = &CorruptError{r.name, at, errors.New("the file is cut short")}
		}
		return 0, err
	}
	if crc32.Checksum(buf[:blockPairs*pairSize], castagnoli) != binary.LittleEndian.Uint32(buf[blockPairs*pairSize:]) {
		return 0, &CorruptError{r.name, at, errors.New("checksum of a block does not match")}
	}
	return int(min(blockPairs, t.count-int64(i)*blockPairs)), nil
}

// scan calls yield for the pairs of a table with from <= key <= to until it is
// false, and reports whether it never was.
func (r *run) scan(which int, from, to uint64, yield func(pair) bool) (bool, error) {
	if which >= len(r.tables) {
		return false, fmt.Errorf("dedup: %s has no table %d", r.name, which)
	}
	t := r.tables[which]
	i, _ := slices.BinarySearchFunc(t.first, from, cmp.Compare[uint64])
	buf := make([]byte, blockSize)
	for i = max(i-1, 0); i < len(t.first) && t.first[i] <= to; i++ {
		n, err := r.block(t, i, buf)
		if err != nil {
			return false, err
		}
		for k := range n {
			p := pairAt(buf, k)
			if p.key >= from && p.key <= to && !yield(p) {
				return false, nil
			}
		}
	}
	return true, nil
}

func pairAt(block []byte, k int) pair {
	return pair{binary.LittleEndian.Uint64(block[k*pairSize:]), binary.LittleEndian.Uint64(block[k*pairSize+8:])}
}

// all gives the pairs of a table in order.
func (r *run) all(which int) source {
	t := r.tables[which]
	buf := make([]byte, blockSize)
	i, k, n := 0, 0, 0
	return func() (pair, bool, error) {
		for k == n {
			if i == len(t.first) {
				return pair{}, false, nil
			}
			var err error
			if n, err = r.block(t, i, buf); err != nil {
				return pair{}, false, err
			}
			i, k = i+1, 0
		}
		k++
		return pairAt(buf, k-1), true, nil
	}
}
