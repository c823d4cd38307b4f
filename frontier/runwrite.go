package frontier

import (
	"encoding/binary"
	"errors"
	"hash/crc32"

	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/internal/durable"
)

// writeBytes is how much of a run is written at once.
const writeBytes = 256 << 10

// runWriter fills a run, which can be read up to the last block that has ended.
// Blocks stay in memory until they are flushed.
type runWriter struct {
	run   *run
	block []byte
	first request.Spot
	last  request.Stored
	keys  []uint64 // of lanes, for the filter
	limit int      // of a block
	done  int64    // bytes that have left memory
	file  *durable.File
}

func newRunWriter(limit int) *runWriter {
	return &runWriter{run: &run{}, limit: limit}
}

// add adds a request, which is behind all that were added.
func (w *runWriter) add(x *request.Stored) {
	if len(w.block) == 0 {
		w.block = append(w.block, make([]byte, sumBytes)...)
		w.first = x.Spot()
		w.last.Reset()
	}
	if key := filterKey(x.Host, x.Lane); len(w.keys) == 0 || w.keys[len(w.keys)-1] != key {
		w.keys = append(w.keys, key)
	}
	w.block = request.AppendStored(w.block, x, &w.last)
	w.run.count++
	if len(w.block) >= w.limit {
		w.endBlock()
	}
}

// take adds blocks that another writer made to be behind those of this one.
func (w *runWriter) take(o *runWriter) {
	r := w.run
	w.keys = append(w.keys, o.keys...)
	r.blocks = append(r.blocks, o.run.blocks...)
	r.mem = append(r.mem, o.run.mem...)
	r.size = o.run.size
	r.count += o.run.count
}

func (w *runWriter) endBlock() {
	if len(w.block) == 0 {
		return
	}
	r := w.run
	binary.LittleEndian.PutUint32(w.block, blockSum(w.block[sumBytes:], r.number, r.size))
	r.blocks = append(r.blocks, blockStart{w.first, r.size, uint32(len(w.block))})
	r.mem = append(r.mem, w.block...)
	r.size += int64(len(w.block))
	w.block = w.block[:0]
}

// create begins the file of the run.
func (w *runWriter) create(dir *durable.Dir) (err error) {
	w.file, err = dir.Create(runFile(w.run.number))
	return err
}

// flush writes what is in memory and, if nobody reads the run, drops it.
func (w *runWriter) flush(drop bool) error {
	b := w.run.mem[w.done-(w.run.size-int64(len(w.run.mem))):]
	for len(b) > 0 {
		n := min(len(b), writeBytes)
		if _, err := w.file.Write(b[:n]); err != nil {
			return err
		}
		b = b[n:]
	}
	w.done = w.run.size
	if drop {
		w.run.mem = w.run.mem[:0]
	}
	return nil
}

// finish writes what is left and syncs the file. It returns the run as it is read
// from the file.
func (w *runWriter) finish(dir *durable.Dir) (*run, error) {
	w.endBlock()
	r := w.run
	if err := w.flush(false); err != nil {
		return nil, errors.Join(err, w.file.Close())
	}
	f := newFilter(w.keys)
	b := make([]byte, 0, len(r.blocks)*indexEntry+8*len(f)+runEnd)
	for _, s := range r.blocks {
		b = append(binary.LittleEndian.AppendUint64(b, s.Host), s.Lane)
		b = binary.LittleEndian.AppendUint64(b, s.Key)
		b = binary.LittleEndian.AppendUint64(b, s.Seq)
		b = binary.LittleEndian.AppendUint32(b, s.size)
	}
	b = f.append(b)
	b = binary.LittleEndian.AppendUint32(b, r.number)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(r.blocks)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(f)))
	b = binary.LittleEndian.AppendUint64(b, uint64(r.count))
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	_, err := w.file.Write(b)
	if err == nil {
		err = w.file.Sync()
	}
	if err := errors.Join(err, w.file.Close()); err != nil {
		return nil, err
	}
	return openRun(dir, r.number, r.count, r.size+int64(len(b)))
}
