package seen

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"runtime/debug"
	"sort"
	"sync/atomic"

	"github.com/edsrzf/mmap-go"

	"github.com/webquarry/quarry/internal/durable"
)

// run is a file of keys in order. Its blocks are mapped, or read when they are needed,
// see Set.mapRuns; either way the system keeps them or drops them. Its filter and
// fences are in memory.
type run struct {
	entry
	epoch   int // see freeze.go
	path    string
	file    *os.File
	blocks  mmap.MMap // the first ones; others are read
	end     [8]byte   // of the mapping
	fences  []uint64  // the first key of each block
	checked []uint64  // a bit for each block, set when it was found to be good
	filter  filter
	leaked  error // why a mapping could not be given up
}

// openRun opens a run that a manifest names.
func openRun(dir *durable.Dir, e entry) (*run, error) {
	file, err := dir.OpenFile(runName(e.number))
	if err != nil {
		return nil, err
	}
	r := &run{entry: e, path: filepath.Join(dir.Path(), runName(e.number)), file: file}
	if err := r.load(); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

// load reads all but the blocks.
func (r *run) load() error {
	st, err := r.file.Stat()
	switch {
	case err != nil:
		return err
	case st.Size() != r.size:
		return r.corrupt(min(r.size, st.Size()), fmt.Errorf("%d bytes, the manifest says %d", st.Size(), r.size))
	case r.size < footerSize:
		return r.corrupt(0, errors.New("shorter than the end of a run"))
	}
	b := make([]byte, footerSize)
	if _, err := r.file.ReadAt(b, r.size-footerSize); err != nil {
		return r.failed(r.size-footerSize, err)
	}
	f, err := decodeFooter(b)
	if errors.Is(err, ErrVersion) {
		return fmt.Errorf("%w: %s", err, r.path)
	}
	if err == nil && (f.number != r.number || f.keys != uint64(r.keys)) {
		err = errors.New("another run than the manifest names")
	}
	if err != nil {
		return r.corrupt(r.size-footerSize, err)
	}
	return r.index(f)
}

// index reads fences and filter.
func (r *run) index(f footer) error {
	rest := uint64(r.size - footerSize)
	if f.blocks == 0 || f.blocks > rest/(blockSize+8) {
		return r.corrupt(r.size-footerSize, errors.New("fewer blocks than it says"))
	}
	at := int64(f.blocks * blockSize)
	rest -= f.blocks * (blockSize + 8)
	if rest == 0 || rest%lineBytes != 0 {
		return r.corrupt(at, errors.New("no filter of whole lines"))
	}
	fences := make([]byte, 8*f.blocks)
	if _, err := r.file.ReadAt(fences, at); err != nil {
		return r.failed(at, err)
	}
	var err error
	if r.filter, err = emptyFilter(rest / lineBytes); err != nil {
		return r.failed(at, err)
	}
	if _, err := r.file.ReadAt(r.filter.bits, at+int64(len(fences))); err != nil {
		return r.failed(at, err)
	}
	if crc32.Update(crc32.Checksum(fences, castagnoli), castagnoli, r.filter.bits) != f.sum {
		return r.corrupt(at, errSum)
	}
	r.fences = make([]uint64, f.blocks)
	for i := range r.fences {
		r.fences[i] = binary.LittleEndian.Uint64(fences[8*i:])
		if i > 0 && r.fences[i] <= r.fences[i-1] {
			return r.corrupt(at+int64(8*i), errOrder)
		}
	}
	r.begin()
	return nil
}

// begin says that no block was looked at.
func (r *run) begin() { r.checked = make([]uint64, (len(r.fences)+63)/64) }

// setMapped maps the first blocks, as many as so many bytes hold, and has the rest
// read. It returns how many bytes are mapped. What cannot be given up is lost to the
// process: Unmap forgets it all the same. All blocks are read then, and close says why.
func (r *run) setMapped(most int) int {
	n := min(most/blockSize, len(r.fences)) * blockSize
	if n == len(r.blocks) {
		return n
	}
	if r.blocks != nil {
		if err := r.blocks.Unmap(); err != nil {
			r.leaked = errors.Join(r.leaked, err)
			return 0
		}
	}
	if n == 0 {
		return 0
	}
	if b, err := mmap.MapRegion(r.file, n, mmap.RDONLY, 0, 0); err == nil {
		if r.blocks = b; !r.readEnd() {
			r.blocks = nil
			r.leaked = errors.Join(r.leaked, b.Unmap())
		}
	}
	return len(r.blocks)
}

// readEnd reads the end of the mapping; false: it cannot be read.
func (r *run) readEnd() (ok bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { ok = recover() == nil }()
	r.end = [8]byte(r.blocks[len(r.blocks)-8:])
	return true
}

// unchanged reports a file that was cut since its blocks were mapped: what is left of
// the last page then reads as zeros, also in blocks that were checked.
func (r *run) unchanged() error {
	if n := len(r.blocks); n > 0 && [8]byte(r.blocks[n-8:]) != r.end {
		return r.corrupt(int64(n-8), errors.New("the file has changed since it was opened"))
	}
	return nil
}

// isMapped says whether a block is mapped.
func (r *run) isMapped(i int) bool { return i < len(r.blocks)/blockSize }

// close gives back what the run holds; nobody may be reading it.
func (r *run) close() error {
	errs := []error{r.leaked}
	if r.blocks != nil {
		errs = append(errs, r.blocks.Unmap())
	}
	if r.filter.bits != nil {
		errs = append(errs, r.filter.free())
	}
	return errors.Join(append(errs, r.file.Close())...)
}

var errOrder = errors.New("keys are not in order")

func (r *run) corrupt(offset int64, err error) error {
	return &durable.CorruptError{File: r.path, Offset: offset, Err: err}
}

// failed is the error of a read. A file that has become shorter is damaged.
func (r *run) failed(offset int64, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF):
		return r.corrupt(offset, errors.New("the file ends too early"))
	}
	return fmt.Errorf("frontier: seen set: read %s: offset %d: %w", r.path, offset, err)
}

