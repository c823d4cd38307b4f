package seen

import (
	"errors"
	"fmt"
	"slices"
)

// readBlocks is how many blocks of a run are read at once.
const readBlocks = 256

// cursor reads a run from its first key to its last.
type cursor struct {
	run  *run
	buf  []byte // room for readBlocks
	left []byte // of buf, what is not in keys yet
	next int    // the block at the start of left
	keys []uint64
	at   int
	read int // keys so far
}

// more reads the next block and says no at the end.
func (c *cursor) more() (bool, error) {
	blocks := len(c.run.fences)
	if c.next == blocks {
		if c.read != c.run.keys {
			return false, c.run.corrupt(int64(blocks)*blockSize, fmt.Errorf("%d keys, the manifest says %d", c.read, c.run.keys))
		}
		return false, nil
	}
	if len(c.left) == 0 {
		c.left = c.buf[:min(readBlocks, blocks-c.next)*blockSize]
		offset := int64(c.next) * blockSize
		if _, err := c.run.file.ReadAt(c.left, offset); err != nil {
			return false, c.run.failed(offset, err)
		}
	}
	b := (*[blockSize]byte)(c.left)
	if err := c.run.check(b, c.next); err != nil {
		return false, err
	}
	keys, ok := block{b}.keys(c.keys[:0])
	if !ok || c.next+1 < blocks && keys[len(keys)-1] >= c.run.fences[c.next+1] {
		return false, c.run.corrupt(int64(c.next)*blockSize, errOrder)
	}
	c.keys, c.at = keys, 0
	c.read += len(keys)
	c.left = c.left[blockSize:]
	c.next++
	return true, nil
}

// eachKey calls do for the keys of all runs in order, until it fails or one that
// cannot be is met. Between blocks it asks whether to go on.
func eachKey(runs []*run, goOn func() error, do func(key uint64) error) error {
	cursors := make([]*cursor, len(runs))
	for i, r := range runs {
		cursors[i] = &cursor{run: r, buf: make([]byte, readBlocks*blockSize)}
		if _, err := cursors[i].more(); err != nil {
			return err
		}
	}
	var last uint64
	for first := true; len(cursors) > 0; first = false {
		i, key := least(cursors)
		c := cursors[i]
		if !first && key == last {
			return c.run.corrupt(int64(c.next-1)*blockSize, errTwice)
		}
		if err := do(key); err != nil {
			return err
		}
		last = key
		if c.at++; c.at < len(c.keys) {
			continue
		}
		if err := goOn(); err != nil {
			return err
		}
		if ok, err := c.more(); err != nil {
			return err
		} else if !ok {
			cursors = slices.Delete(cursors, i, i+1)
		}
	}
	return nil
}

var errTwice = errors.New("a key is in another run too")

// least finds the cursor with the least key.
func least(cursors []*cursor) (int, uint64) {
	at, key := 0, cursors[0].keys[cursors[0].at]
	for i, c := range cursors[1:] {
		if x := c.keys[c.at]; x < key {
			at, key = i+1, x
		}
	}
	return at, key
}
