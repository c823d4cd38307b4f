package middleware

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/zeebo/xxh3"
)

// Disk is a Store in a folder. Each value is a file, named by the SHA-256 of its
// key in a folder of its first two digits:
//
//	check [8]       XXH3 of all that follows, little endian
//	length [4]      of the key, little endian
//	key, value
//
// A file appears whole or not at all to other processes, and what a power cut
// leaves of it is known by its check and taken for nothing: a cache need not be
// durable, so nothing is synced. Two processes may share a folder; each then
// bounds what it has seen itself.
type Disk struct {
	root *os.Root
	mu   sync.Mutex
	used used // by file name
	temp int  // names so far
}

var _ Store = (*Disk)(nil)

const diskHead = 12

// OpenDisk opens a folder of at most so many bytes, and makes it if it is
// absent. It reads the names and sizes of its files, not their content. What was
// not used for longest is deleted first; a value of more than an eighth of it all
// is not kept.
func OpenDisk(dir string, bytes int64) (*Disk, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	d := &Disk{root: root, used: newUsed(bytes)}
	if err := d.scan(); err != nil {
		root.Close()
		return nil, err
	}
	return d, nil
}

// scan takes stock, the files changed last being those used last.
func (d *Disk) scan() error {
	type found struct {
		name string
		size int64
		at   time.Time
	}
	var all []found
	err := fs.WalkDir(d.root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		st, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		switch {
		case err != nil:
			return err
		case isFile(name):
			all = append(all, found{name, st.Size(), st.ModTime()})
		case strings.HasPrefix(path.Base(name), "tmp-") && time.Since(st.ModTime()) > time.Hour:
			d.root.Remove(name) // left by a crash
		}
		return nil
	})
	slices.SortFunc(all, func(a, b found) int { return a.at.Compare(b.at) })
	for _, f := range all {
		d.delete(d.used.set(f.name, f.size, false))
	}
	return err
}

func isFile(name string) bool {
	return len(name) == 2+1+64 && name[2] == '/' && strings.Trim(name[3:], "0123456789abcdef") == ""
}

// Close closes the folder.
func (d *Disk) Close() error { return d.root.Close() }

// Get returns a value. What is damaged is deleted and not there.
func (d *Disk) Get(key string) ([]byte, error) {
	name := fileName(key)
	b, err := d.root.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	of, value, ok := parseFile(b)
	if !ok {
		d.delete(d.used.set(name, 0, true))
		return nil, nil
	}
	if of != key {
		return nil, nil
	}
	d.used.touch(name)
	now := time.Now()
	d.root.Chtimes(name, now, now) // for the next OpenDisk; no matter if it fails
	return value, nil
}

// Put sets a value; nil takes it out.
func (d *Disk) Put(key string, value []byte) error {
	name := fileName(key)
	size := int64(diskHead + len(key) + len(value))
	d.mu.Lock()
	if len(value) == 0 || size > d.used.limit/8 {
		defer d.mu.Unlock()
		d.delete(d.used.set(name, size, true))
		return nil
	}
	d.temp++
	temp := fmt.Sprintf("tmp-%d-%d", os.Getpid(), d.temp)
	d.mu.Unlock()

	if err := d.root.WriteFile(temp, encodeFile(key, value), 0o644); err != nil {
		d.root.Remove(temp)
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := errors.Join(d.folder(name), d.root.Rename(temp, name)); err != nil {
		d.root.Remove(temp)
		return err
	}
	gone := d.used.set(name, size, false)
	d.delete(slices.DeleteFunc(gone, d.used.has)) // its older self was renamed over
	return nil
}

func (d *Disk) folder(name string) error {
	err := d.root.Mkdir(path.Dir(name), 0o755)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

func (d *Disk) delete(names []string) {
	for _, name := range names {
		d.root.Remove(name)
	}
}

func fileName(key string) string {
	sum := sha256.Sum256([]byte(key))
	s := hex.EncodeToString(sum[:])
	return s[:2] + "/" + s
}

func encodeFile(key string, value []byte) []byte {
	b := make([]byte, diskHead, diskHead+len(key)+len(value))
	binary.LittleEndian.PutUint32(b[8:], uint32(len(key)))
	b = append(append(b, key...), value...)
	binary.LittleEndian.PutUint64(b, xxh3.Hash(b[8:]))
	return b
}

func parseFile(b []byte) (key string, value []byte, ok bool) {
	if len(b) < diskHead || binary.LittleEndian.Uint64(b) != xxh3.Hash(b[8:]) {
		return "", nil, false
	}
	n := uint64(binary.LittleEndian.Uint32(b[8:]))
	if n > uint64(len(b)-diskHead) {
		return "", nil, false
	}
	rest := b[diskHead:]
	return string(rest[:n]), rest[n:], true
}