// block returns a block that is good, which may be in buf. It is checked the first
// time only.
func (r *run) block(i int, buf *[blockSize]byte) (block, error) {
	b := buf
	if r.isMapped(i) {
		b = (*[blockSize]byte)(r.blocks[i*blockSize:])
	} else if _, err := r.file.ReadAt(b[:], int64(i)*blockSize); err != nil {
		return block{}, r.failed(int64(i)*blockSize, err)
	}
	word, bit := &r.checked[i/64], uint64(1)<<(i%64)
	if atomic.LoadUint64(word)&bit != 0 {
		return block{b}, nil
	}
	if err := r.check(b, i); err != nil {
		return block{}, err
	}
	atomic.OrUint64(word, bit)
	return block{b}, nil
}

func (r *run) check(b *[blockSize]byte, i int) error {
	err := checkBlock(b, r.number, i)
	if err == nil && (block{b}).first() != r.fences[i] {
		err = errors.New("the block does not begin at its fence")
	}
	if err != nil {
		return r.corrupt(int64(i)*blockSize, err)
	}
	return nil
}

// near is how many fences around the likely one are looked at before all are.
const near = 32

// find returns the number of the block where a key would be, and says no for a
// key before all others.
func (r *run) find(key uint64) (int, bool) {
	hi, _ := bits.Mul64(key, uint64(len(r.fences)))
	i := int(hi)
	for range near {
		switch {
		case r.fences[i] > key:
			if i == 0 {
				return 0, false
			}
			i--
		case i+1 < len(r.fences) && r.fences[i+1] <= key:
			i++
		default:
			return i, true
		}
	}
	i = sort.Search(len(r.fences), func(i int) bool { return r.fences[i] > key })
	return i - 1, i > 0
}

// span is how many keys there may be from the first of a block to the next block.
func (r *run) span(i int) uint64 {
	if i+1 < len(r.fences) {
		return r.fences[i+1] - r.fences[i]
	}
	return math.MaxUint64 - r.fences[i]
}

// touch reads the places where a key probably is, and returns something of them;
// see the method of table.
func (r *run) touch(key uint64, i int) byte {
	if !r.isMapped(i) {
		return 0
	}
	const most = blockSize - blockHead - sumSize
	b := (*[blockSize]byte)(r.blocks[i*blockSize:])
	return b[0] + b[blockHead+guess(key-r.fences[i], r.span(i), most)]
}
