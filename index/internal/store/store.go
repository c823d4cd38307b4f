// Package store is where an index keeps its files: a folder on disk, or
// memory. It knows nothing of what is in them.
//
// Where to look:
//
//	store.go    what a place can do
//	disk.go     a folder on disk
//	memory.go   files in memory
//	spool.go    bytes that are read back once, soon
//	fault.go    what happens when a mapped file cannot be read
package store

import "io"

// Folder holds files that are written once, front to back, and then mapped.
type Folder interface {
	// Create starts a file; what had the name before is gone.
	Create(name string) (File, error)
	// Map returns the bytes of a file. They stay readable when the file is
	// removed, until the mapping is closed.
	Map(name string) (*Mapping, error)
	Remove(name string) error
}

// Catalog is a folder that can publish a file and be locked by one writer.
type Catalog interface {
	// Publish gives a file its content in one step that survives a crash, as
	// do all files that were synced before.
	Publish(name string, content []byte) error
	List() ([]string, error)
	// Exists reports whether there is a file of that name.
	Exists(name string) (bool, error)
	Lock(name string) (io.Closer, error)
}

// Place is where an index is.
type Place interface {
	Folder
	Catalog
	io.Closer
}

// Linker is a place that may take a file of another one without copying it.
type Linker interface {
	Link(from Place, name string) error
}

// File is a file being written.
type File interface {
	io.Writer
	Sync() error
	Close() error
}

// Mapping is the content of a file. Reading it may fault, see [Fault].
type Mapping struct {
	Bytes []byte
	name  string
	all   []byte // that are mapped; nil: none
	unmap func() error
}

// Close gives the bytes back; they must not be read any more.
func (m *Mapping) Close() error {
	if m.unmap == nil {
		return nil
	}
	unregister(m)
	unmap := m.unmap
	m.Bytes, m.all, m.unmap = nil, nil, nil
	return unmap()
}
