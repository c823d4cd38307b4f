package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// place is the folder of -dir, or none.
//
//	watch.json    which round it is, and whether it has come to its end
//	shops.yaml    the shops, as -shops gave them; not there: the bundled ones
//	prices.jsonl  all that was seen, a line each
//	round-N/      the crawl of a round that has not come to its end
//	robots/       what may be fetched, for a day at most
//	index/        the products, to be searched; it can be made of prices.jsonl
type place struct {
	dir   string // empty: everything is in memory
	known bool   // there was a watch.json
	state state
}

// state is watch.json.
type state struct {
	Round    int       `json:"round"` // from 1 on; 0: none yet
	Began    time.Time `json:"began"`
	Before   time.Time `json:"before,omitzero"` // when the round before this one began
	Complete bool      `json:"complete"`
	Bundled  []string  `json:"bundled,omitempty"` // addresses of the bundled shops; none: they are others
}

func (p *place) path(name string) string { return filepath.Join(p.dir, name) }
func (p *place) frontier() string        { return p.path(fmt.Sprintf("round-%d", p.state.Round)) }

// openPlace reads what is in dir; dir may be empty, or not there yet.
func openPlace(dir string) (*place, error) {
	p := &place{dir: dir}
	if dir == "" {
		return p, nil
	}
	raw, err := os.ReadFile(p.path("watch.json"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return p, nil
	case err != nil:
		return nil, err
	}
	p.known = true
	if err := json.Unmarshal(raw, &p.state); err != nil {
		return nil, fmt.Errorf("%s: %w", p.path("watch.json"), err)
	}
	return p, nil
}

// save writes watch.json.
func (p *place) save() error {
	if p.dir == "" {
		return nil
	}
	raw, err := json.MarshalIndent(p.state, "", "\t")
	if err != nil {
		return err
	}
	return p.write("watch.json", append(raw, '\n'))
}

// write writes a file: all of it or, after a crash, the one before.
func (p *place) write(name string, text []byte) error {
	if p.dir == "" {
		return nil
	}
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(p.dir, name+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return os.Rename(f.Name(), p.path(name))
}

// begin begins a round, or goes on with one that was broken off.
func (p *place) begin(now time.Time) (resumed bool, err error) {
	if p.state.Round > 0 && !p.state.Complete {
		return true, nil
	}
	p.state.Before = p.state.Began
	p.state.Round, p.state.Began, p.state.Complete = p.state.Round+1, now.UTC().Truncate(time.Millisecond), false
	if p.dir != "" {
		// Of an earlier folder with this name nothing is known: it is not of this watch.
		if err := os.RemoveAll(p.frontier()); err != nil {
			return false, err
		}
	}
	return false, p.save()
}

// end ends a round; its crawl is not needed any more.
func (p *place) end() error {
	p.state.Complete = true
	if err := p.save(); err != nil || p.dir == "" {
		return err
	}
	return os.RemoveAll(p.frontier())
}

// plan decides which shops there are, and whether they are to be asked now.
func (j *job) plan() (err error) {
	p := j.place
	kept := ""
	if p.dir != "" {
		if _, err := os.Stat(p.path("shops.yaml")); err == nil {
			kept = p.path("shops.yaml")
		}
	}
	if j.again.now && !p.known {
		return fmt.Errorf("-recrawl: %s holds no prices to compare with", p.dir)
	}
	if j.once && p.dir != "" && !p.known && j.shops == "" {
		return fmt.Errorf("%s holds no prices: fill it first, without -query or with -shops", p.dir)
	}
	j.crawls = p.dir == "" || !p.known || j.again.now || j.shops != ""
	switch {
	case j.shops != "":
		var text []byte
		if j.list, text, err = readShops(j.shops); err != nil {
			return err
		}
		p.state.Bundled = nil
		if kept == "" || !same(kept, text) {
			j.shopsText = text
		}
	case kept != "":
		j.list, _, err = readShops(kept)
	default:
		if len(p.state.Bundled) == 0 {
			p.state.Bundled = []string{"127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0"}
		}
		j.forBundledShops()
	}
	return err
}

func same(name string, text []byte) bool {
	had, err := os.ReadFile(name)
	return err == nil && bytes.Equal(had, text)
}
