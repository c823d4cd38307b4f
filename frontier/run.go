package frontier

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
	runName    = "run-"
	blockBytes = 8 << 10 // about how large a block grows
	sumBytes   = 4
	indexEntry = 8 + 1 + 8 + 8 + 4
	runEnd     = 4 + 4 + 4 + 8 + 4
)

// run is a run that is open.
type run struct {
	number uint32 // of the file
	stamp  uint32 // when its requests began to be what it holds, see sched.Lane
	count  int    // requests
	size   int64
	blocks []blockStart
	filter filter // of lanes; nil while the run is being filled
	path   string
	file   *os.File // nil: in memory
	mem    []byte
}

// unfinished is the stamp of the run that is being filled: none is newer.
const unfinished = 1<<32 - 1

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

func runFile(number uint32) string { return fileName(runName, uint64(number)) }

// openRun opens a run that a state names.
func openRun(dir *durable.Dir, number uint32, count int, size int64) (*run, error) {
	f, err := dir.OpenFile(runFile(number))
	path := filepath.Join(dir.Path(), runFile(number))
	if errors.Is(err, os.ErrNotExist) {
		return nil, &durable.CorruptError{File: path, Err: err}
	}
	if err != nil {
		return nil, err
	}
	r := &run{number: number, count: count, size: size, path: path, file: f}
	if err := r.load(); err != nil {
		f.Close()
		return nil, err
	}
	return r, nil
}

// load reads end and index.
func (r *run) load() error {
	st, err := r.file.Stat()
	if err != nil {
		return err
	}
	if st.Size() != r.size || r.size < runEnd {
		return r.corrupt(min(st.Size(), r.size), fmt.Errorf("%d bytes, the state says %d", st.Size(), r.size))
	}
	end := make([]byte, runEnd)
	if err := r.readAt(end, r.size-runEnd); err != nil {
		return err
	}
	d := request.Decoder{B: end}
	number, blocks, words, count := uint32(d.Uint32()), int64(d.Uint32()), int64(d.Uint32()), d.Uint64()
	at := r.size - runEnd - 8*words - blocks*indexEntry
	if number != r.number || at < 0 || count != uint64(r.count) {
		return r.corrupt(r.size-runEnd, errors.New("another run than the state names"))
	}
	index := make([]byte, r.size-sumBytes-at)
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
func (r *run) index(d request.Decoder, blocks, end int64) error {
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

func (r *run) corrupt(offset int64, err error) error {
	return &durable.CorruptError{File: r.path, Offset: offset, Err: err}
}

func (r *run) readAt(b []byte, at int64) error {
	if r.file == nil {
		copy(b, r.mem[at:])
		return nil
	}
	_, err := r.file.ReadAt(b, at)
	if errors.Is(err, io.EOF) {
		return r.corrupt(at, errors.New("the file ends too early"))
	}
	if err != nil {
		return fmt.Errorf("read %s: offset %d: %w", r.path, at, err)
	}
	return nil
}

func (r *run) close() error {
	if r == nil || r.file == nil {
		return nil
	}
	return r.file.Close()
}

// reader reads the requests of a run one after the other.
type reader struct {
	request.Stored // the one that was read last
	run            *run
	next           int // block
	buf            []byte
	rest           request.Decoder
}

// seek goes to the first request behind a spot. It says no if there is none.
func (rd *reader) seek(r *run, to request.Spot) (bool, error) {
	n := sort.Search(len(r.blocks), func(i int) bool { return to.Before(r.blocks[i].Spot) })
	rd.run, rd.next, rd.rest = r, max(n-1, 0), request.Decoder{}
	for {
		ok, err := rd.read()
		if !ok || err != nil || to.Before(rd.Spot()) {
			return ok, err
		}
	}
}

// start goes before the first request.
func (rd *reader) start(r *run) { rd.run, rd.next, rd.rest = r, 0, request.Decoder{} }

// read reads the next request. It says no at the end.
func (rd *reader) read() (bool, error) {
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
func (rd *reader) block() error {
	b := rd.run.blocks[rd.next]
	if cap(rd.buf) < int(b.size) {
		rd.buf = make([]byte, max(int(b.size), 2*blockBytes))
	}
	buf := rd.buf[:b.size]
	if err := rd.run.readAt(buf, b.at); err != nil {
		return err
	}
	number := rd.run.number
	if binary.LittleEndian.Uint32(buf) != blockSum(buf[sumBytes:], number, b.at) && rd.run.file != nil {
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
