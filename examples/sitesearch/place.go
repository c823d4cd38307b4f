package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// place is the folder of -dir, or none, and what it says about the crawl.
//
//	crawl.json  what the crawl is of, so that -resume need not be told again
//	frontier/   what is to be fetched, and what was
//	index/      what was found
//	dedup/      which pages say the same
//	traps/      which links have no end
//	robots/     what may be fetched, for a day at most
type place struct {
	dir   string // empty: everything is in memory
	crawl crawlRecord
	known bool // there was a crawl.json
}

// crawlRecord is crawl.json.
type crawlRecord struct {
	Seeds     []string `json:"seeds"`
	UserAgent string   `json:"user_agent"`
	Bundled   string   `json:"bundled,omitempty"` // address of the bundled site; empty: the crawl is of another
}

func (p *place) frontier() string { return filepath.Join(p.dir, "frontier") }
func (p *place) index() string    { return filepath.Join(p.dir, "index") }
func (p *place) dedup() string    { return filepath.Join(p.dir, "dedup") }
func (p *place) traps() string    { return filepath.Join(p.dir, "traps") }
func (p *place) robots() string   { return filepath.Join(p.dir, "robots") }
func (p *place) record() string   { return filepath.Join(p.dir, "crawl.json") }

// openPlace reads what is in dir; dir may be empty, or not there yet.
func openPlace(dir string) (*place, error) {
	p := &place{dir: dir}
	if dir == "" {
		return p, nil
	}
	raw, err := os.ReadFile(p.record())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return p, nil
	case err != nil:
		return nil, err
	}
	p.known = true
	if err := json.Unmarshal(raw, &p.crawl); err != nil {
		return nil, fmt.Errorf("%s: %w", p.record(), err)
	}
	return p, nil
}

// save writes crawl.json: all of it or, after a crash, the one before.
func (p *place) save() error {
	if p.dir == "" {
		return nil
	}
	raw, err := json.MarshalIndent(p.crawl, "", "\t")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(p.dir, "crawl-*.json")
	if err != nil {
		return err
	}
	_, err = f.Write(append(raw, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return os.Rename(f.Name(), p.record())
}

// plan decides what is to be crawled, if anything, by the options and by what
// the folder holds. The seeds are those of the options, else those of the crawl
// in the folder, else the bundled site.
func (j *job) plan() error {
	record := &j.place.crawl
	switch {
	case len(j.seeds) > 0:
		j.crawls = true
		if record.Bundled != "" {
			*record = crawlRecord{}
		}
		for _, s := range j.seeds {
			if !slices.Contains(record.Seeds, s) {
				record.Seeds = append(record.Seeds, s)
			}
		}
	case j.resume && !j.place.known:
		return fmt.Errorf("-resume: %s holds no crawl to go on with", j.dir)
	case j.resume, j.place.known:
		j.crawls = j.resume
	case j.once && j.dir != "":
		if _, err := os.Stat(j.place.index()); err != nil {
			return fmt.Errorf("%s holds no index: crawl into it first, with -seed", j.dir)
		}
	default:
		j.crawls = true
		record.Bundled = "127.0.0.1:0"
	}
	if record.Bundled != "" {
		j.forBundledSite()
	}
	if j.given["user-agent"] || record.UserAgent == "" {
		record.UserAgent = j.fetch.userAgent
	}
	j.fetch.userAgent = record.UserAgent
	return nil
}

// suggestions are queries to begin with.
func (j *job) suggestions() []string {
	if j.place.crawl.Bundled == "" {
		return nil
	}
	return []string{"pole star", "red light", `"seven sisters"`, "moons of jupiter"}
}
