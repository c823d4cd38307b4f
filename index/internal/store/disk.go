package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/edsrzf/mmap-go"

	"github.com/webquarry/quarry/internal/durable"
)

// Disk is a folder on disk.
type Disk struct{ dir *durable.Dir }

// OpenDisk opens a folder, and creates it when it is absent.
func OpenDisk(path string, hooks ...durable.Hook) (*Disk, error) {
	dir, err := durable.Open(path, hooks...)
	if err != nil {
		return nil, err
	}
	return &Disk{dir}, nil
}

// Create implements [Folder].
func (d *Disk) Create(name string) (File, error) {
	f, err := d.dir.Create(name)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Map implements [Folder].
func (d *Disk) Map(name string) (*Mapping, error) { return d.mapFile(name, mmap.RDONLY) }

// MapPrivate returns the bytes of a file, which may be changed: nobody else, and not
// the file, sees that.
func (d *Disk) MapPrivate(name string) (*Mapping, error) { return d.mapFile(name, mmap.COPY) }

// Read returns the bytes of a file, which may be changed, in memory: zeros where they
// cannot be read.
func (d *Disk) Read(name string) (*Mapping, error) {
	f, err := d.dir.OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	const step = 4 << 10 // as much as is lost with a byte that cannot be read
	b := make([]byte, st.Size())
	for at := 0; at < len(b); at += step {
		some := b[at:min(at+step, len(b))]
		if n, err := f.ReadAt(some, int64(at)); err != nil {
			clear(some[n:])
		}
	}
	return &Mapping{Bytes: b}, nil
}

func (d *Disk) mapFile(name string, mode int) (*Mapping, error) {
	f, err := d.dir.OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "map", Path: name, Err: fmt.Errorf("not a regular file: %w", fs.ErrNotExist)}
	}
	if st.Size() == 0 {
		return &Mapping{}, nil
	}
	b, err := mmap.Map(f, mode, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "map", Path: name, Err: err}
	}
	m := &Mapping{Bytes: b, name: name, all: b, unmap: b.Unmap}
	register(m)
	return m, nil
}

// Link implements [Linker].
func (d *Disk) Link(from Place, name string) error {
	of, ok := from.(*Disk)
	if !ok {
		return errors.ErrUnsupported
	}
	return d.dir.Link(of.dir, name)
}

// Remove implements [Folder].
func (d *Disk) Remove(name string) error { return d.dir.Remove(name) }

// Publish implements [Catalog].
func (d *Disk) Publish(name string, content []byte) error {
	// The files that content names must not be lost when it is not.
	if err := d.dir.Sync(); err != nil {
		return err
	}
	return d.dir.Replace(name, content)
}

// Exists implements [Catalog].
func (d *Disk) Exists(name string) (bool, error) { return d.dir.Exists(name) }

// List implements [Catalog].
func (d *Disk) List() ([]string, error) { return d.dir.List() }

// Lock implements [Catalog].
func (d *Disk) Lock(name string) (io.Closer, error) {
	l, err := d.dir.Lock(name)
	if err != nil {
		return nil, err
	}
	return unlocker{l}, nil
}

// Close implements [Place].
func (d *Disk) Close() error { return d.dir.Close() }

type unlocker struct{ lock *durable.Lock }

func (u unlocker) Close() error { return u.lock.Unlock() }
