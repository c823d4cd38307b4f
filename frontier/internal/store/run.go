package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"sort"

	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/internal/durable"
)

// A run is a file of requests that wait, in the order of hosts, lanes and ranks:
//
//	block    the sum of what follows, of the number of the run and of the place of
//	         the block in the file [4], and requests, see request.Stored
//	...
//	index    for each block: host [8], lane [1], key of the rank [8] and order of
//	         queueing [8] of its first request, and its size [4]
//	filter   words [8], see filter.go
//	end      number of the run [4], blocks [4], words of the filter [4],
//	         requests [8], sum of the index, the filter and of these [4]
//
// Sums are CRC-32C, numbers little-endian. What is in a run never changes; how
// much of it was brought to memory the lanes tell.
const (
	RunName    = "run-"
	blockBytes = 8 << 10 // about how large a block grows
	sumBytes   = 4
	indexEntry = 8 + 1 + 8 + 8 + 4
	runEnd     = 4 + 4 + 4 + 8 + 4
)

// Run is a run that is open.
type Run struct {
	Number uint32 // of the file
	Stamp  uint32 // when its requests began to be what it holds, see sched.Lane
	Count  int    // requests
	Size   int64
	blocks []blockStart
	filter filter // of lanes; nil while the run is being filled
	path   string
	File   *os.File // nil: in memory
	Mem    []byte
}

// Unfinished is the stamp of the run that is being filled: none is newer.
const Unfinished = 1<<32 - 1

