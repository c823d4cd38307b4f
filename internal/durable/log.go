package durable

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// keepBuffer is the largest buffer that is kept between two calls of Append.
const keepBuffer = 1 << 20

// Log is a file of records that only grows. All methods may be called from many
// goroutines.
//
// After an operation has failed in a way that leaves the file's content
// unknown, such as a failed sync, every further Append and Sync returns that
// error; opening the log again finds all that was synced.
type Log struct {
	file *File
	salt uint64

	mu     sync.Mutex // guards what follows
	size   int64
	synced int64 // this much is on the disk
	marked bool  // the last frame is a mark, so that Close need not leave one
	failed error
	closed bool
	buf    []byte

	syncing sync.Mutex // held while the file is being synced; taken before mu
}

// OpenLog opens a log, creates it when it is absent, and calls replay for each
// of its records in order; the record is valid during the call only. A torn
// tail is cut off, damage before it is a *[CorruptError]. An error of replay is
// returned as it is, but a *[CorruptError] without a File is told the file and
// offset of the record. What was replayed is on the disk when OpenLog returns.
func OpenLog(d *Dir, name string, replay func(rec []byte) error) (*Log, error) {
	f, err := d.open("open", name, os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		var salt [8]byte
		rand.Read(salt[:])
		if err := d.Replace(name, appendHeader(nil, binary.LittleEndian.Uint64(salt[:]))); err != nil {
			return nil, err
		}
		f, err = d.open("open", name, os.O_RDWR)
	}
	if err != nil {
		return nil, err
	}
	l := &Log{file: f}
	if err := l.recover(replay); err != nil {
		f.Close()
		return nil, err
	}
	return l, nil
}

// ReadLog calls replay for each record of a log that was closed, as OpenLog
// does, and changes nothing. A log that does not end as Close leaves it is a
// *[CorruptError].
func ReadLog(d *Dir, name string, replay func(rec []byte) error) error {
	f, err := d.OpenFile(name)
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return d.fail("read", name, err)
	}
	found, err := scanLog(f, st.Size(), replay)
	if err == nil && (found.end < st.Size() || !found.marked) {
		err = &CorruptError{Offset: found.end, Err: errors.New("the log ends too early")}
	}
	return located(err, filepath.Join(d.path, name), found.end)
}

// located tells damage that was found in a log at offset where it is. So replay
// may return a *[CorruptError] that says no more than what is wrong.
func located(err error, path string, offset int64) error {
	if ce, ok := errors.AsType[*CorruptError](err); ok && ce.File == "" {
		ce.File = path
		ce.Offset = max(ce.Offset, offset)
	}
	return err
}

// recover replays the file and cuts its torn tail.
func (l *Log) recover(replay func(rec []byte) error) error {
	st, err := l.file.f.Stat()
	if err != nil {
		return err
	}
	found, err := scanLog(l.file.f, st.Size(), replay)
	l.salt, l.size, l.marked = found.salt, found.end, found.marked
	if err != nil {
		return located(err, l.file.Path(), l.size)
	}
	if err := l.file.Truncate(l.size); err != nil {
		return err
	}
	if err := l.file.Sync(); err != nil {
		return err
	}
	l.synced = l.size
	return nil
}

// Append writes records at the end with a single write. They survive the death
// of this process at once, and that of the machine after the next Sync. When
// Append fails none of them is in the log.
func (l *Log) Append(recs ...[]byte) error {
	for _, rec := range recs {
		if len(rec) == 0 || len(rec) > MaxRecord {
			return fmt.Errorf("durable: append to %s: record of %d bytes, want 1 to %d", l.file.Path(), len(rec), MaxRecord)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.append(recs)
}

func (l *Log) append(recs [][]byte) error {
	if err := l.usable(); err != nil {
		return err
	}
	b := l.buf[:0]
	for _, rec := range recs {
		b = appendFrame(b, l.salt, l.size+int64(len(b)), l.synced, rec)
	}
	if cap(b) <= keepBuffer {
		l.buf = b
	}
	if _, err := l.file.Write(b); err != nil {
		// Part of a frame may be there; whatever came behind it would be taken
		// for a torn tail.
		if terr := l.file.Truncate(l.size); terr != nil {
			l.failed = terr
		}
		return err
	}
	l.size += int64(len(b))
	l.marked = false
	return nil
}

// Sync returns when all that was appended before it was called is on the disk.
// Callers that come while the disk is busy share the next sync.
func (l *Log) Sync() error {
	l.mu.Lock()
	want := l.size
	l.mu.Unlock()
	l.syncing.Lock()
	defer l.syncing.Unlock()
	l.mu.Lock()
	err, size, synced := l.usable(), l.size, l.synced
	l.mu.Unlock()
	switch {
	case synced >= want: // by another call, or by Close
		return nil
	case err != nil:
		return err
	}
	err = l.file.Sync()
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		// The system may have dropped what it could not write, so that a second
		// sync would succeed without it.
		l.failed = err
		return err
	}
	l.synced = size
	return nil
}

// Size returns the length of the file in bytes.
func (l *Log) Size() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.size
}

// Close syncs the log and closes its file, which it does also when it fails.
func (l *Log) Close() error {
	err := l.Sync()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	if err == nil && !l.marked && l.synced == l.size {
		err = l.append([][]byte{nil})
		if err == nil {
			err = l.file.Sync()
		}
		if err == nil {
			l.synced, l.marked = l.size, true
		}
	}
	l.closed = true
	return errors.Join(err, l.file.Close())
}

func (l *Log) usable() error {
	if l.closed {
		return fmt.Errorf("durable: %s: %w", l.file.Path(), fs.ErrClosed)
	}
	return l.failed
}
