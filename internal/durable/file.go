package durable

import (
	"io"
	"os"
	"path/filepath"
)

// File is a file that is written. Its methods may be called from many
// goroutines; writes are then in no particular order.
type File struct {
	dir  *Dir
	name string
	f    *os.File
}

// Name returns the file's name in its folder.
func (f *File) Name() string { return f.name }

// Path returns the path of the file.
func (f *File) Path() string { return filepath.Join(f.dir.path, f.name) }

// Write writes at the end of what was written before.
func (f *File) Write(b []byte) (int, error) {
	if err := f.dir.before("write", f.name, len(b)); err != nil {
		n, _ := f.f.Write(b[:allowed(err, len(b))])
		return n, f.dir.fail("write", f.name, err)
	}
	n, err := f.f.Write(b)
	return n, f.dir.fail("write", f.name, err)
}

// Sync returns when all that was written is on the disk.
func (f *File) Sync() error {
	if err := f.dir.before("sync", f.name, 0); err != nil {
		return f.dir.fail("sync", f.name, err)
	}
	return f.dir.fail("sync", f.name, f.f.Sync())
}

// Close closes the file without syncing it.
func (f *File) Close() error { return f.dir.fail("close", f.name, f.f.Close()) }

// Truncate leaves size bytes of the file and goes on writing there.
func (f *File) Truncate(size int64) error {
	st, err := f.f.Stat()
	if err == nil && st.Size() != size {
		if err := f.dir.before("truncate", f.name, int(size)); err != nil {
			return f.dir.fail("truncate", f.name, err)
		}
		err = f.f.Truncate(size)
	}
	if err == nil {
		_, err = f.f.Seek(size, io.SeekStart)
	}
	return f.dir.fail("truncate", f.name, err)
}