// blockStart is where a block is and what it begins with.
type blockStart struct {
	request.Spot
	at   int64
	size uint32
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func blockSum(b []byte, number uint32, at int64) uint32 {
	var place [12]byte
	binary.LittleEndian.PutUint32(place[:], number)
	binary.LittleEndian.PutUint64(place[4:], uint64(at))
	return crc32.Update(crc32.Checksum(place[:], castagnoli), castagnoli, b)
}

// RunFile is the name of the file of a run.
func RunFile(number uint32) string { return fmt.Sprintf("%s%06d", RunName, number) }

// OpenRun opens a run that a state names.
func OpenRun(dir *durable.Dir, number uint32, count int, size int64) (*Run, error) {
	f, err := dir.OpenFile(RunFile(number))
	path := filepath.Join(dir.Path(), RunFile(number))
	if errors.Is(err, os.ErrNotExist) {
		return nil, &durable.CorruptError{File: path, Err: err}
	}
	if err != nil {
		return nil, err
	}
	r := &Run{Number: number, Count: count, Size: size, path: path, File: f}
	if err := r.load(); err != nil {
		f.Close()
		return nil, err
	}
	return r, nil
}

// load reads end and index.
func (r *Run) load() error {
	st, err := r.File.Stat()
	if err != nil {
		return err
	}
	if st.Size() != r.Size || r.Size < runEnd {
		return r.corrupt(min(st.Size(), r.Size), fmt.Errorf("%d bytes, the state says %d", st.Size(), r.Size))
	}
	end := make([]byte, runEnd)
	if err := r.readAt(end, r.Size-runEnd); err != nil {
		return err
	}
	d := request.Decoder{B: end}
	number, blocks, words, count := uint32(d.Uint32()), int64(d.Uint32()), int64(d.Uint32()), d.Uint64()
	at := r.Size - runEnd - 8*words - blocks*indexEntry
	if number != r.Number || at < 0 || count != uint64(r.Count) {
		return r.corrupt(r.Size-runEnd, errors.New("another run than the state names"))
	}
	index := make([]byte, r.Size-sumBytes-at)
	if err := r.readAt(index, at); err != nil {
		return err
	}
	if crc32.Checksum(index, castagnoli) != d.Uint32() {
		return r.corrupt(at, errSum)
	}
	r.filter = make(filter, words)
	d = request.Decoder{B: index[blocks*indexEntry:]}
	for i := range r.filter {
		r.filter[i] = d.Uint64()
	}
	return r.index(request.Decoder{B: index}, blocks, at)
}

var errSum = errors.New("the sum is wrong")

// index reads the starts of the blocks, which end at some offset.
func (r *Run) index(d request.Decoder, blocks, end int64) error {
	r.blocks = make([]blockStart, blocks)
	at := int64(0)
	for i := range r.blocks {
		b := blockStart{Spot: request.Spot{Host: d.Uint64(), Lane: d.Byte(), Rank: request.Rank{Key: d.Uint64(), Seq: d.Uint64()}}, at: at, size: d.Uint32()}
		if i > 0 && !r.blocks[i-1].Before(b.Spot) || b.size < sumBytes {
			return r.corrupt(end+int64(i*indexEntry), errors.New("the index is not in order"))
		}
		r.blocks[i] = b
		at += int64(b.size)
	}
	if at != end {
		return r.corrupt(end, errors.New("the blocks do not end where the index begins"))
	}
	return nil
}

func (r *Run) corrupt(offset int64, err error) error {
	return &durable.CorruptError{File: r.path, Offset: offset, Err: err}
}

func (r *Run) readAt(b []byte, at int64) error {
	if r.File == nil {
		copy(b, r.Mem[at:])
		return nil
	}
	_, err := r.File.ReadAt(b, at)
	if errors.Is(err, io.EOF) {
		return r.corrupt(at, errors.New("the file ends too early"))
	}
	if err != nil {
		return fmt.Errorf("read %s: offset %d: %w", r.path, at, err)
	}
	return nil
}

// Close closes the file of a run.
func (r *Run) Close() error {
	if r == nil || r.File == nil {
		return nil
	}
	return r.File.Close()
}

// Reader reads the requests of a run one after the other.
type Reader struct {
	request.Stored // the one that was read last
	run            *Run
	next           int // block
	buf            []byte
	rest           request.Decoder
}

// seek goes to the first request behind a spot. It says no if there is none.
func (rd *Reader) seek(r *Run, to request.Spot) (bool, error) {
	n := sort.Search(len(r.blocks), func(i int) bool { return to.Before(r.blocks[i].Spot) })
	rd.run, rd.next, rd.rest = r, max(n-1, 0), request.Decoder{}
	for {
		ok, err := rd.Read()
		if !ok || err != nil || to.Before(rd.Spot()) {
			return ok, err
		}
	}
}

// Start goes before the first request.
func (rd *Reader) Start(r *Run) { rd.run, rd.next, rd.rest = r, 0, request.Decoder{} }

// Read reads the next request. It says no at the end.
func (rd *Reader) Read() (bool, error) {
	if len(rd.rest.B) == 0 {
		if rd.next == len(rd.run.blocks) {
			return false, nil
		}
		if err := rd.block(); err != nil {
			return false, err
		}
	}
	rd.rest.Stored(&rd.Stored)
	if rd.rest.Bad {
		return false, rd.run.corrupt(rd.run.blocks[rd.next-1].at, request.ErrRecord)
	}
	return true, nil
}

// block begins the next block.
func (rd *Reader) block() error {
	b := rd.run.blocks[rd.next]
	if cap(rd.buf) < int(b.size) {
		rd.buf = make([]byte, max(int(b.size), 2*blockBytes))
	}
	buf := rd.buf[:b.size]
	if err := rd.run.readAt(buf, b.at); err != nil {
		return err
	}
	number := rd.run.Number
	if binary.LittleEndian.Uint32(buf) != blockSum(buf[sumBytes:], number, b.at) && rd.run.File != nil {
		return rd.run.corrupt(b.at, errSum)
	}
	rd.next++
	rd.Reset()
	rd.rest = request.Decoder{B: buf[sumBytes:]}
	if len(rd.rest.B) == 0 {
		return rd.run.corrupt(b.at, request.ErrRecord)
	}
	return nil
}
