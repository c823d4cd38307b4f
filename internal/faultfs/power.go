package faultfs

import (
	"os"
	"path/filepath"
	"sync"

	"github.com/webquarry/quarry/internal/durable"
)

// Power is a [Fault] after which the machine loses power: see Lose. It is for
// one folder whose files are written at their end.
type Power struct {
	*Fault
	dir string

	mu    sync.Mutex
	files map[string]*written
}

// written is what is known of a file.
type written struct {
	size, synced int64
	named        bool   // the folder was synced since it has its name
	was          string // its name when the folder was synced, if it was another
}

// PowerCut is [Crash] at the n-th operation in a folder, after which Lose can be
// called.
func PowerCut(dir string, n int) *Power {
	return &Power{Fault: Crash(n), dir: dir, files: map[string]*written{}}
}

// Hook is a [durable.Hook].
func (p *Power) Hook(op durable.Op) error {
	err := p.Fault.Hook(op)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil {
		p.note(op)
	}
	return err
}

func (p *Power) note(op durable.Op) {
	f := p.files[op.Name]
	switch op.Kind {
	case "create":
		p.files[op.Name] = &written{named: p.find(op.Name).named}
	case "open":
		p.files[op.Name] = p.find(op.Name)
	case "write":
		if f != nil {
			f.size += int64(op.Size)
		}
	case "sync":
		if f != nil {
			f.synced = f.size
		}
	case "truncate":
		if f != nil {
			f.size = int64(op.Size)
			f.synced = min(f.synced, f.size)
		}
	case "rename":
		if f != nil {
			// A name that was there before leads to the old file or to this one; a
			// file whose new name is not sure yet still has its old one.
			replaced := p.find(op.To).named
			if f.was = ""; f.named && !replaced {
				f.was = op.Name
			}
			f.named = replaced
			p.files[op.To] = f
			delete(p.files, op.Name)
		}
	case "remove":
		delete(p.files, op.Name)
	case "syncdir":
		for _, f := range p.files {
			f.named, f.was = true, ""
		}
	}
}

// find returns what is known of a file. What was there before the first operation
// counts as safe.
func (p *Power) find(name string) *written {
	if f := p.files[name]; f != nil {
		return f
	}
	if st, err := os.Stat(filepath.Join(p.dir, name)); err == nil {
		return &written{size: st.Size(), synced: st.Size(), named: true}
	}
	return &written{}
}

// Lose takes from the folder what a loss of power may take: bytes that were not
// synced, and files whose name was not.
func (p *Power) Lose() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for name, f := range p.files {
		path := filepath.Join(p.dir, name)
		if f.was != "" {
			was := filepath.Join(p.dir, f.was)
			if err := os.Rename(path, was); err != nil && !os.IsNotExist(err) {
				return err
			}
			path = was
		} else if !f.named {
			if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
				return err
			}
			continue
		}
		if err := os.Truncate(path, f.synced); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}
