package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
)

// ledger is all that was ever seen, in a file that only grows: one sighting a
// line, as JSON. It is the truth of this program; products and index are made of
// it. What is written counts when sync has returned. A last line without an end
// is of a write that a crash broke off, and is cut off when writing goes on.
type ledger struct {
	mu   sync.Mutex
	file *os.File // nil: in memory, nothing is kept
	out  *bufio.Writer
}

// readLedger hands over the sightings in a file, oldest first. A file that is
// not there has none.
func readLedger(name string, take func(sighting)) (size int64, err error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	} else if err != nil {
		return 0, err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 64<<10)
	for number := 1; ; number++ {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			return size, nil // what is after the last line break does not count
		} else if err != nil {
			return 0, err
		}
		size += int64(len(line))
		var s sighting
		if err := json.Unmarshal(bytes.TrimSpace(line), &s); err != nil {
			return 0, fmt.Errorf("%s: line %d: %w", name, number, err)
		}
		if s.Shop == "" || s.URL == "" {
			return 0, fmt.Errorf("%s: line %d: no shop or no URL", name, number)
		}
		take(s)
	}
}

// openLedger opens a file for writing at its end, that is after size bytes.
func openLedger(name string, size int64) (*ledger, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	if err := f.Truncate(size); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if _, err := f.Seek(size, io.SeekStart); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &ledger{file: f, out: bufio.NewWriter(f)}, nil
}

func (l *ledger) add(s sighting) error {
	if l.file == nil {
		return nil
	}
	line, err := json.Marshal(s)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err = l.out.Write(append(line, '\n'))
	return err
}

func (l *ledger) sync() error {
	if l.file == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.out.Flush(); err != nil {
		return err
	}
	return l.file.Sync()
}

func (l *ledger) close() error {
	if l.file == nil {
		return nil
	}
	return errors.Join(l.sync(), l.file.Close())
}
