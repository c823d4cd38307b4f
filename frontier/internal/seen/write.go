package seen

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/webquarry/quarry/internal/durable"
)

// writeBytes is how much is written at once.
const writeBytes = 256 << 10

// writer writes a run from its first byte to its last.
type writer struct {
	run   *run
	file  *durable.File
	out   []byte
	block []uint64 // keys that are not in a block yet
	keys  int
}

// writeRun writes a run with the keys, in ascending order, that each yields. It
// is on the disk then, but for its name.
func writeRun(dir *durable.Dir, number uint32, keys int, each func(add func(key uint64) error) error) (*run, error) {
	w, err := newWriter(dir, number, keys)
	if err != nil {
		return nil, err
	}
	if err := each(w.add); err != nil {
		return nil, errors.Join(err, w.abandon(dir))
	}
	if err := w.finish(dir); err != nil {
		return nil, errors.Join(err, w.abandon(dir))
	}
	return w.run, nil
}

func newWriter(dir *durable.Dir, number uint32, keys int) (*writer, error) {
	f, err := newFilter(keys)
	if err != nil {
		return nil, fmt.Errorf("frontier: seen set: memory for the filter of %d keys: %w", keys, err)
	}
	file, err := dir.Create(runName(number))
	if err != nil {
		return nil, errors.Join(err, f.free())
	}
	r := &run{entry: entry{number: number, keys: keys}, path: file.Path(), filter: f}
	return &writer{run: r, file: file}, nil
}

// abandon removes what was written.
func (w *writer) abandon(dir *durable.Dir) error {
	var err error
	if w.file != nil {
		err = w.file.Close()
	}
	if w.run.file != nil {
		return errors.Join(err, w.run.close(), dir.Remove(runName(w.run.number)))
	}
	return errors.Join(err, w.run.filter.free(), dir.Remove(runName(w.run.number)))
}

func (w *writer) add(key uint64) error {
	if n := len(w.block); n > 0 && !fits(n+1, key-w.block[0]) {
		if err := w.endBlock(); err != nil {
			return err
		}
	}
	w.run.filter.add(key)
	w.block = append(w.block, key)
	w.keys++
	return nil
}

func (w *writer) endBlock() error {
	var b [blockSize]byte
	packBlock(&b, w.block, w.run.number, len(w.run.fences))
	w.run.fences = append(w.run.fences, w.block[0])
	w.block = w.block[:0]
	return w.write(b[:])
}

// write collects what is written until it is much.
func (w *writer) write(b []byte) error {
	w.out = append(w.out, b...)
	if len(w.out) < writeBytes {
		return nil
	}
	return w.flush()
}

func (w *writer) flush() error {
	_, err := w.file.Write(w.out)
	w.run.size += int64(len(w.out))
	w.out = w.out[:0]
	return err
}

// finish writes what comes behind the blocks and opens the run.
func (w *writer) finish(dir *durable.Dir) error {
	if w.keys != w.run.keys {
		return fmt.Errorf("frontier: seen set: %d keys for a run of %d", w.keys, w.run.keys)
	}
	if err := w.endBlock(); err != nil {
		return err
	}
	fences := make([]byte, 0, 8*len(w.run.fences))
	for _, key := range w.run.fences {
		fences = binary.LittleEndian.AppendUint64(fences, key)
	}
	end := footer{number: w.run.number, keys: uint64(w.keys), blocks: uint64(len(w.run.fences))}
	end.sum = crc32.Update(crc32.Checksum(fences, castagnoli), castagnoli, w.run.filter.bits)
	for _, b := range [][]byte{fences, w.run.filter.bits, end.encode()} {
		for len(b) > 0 {
			n := min(len(b), writeBytes)
			if err := w.write(b[:n]); err != nil {
				return err
			}
			b = b[n:]
		}
	}
	return w.seal(dir)
}

func (w *writer) seal(dir *durable.Dir) (err error) {
	if err := w.flush(); err != nil {
		return err
	}
	if err := w.file.Sync(); err != nil {
		return err
	}
	err, w.file = w.file.Close(), nil
	if err != nil {
		return err
	}
	if w.run.file, err = dir.OpenFile(runName(w.run.number)); err != nil {
		return err
	}
	w.run.begin()
	return nil
}
