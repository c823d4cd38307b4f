package store

import (
	"encoding/binary"
	"errors"
	"hash/crc32"

	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/internal/durable"
)

// WriteBytes is how much of a run is written at once.
const WriteBytes = 256 << 10

// Writer fills a run, which can be read up to the last block that has ended.
// Blocks stay in memory until they are flushed.
type Writer struct {
	Run   *Run
	block []byte
	first request.Spot
	last  request.Stored
	keys  []uint64 // of lanes, for the filter
	Limit int      // of a block
	done  int64    // bytes that have left memory
	File  *durable.File
}

// NewWriter begins a run with blocks of about so many bytes.
func NewWriter(limit int) *Writer {
	return &Writer{Run: &Run{}, Limit: limit}
}

// Add adds a request, which is behind all that were added.
func (w *Writer) Add(x *request.Stored) {
	if len(w.block) == 0 {
		w.block = append(w.block, make([]byte, sumBytes)...)
		w.first = x.Spot()
		w.last.Reset()
	}
	if key := filterKey(x.Host, x.Lane); len(w.keys) == 0 || w.keys[len(w.keys)-1] != key {
		w.keys = append(w.keys, key)
	}
	w.block = request.AppendStored(w.block, x, &w.last)
	w.Run.Count++
	if len(w.block) >= w.Limit {
		w.EndBlock()
	}
}

// Take adds blocks that another writer made to be behind those of this one.
func (w *Writer) Take(o *Writer) {
	r := w.Run
	w.keys = append(w.keys, o.keys...)
	r.blocks = append(r.blocks, o.Run.blocks...)
	r.Mem = append(r.Mem, o.Run.Mem...)
	r.Size = o.Run.Size
	r.Count += o.Run.Count
}

// EndBlock ends a block that has something in it.
func (w *Writer) EndBlock() {
	if len(w.block) == 0 {
		return
	}
	r := w.Run
	binary.LittleEndian.PutUint32(w.block, blockSum(w.block[sumBytes:], r.Number, r.Size))
	r.blocks = append(r.blocks, blockStart{w.first, r.Size, uint32(len(w.block))})
	r.Mem = append(r.Mem, w.block...)
	r.Size += int64(len(w.block))
	w.block = w.block[:0]
}

// Create begins the file of the run.
func (w *Writer) Create(dir *durable.Dir) (err error) {
	w.File, err = dir.Create(RunFile(w.Run.Number))
	return err
}

// Flush writes what is in memory and, if nobody reads the run, drops it.
func (w *Writer) Flush(drop bool) error {
	b := w.Run.Mem[w.done-(w.Run.Size-int64(len(w.Run.Mem))):]
	for len(b) > 0 {
		n := min(len(b), WriteBytes)
		if _, err := w.File.Write(b[:n]); err != nil {
			return err
		}
		b = b[n:]
	}
	w.done = w.Run.Size
	if drop {
		w.Run.Mem = w.Run.Mem[:0]
	}
	return nil
}

// Finish writes what is left and syncs the file. It returns the run as it is read
// from the file.
func (w *Writer) Finish(dir *durable.Dir) (*Run, error) {
	w.EndBlock()
	r := w.Run
	if err := w.Flush(false); err != nil {
		return nil, errors.Join(err, w.File.Close())
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
	b = binary.LittleEndian.AppendUint32(b, r.Number)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(r.blocks)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(f)))
	b = binary.LittleEndian.AppendUint64(b, uint64(r.Count))
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	_, err := w.File.Write(b)
	if err == nil {
		err = w.File.Sync()
	}
	if err := errors.Join(err, w.File.Close()); err != nil {
		return nil, err
	}
	return OpenRun(dir, r.Number, r.Count, r.Size+int64(len(b)))
}
