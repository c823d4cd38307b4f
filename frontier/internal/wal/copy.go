package wal

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/webquarry/quarry/internal/durable"
)

// Copy is where the records of a log go besides the log itself.
type Copy struct {
	Generation uint64           // of the log that is being written
	Records    int              // of it, its head included
	Prior      int              // records of the log before, if that is known
	Send       func(Part) error // nil: nowhere
}

// Part is records of a log that were written one after the other.
type Part struct {
	Generation uint64
	First      int // how many records of the log were before
	Prior      int // if there were none: records of the log of the generation before; 0: there was none
	Records    [][]byte
}

// send sends records that were written behind the others.
func (c *Copy) send(recs ...[]byte) error {
	p := Part{Generation: c.Generation, First: c.Records, Records: recs}
	c.Records += len(recs)
	if c.Send == nil || len(recs) == 0 {
		return nil
	}
	if p.First == 0 {
		p.Prior = c.Prior
	}
	return c.Send(p)
}

// Continue appends records that were copied to the logs of a folder that nobody has open.
// Records that are there are passed over.
type Continue struct {
	Dir        *durable.Dir
	Generation uint64 // of the last log; 0: there is none
	records    int
	log        *durable.Log // nil: it was not needed yet
}

// ErrGap says that records are missing before those that were to be appended.
var ErrGap = errors.New("records are missing before it")

// Append appends a part, which must be the next, or one that is there.
func (c *Continue) Append(p Part) error {
	if p.Generation < c.Generation {
		return nil
	}
	if err := c.open(); err != nil {
		return err
	}
	if p.Generation == c.Generation+1 && p.First == 0 && p.Prior == c.records {
		if err := c.next(p.Generation); err != nil {
			return err
		}
	}
	if p.Generation != c.Generation || p.First > c.records || p.First < 0 {
		name := filepath.Join(c.Dir.Path(), FileName(LogName, p.Generation))
		return &durable.CorruptError{File: name, Err: fmt.Errorf("record %d: %w", p.First, ErrGap)}
	}
	recs := p.Records[min(c.records-p.First, len(p.Records)):]
	if len(recs) == 0 {
		return nil
	}
	c.records += len(recs)
	return c.log.Append(recs...)
}

// open opens the last log and counts its records.
func (c *Continue) open() error {
	if c.log != nil || c.Generation == 0 {
		return nil
	}
	log, err := durable.OpenLog(c.Dir, FileName(LogName, c.Generation), func([]byte) error {
		c.records++
		return nil
	})
	c.log = log
	return err
}

// next ends the last log and begins another.
func (c *Continue) next(generation uint64) error {
	if err := c.Close(); err != nil {
		return err
	}
	c.Generation, c.records = generation, 0
	return c.open()
}

// Close syncs and closes the last log.
func (c *Continue) Close() error {
	if c.log == nil {
		return nil
	}
	log := c.log
	c.log = nil
	return log.Close()
}
