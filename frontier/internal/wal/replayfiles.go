package wal

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"path/filepath"

	"github.com/webquarry/quarry/frontier/internal/sched"
	"github.com/webquarry/quarry/internal/durable"
)

// Read applies a file that is complete.
func (r *Replay) Read(dir *durable.Dir, kind string, generation uint64) error {
	r.begin(generation)
	name := FileName(kind, generation)
	if err := durable.ReadLog(dir, name, r.record); err != nil {
		return err
	}
	if !r.headed || r.ended != (kind == StateName) {
		return &durable.CorruptError{File: filepath.Join(dir.Path(), name), Err: errors.New("the file ends too early")}
	}
	return nil
}

// Open applies the log that will be written on, and begins it if it is new: then head is
// its first record. It counts the records.
func (r *Replay) Open(dir *durable.Dir, generation uint64) (log *durable.Log, records int, head []byte, err error) {
	r.begin(generation)
	log, err = durable.OpenLog(dir, FileName(LogName, generation), func(rec []byte) error {
		records++
		return r.record(rec)
	})
	if err != nil {
		return nil, 0, nil, err
	}
	if r.Sched == nil {
		r.Sched = sched.New(r.Limits, cmp.Or(r.Seed, rand.Uint64()))
	}
	err = r.Flush()
	if err == nil && !r.headed {
		head, err = Begin(log, r.Sched.Seed, generation)
	}
	if err != nil {
		log.Close()
		return nil, 0, nil, err
	}
	return log, records, head, nil
}

// Begin writes the head of a file and returns it.
func Begin(log *durable.Log, seed, generation uint64) ([]byte, error) {
	var e Entries
	e.head(seed, generation)
	return e.B, errors.Join(log.Append(e.B), log.Sync())
}

// ErrVersion says that a file was written by another version.
var ErrVersion = errors.New("frontier: written by another version of this program")
