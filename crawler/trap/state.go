package trap

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"path/filepath"

	"github.com/webquarry/quarry/internal/durable"
)

// What survives a restart are two files, each replaced in one step: the CRC-32C of
// the rest in hexadecimal, a space, and in traps a JSON object of what is known of
// hosts and registrable domains, in traps.seen the words of the filter of links, little-endian. They are
// written after every 2,000 pages and by Close. A crash loses what was learned
// since: a trap that was found since is found once more, and links of these
// pages may count as unseen once more. Where traps.seen does not fit, nothing is
// taken for a trap that was not before.
const (
	stateFile = "traps"
	seenFile  = "traps.seen"
	lockFile  = "traps.lock"
	saveEvery = 2000
	version   = 1
)

// ErrCorrupt is matched by the error of a state that is damaged.
var ErrCorrupt = errors.New("trap: corrupt")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// store is where a Guard keeps its state.
type store struct {
	dir   *durable.Dir // nil: nowhere
	lock  *durable.Lock
	pages int // since the last time
}

type saved struct {
	Version int
	Hosts   map[string]*host
	Domains map[string]*domain `json:",omitempty"`
}

// Open makes a Guard whose state is kept in a folder, and goes on with the one
// that is there. Only one opener may have it at a time.
func Open(path string, opt Options) (*Guard, error) {
	g := New(opt)
	d, err := durable.Open(path)
	if err != nil {
		return nil, fmt.Errorf("trap: %w", err)
	}
	lock, err := d.Lock(lockFile)
	if err != nil {
		d.Close()
		return nil, fmt.Errorf("trap: %w", err)
	}
	g.store = store{dir: d, lock: lock}
	b, err := d.ReadFile(stateFile)
	if err == nil {
		if err = g.load(b); err == nil {
			links, _ := d.ReadFile(seenFile)
			g.seen.load(links)
		}
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		lock.Unlock()
		d.Close()
		if errors.Is(err, ErrCorrupt) {
			return nil, fmt.Errorf("%w: %s: remove it to begin anew", err, filepath.Join(path, stateFile))
		}
		return nil, fmt.Errorf("trap: %w", err)
	}
	return g, nil
}

// load reads a state.
func (g *Guard) load(b []byte) error {
	sum, rest, _ := bytes.Cut(b, []byte(" "))
	if string(sum) != fmt.Sprintf("%08x", crc32.Checksum(rest, castagnoli)) {
		return fmt.Errorf("%w: checksum does not match", ErrCorrupt)
	}
	var s saved
	if err := json.Unmarshal(rest, &s); err != nil {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if s.Version != version {
		return fmt.Errorf("%w: version %d, this program reads %d", ErrCorrupt, s.Version, version)
	}
	for origin, h := range s.Hosts {
		if h == nil || len(h.Patterns) > patternsAHost {
			return fmt.Errorf("%w: %s makes no sense", ErrCorrupt, origin)
		}
		if h.Patterns == nil {
			h.Patterns = make(map[string]*pattern)
		}
		for text, p := range h.Patterns {
			if p == nil || len(p.Recent) > recentPages {
				return fmt.Errorf("%w: %s%s makes no sense", ErrCorrupt, origin, text)
			}
		}
		for name, f := range h.Families {
			if f == nil {
				return fmt.Errorf("%w: family %s of %s makes no sense", ErrCorrupt, name, origin)
			}
		}
		for name, p := range h.Params {
			if p == nil {
				return fmt.Errorf("%w: parameter %s of %s makes no sense", ErrCorrupt, name, origin)
			}
		}
		h.all = &g.patterns
		g.patterns += len(h.Patterns)
		g.hosts[origin] = h
	}
	for name, d := range s.Domains {
		if d == nil || len(d.Recent) > recentHosts {
			return fmt.Errorf("%w: %s makes no sense", ErrCorrupt, name)
		}
		g.domains[name] = d
	}
	return nil
}

// save writes the state.
func (g *Guard) save() error {
	if g.store.dir == nil {
		return nil
	}
	g.store.pages = 0
	s := saved{Version: version, Hosts: g.hosts, Domains: g.domains}
	b, err := json.Marshal(s)
	if err == nil {
		err = errors.Join(g.store.dir.Replace(seenFile, sealed(g.seen.save())), g.store.dir.Replace(stateFile, sealed(b)))
	}
	if err != nil {
		return fmt.Errorf("trap: %w", err)
	}
	return nil
}

// save returns the words of the filter, level by level, behind the number of links.
func (s *seen) save() []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(s.n))
	for _, l := range s.levels {
		for _, w := range l {
			b = binary.LittleEndian.AppendUint64(b, w)
		}
	}
	return b
}

// load takes over what was saved, with its sum. A filter that does not fit is
// taken to be full.
func (s *seen) load(b []byte) {
	sum, rest, _ := bytes.Cut(b, []byte(" "))
	into := s.fit(len(rest)/8 - 1)
	if into == nil || string(sum) != fmt.Sprintf("%08x", crc32.Checksum(rest, castagnoli)) {
		s.n = math.MaxInt
		return
	}
	s.n = int(binary.LittleEndian.Uint64(rest))
	for _, l := range into {
		for i := range l {
			rest = rest[8:]
			l[i] = binary.LittleEndian.Uint64(rest)
		}
	}
}

// fit makes levels and returns those that have so many words together, nil if there
// are none. Earlier programs had a filter for the most links only.
func (s *seen) fit(words int) []level {
	s.levels = nil
	for have := 0; ; {
		room := s.room(len(s.levels))
		l := newLevel(room)
		s.levels = append(s.levels, l)
		switch have += len(l); {
		case have == words:
			return s.levels
		case len(l) == words && room == s.most:
			return []level{l}
		case room == s.most:
			*s = newSeen(s.most)
			return nil
		}
	}
}

// sealed puts the sum of a state before it.
func sealed(b []byte) []byte {
	return fmt.Appendf(nil, "%08x %s", crc32.Checksum(b, castagnoli), b)
}

// tick counts a page and saves the state now and then. An error of the disk must
// not cost pages: Close tells it.
func (s *store) tick(g *Guard) {
	if s.pages++; s.pages >= saveEvery {
		_ = g.save()
	}
}

// Close writes the state down and lets go of its folder.
func (g *Guard) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.store.dir == nil {
		return nil
	}
	err := errors.Join(g.save(), g.store.lock.Unlock(), g.store.dir.Close())
	g.store = store{}
	return err
}
