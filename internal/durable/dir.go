package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// temporary ends the names of files that are not finished yet. What a crash
// leaves of them is overwritten by the next attempt.
const temporary = ".tmp"

// Dir is a folder. Names that lead out of it, also by symbolic links, are
// refused. Its methods may be called from many goroutines, but two writers of
// one name must be kept apart by the caller, as [Dir.Lock] does for processes.
type Dir struct {
	path  string
	root  *os.Root
	names *lookup
	hooks []Hook
}

// Open opens a folder and creates it when it is absent.
func Open(path string, hook ...Hook) (*Dir, error) {
	d := &Dir{path: path, hooks: hook}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := d.before("create", ".", 0); err != nil {
			return nil, opError("create", path, err)
		}
		if err := os.MkdirAll(path, 0o755); err != nil {
			return nil, opError("create", path, err)
		}
		if err := syncFolder(filepath.Dir(path), os.Open); err != nil {
			return nil, opError("syncdir", filepath.Dir(path), err)
		}
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, opError("open", path, err)
	}
	d.root = root
	if d.names, err = newLookup(root); err != nil {
		return nil, errors.Join(opError("open", path, err), root.Close())
	}
	return d, nil
}

// Path returns the path that the folder was opened with.
func (d *Dir) Path() string { return d.path }

// Close closes the folder; files opened from it stay open.
func (d *Dir) Close() error { return errors.Join(d.names.close(), d.root.Close()) }

// ReadFile reads a whole file.
func (d *Dir) ReadFile(name string) ([]byte, error) {
	if err := d.before("read", name, 0); err != nil {
		return nil, d.fail("read", name, err)
	}
	b, err := d.root.ReadFile(name)
	return b, d.fail("read", name, err)
}

// OpenFile opens a file for reading or mapping.
func (d *Dir) OpenFile(name string) (*os.File, error) {
	if err := d.before("open", name, 0); err != nil {
		return nil, d.fail("open", name, err)
	}
	f, err := d.root.Open(name)
	return f, d.fail("open", name, err)
}

// Create opens an empty file for writing; what had this name before is gone.
// The file is sure to be found after a crash once it and the folder are synced.
func (d *Dir) Create(name string) (*File, error) {
	return d.open("create", name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY)
}

// OpenAppend opens a file for writing at its end and creates it when absent.
func (d *Dir) OpenAppend(name string) (*File, error) {
	return d.open("open", name, os.O_CREATE|os.O_APPEND|os.O_WRONLY)
}

func (d *Dir) open(kind, name string, flag int) (*File, error) {
	if err := d.before(kind, name, 0); err != nil {
		return nil, d.fail(kind, name, err)
	}
	f, err := d.root.OpenFile(name, flag, 0o644)
	if err != nil {
		return nil, d.fail(kind, name, err)
	}
	return &File{dir: d, name: name, f: f}, nil
}

// Replace gives a file new content in one step: whoever opens it, also after a
// crash, finds the old content or the new. Once Replace has returned it is the
// new.
func (d *Dir) Replace(name string, data []byte) error { return d.replace(name, data, 0o644) }

// ReplaceSecret is Replace for what nobody but the owner may read.
func (d *Dir) ReplaceSecret(name string, data []byte) error { return d.replace(name, data, 0o600) }

func (d *Dir) replace(name string, data []byte, mode os.FileMode) error {
	f, err := d.Create(name + temporary)
	if err != nil {
		return err
	}
	if err = f.f.Chmod(mode); err == nil {
		_, err = f.Write(data)
	}
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := d.Rename(name+temporary, name); err != nil {
		return err
	}
	return d.Sync()
}

// Rename renames a file; a file that has the new name already is replaced. The
// change is sure to survive a crash once the folder is synced.
func (d *Dir) Rename(from, to string) error {
	if err := d.beforeOp(Op{Kind: "rename", Name: from, To: to}); err != nil {
		return d.fail("rename", from, err)
	}
	return d.fail("rename", from, d.root.Rename(from, to))
}

// Link gives a file of another folder a name in this one too, where the file
// system can; both then share what it holds.
func (d *Dir) Link(from *Dir, name string) error {
	if err := d.before("link", name, 0); err != nil {
		return d.fail("link", name, err)
	}
	return d.fail("link", name, os.Link(filepath.Join(from.path, name), filepath.Join(d.path, name)))
}

// Remove removes a file.
func (d *Dir) Remove(name string) error {
	if err := d.before("remove", name, 0); err != nil {
		return d.fail("remove", name, err)
	}
	return d.fail("remove", name, d.root.Remove(name))
}

// Exists reports whether the folder has a file of that name. It costs less than to
// open or to list anything.
func (d *Dir) Exists(name string) (bool, error) {
	if err := d.before("stat", name, 0); err != nil {
		return false, d.fail("stat", name, err)
	}
	found, err := d.names.exists(name)
	return found, d.fail("stat", name, err)
}

func lstat(root *os.Root, name string) (bool, error) {
	_, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// List returns the names in the folder in order.
func (d *Dir) List() ([]string, error) {
	if err := d.before("list", ".", 0); err != nil {
		return nil, d.fail("list", ".", err)
	}
	f, err := d.root.Open(".")
	if err != nil {
		return nil, d.fail("list", ".", err)
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	slices.Sort(names)
	return names, d.fail("list", ".", err)
}

// Sync makes the creation, renaming and removal of files survive a crash.
func (d *Dir) Sync() error {
	if err := d.before("syncdir", ".", 0); err != nil {
		return d.fail("syncdir", ".", err)
	}
	return d.fail("syncdir", ".", syncFolder(".", d.root.Open))
}

// syncFolder syncs a folder where the system can: Windows cannot, and keeps its
// folders in order by itself.
func syncFolder(name string, open func(string) (*os.File, error)) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func (d *Dir) fail(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return opError(op, filepath.Join(d.path, name), err)
}
