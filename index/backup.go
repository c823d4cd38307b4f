package index

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/webquarry/quarry/index/internal/commit"
	"github.com/webquarry/quarry/index/internal/store"
)

// Backup makes a copy of the snapshot in a folder, which is created and must
// not hold an index. The writer may go on meanwhile. The copy is an index like
// any other: open it where it is, or move it to where it is needed.
//
// On one file system the copy shares the files of segments with the index, as
// hard links, and takes no room until the index merges them away; it is then
// safe from mistakes of programs, but not from damage to the disk. Elsewhere
// the files are copied and synced. Until Backup has returned without an error
// the folder is no index.
func (s *Snapshot) Backup(ctx context.Context, dir string) error {
	return s.read(func() error {
		to, err := store.OpenDisk(dir, s.ix.opt.hooks...)
		if err != nil {
			return err
		}
		return errors.Join(s.backup(ctx, to, dir), to.Close())
	})
}

func (s *Snapshot) backup(ctx context.Context, to *store.Disk, dir string) error {
	lock, err := vacant(to, dir)
	if err != nil {
		return err
	}
	defer lock.Close()
	for _, v := range s.commit.Views {
		if err := carryView(ctx, to, s.ix.place, v); err != nil {
			return err
		}
	}
	if err := carryAnchors(ctx, to, s.ix.place, s.commit.Anchors); err != nil {
		return err
	}
	if err := s.commit.Changed(); err != nil { // what was copied may be anything
		return err
	}
	m := *s.commit.Manifest // which encode changes, and others may encode at the same time
	m.Segments = slices.Clone(m.Segments)
	b, err := m.Encode()
	if err != nil {
		return err
	}
	return to.Publish(commit.Name(s.commit.Generation), b)
}

// carryView carries the files of a view.
func carryView(ctx context.Context, to, from store.Place, v *commit.View) error {
	err := carryHandle(ctx, to, from, v.File)
	for _, f := range v.Overlay.Files() {
		if err == nil {
			err = carry(ctx, to, origin(from, f.Repaired), f.Name(), f.Mapping.Bytes)
		}
	}
	return err
}

func carryHandle(ctx context.Context, to, from store.Place, h *commit.File) error {
	return carry(ctx, to, origin(from, h.Repaired), h.Name(), h.Mapping.Bytes)
}

// origin is the place that has a file, nil when that there is damaged.
func origin(from store.Place, repaired bool) store.Place {
	if repaired {
		return nil
	}
	return from
}

func carryAnchors(ctx context.Context, to, from store.Place, files []*commit.File) error {
	for _, h := range files {
		if err := carryHandle(ctx, to, from, h); err != nil {
			return err
		}
	}
	return nil
}

// vacant locks a folder that holds no index yet.
func vacant(to store.Place, dir string) (lock interface{ Close() error }, err error) {
	lock, err = to.Lock(commit.LockName)
	if err != nil {
		return nil, locked(dir, err)
	}
	names, err := to.List()
	if err == nil && slices.ContainsFunc(names, func(name string) bool {
		_, ok := commit.Numbered(name, commit.Prefix)
		return ok
	}) {
		err = fmt.Errorf("index: %s: there is an index already", dir)
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock, nil
}

// copyStep is how many bytes are copied between looks at the context.
const copyStep = 4 << 20

// carry links a file into a place, or copies its bytes; from may be nil.
func carry(ctx context.Context, to, from store.Place, name string, content []byte) error {
	if l, ok := to.(store.Linker); ok {
		// What an attempt before this one left.
		if to.Remove(name); l.Link(from, name) == nil {
			return nil
		}
	}
	f, err := to.Create(name)
	if err != nil {
		return err
	}
	for len(content) > 0 && err == nil {
		n := min(copyStep, len(content))
		if _, err = f.Write(content[:n]); ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		content = content[n:]
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
