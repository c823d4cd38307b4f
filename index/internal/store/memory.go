package store

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"sync"

	"github.com/webquarry/quarry/internal/durable"
)

// Memory keeps files in memory.
type Memory struct {
	mu     sync.Mutex
	files  map[string][]byte
	locked bool
}

// NewMemory returns an empty place.
func NewMemory() *Memory { return &Memory{files: map[string][]byte{}} }

// Create implements [Folder].
func (m *Memory) Create(name string) (File, error) {
	return &memoryFile{in: m, name: name}, nil
}

// Map implements [Folder].
func (m *Memory) Map(name string) (*Mapping, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, ok := m.files[name]
	if !ok {
		return nil, fmt.Errorf("open %s: %w", name, fs.ErrNotExist)
	}
	return &Mapping{Bytes: b}, nil
}

// Remove implements [Folder].
func (m *Memory) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.files, name)
	return nil
}

// Publish implements [Catalog].
func (m *Memory) Publish(name string, content []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files[name] = content
	return nil
}

// Exists implements [Catalog].
func (m *Memory) Exists(name string) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.files[name]
	return ok, nil
}

// List implements [Catalog].
func (m *Memory) List() ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.files)), nil
}

// Lock implements [Catalog].
func (m *Memory) Lock(name string) (io.Closer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.locked {
		return nil, &durable.LockedError{Path: name, Holder: "this process"}
	}
	m.locked = true
	return (*memoryLock)(m), nil
}

// Close implements [Place].
func (m *Memory) Close() error { return nil }

type memoryLock Memory

func (l *memoryLock) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.locked = false
	return nil
}

// memoryFile is a file being written; it appears when it is closed.
type memoryFile struct {
	in   *Memory
	name string
	data []byte
}

func (f *memoryFile) Write(b []byte) (int, error) {
	f.data = append(f.data, b...)
	return len(b), nil
}

func (f *memoryFile) Sync() error { return nil }

func (f *memoryFile) Close() error {
	f.in.mu.Lock()
	defer f.in.mu.Unlock()
	f.in.files[f.name] = f.data
	return nil
}
