package dedup

import (
	"encoding/binary"
	"math/bits"
)

// Kind says how a page relates to those before it.
type Kind string

// The kinds of [Match].
const (
	Unique Kind = "unique" // like no page before
	Exact  Kind = "exact"  // the same words as another
	Near   Kind = "near"   // nearly the same as another
)

// A Match is what an [Index] says of a page. A page without words is Unique.
type Match struct {
	Kind     Kind
	Group    string // URL of the page that leads the group, the page's own when it is Unique
	Like     string // URL of the page it is most like, empty when it is Unique
	Distance int    // bits between the SimHashes of the two
}

// hit is a match and what it was found by.
type hit struct {
	Match
	known  bool        // the page was added before
	text   Fingerprint // of the page itself before
	leader uint64      // 0: none
}

// find looks for the pages that are like a text. old says that the page itself
// was found, with the text it had before.
func (x *Index) find(url string, f Fingerprint) (found hit, old bool, err error) {
	found = hit{Match: Match{Kind: Unique, Group: url}}
	at, before, known, err := x.latest(url)
	if err != nil {
		return found, false, err
	}
	found.known = known
	if known && before.Same(f) {
		found.text = before.Fingerprint
		found.Match, err = x.describe(at, before)
		return found, true, err
	}
	if f.Words == 0 {
		return found, false, nil
	}
	ids, err := x.exactly(f)
	if err == nil && len(ids) == 0 {
		ids, err = x.nearly(f)
	}
	if err != nil {
		return found, false, err
	}
	for _, id := range ids {
		if err := x.join(&found, url, f, id); err != nil {
			return found, false, err
		}
	}
	return found, false, nil
}

// join makes the group of the page id, which is like f, that of found.
func (x *Index) join(found *hit, url string, f Fingerprint, id uint64) error {
	r, err := x.pages.at(id)
	if err != nil {
		return err
	}
	leader := x.leaderOf(id, r)
	if found.leader != 0 && found.leader != leader {
		first, second := min(found.leader, leader), max(found.leader, leader)
		leader = first
		if err := x.merge(second, first); err != nil {
			return err
		}
	}
	if found.leader == leader && found.Kind != Unique && f.Distance(r.Fingerprint) >= found.Distance {
		return nil
	}
	lead, err := x.pages.at(leader)
	if err != nil {
		return err
	}
	closer := found.Kind == Unique || f.Distance(r.Fingerprint) < found.Distance
	found.leader, found.Group = leader, lead.url
	if r.url == url || !closer {
		return nil // its own earlier text makes it like nobody
	}
	found.Kind, found.Like, found.Distance = Near, r.url, f.Distance(r.Fingerprint)
	if r.Same(f) {
		found.Kind = Exact
	}
	return nil
}

// exactly finds a page with the same words.
func (x *Index) exactly(f Fingerprint) (ids []uint64, err error) {
	scanErr := x.scan(byExact, f.Exact, f.Exact, func(p pair) bool {
		var r pageRecord
		if r, err = x.pages.at(p.value); err == nil && r.Same(f) {
			ids = append(ids, p.value)
		}
		return err == nil && len(ids) == 0
	})
	if scanErr != nil {
		err = scanErr
	}
	return ids, err
}

// mostLike bounds how many near pages are looked at.
const mostLike = 64

// nearly finds pages that are nearly the same.
func (x *Index) nearly(f Fingerprint) (ids []uint64, err error) {
	if !f.long() {
		return nil, nil
	}
	seen := make(map[uint64]bool)
	for band := range x.bands() {
		from, to := x.bandRange(f.Sim, band)
		scanErr := x.scan(byBand+band, from, to, func(p pair) bool {
			sim := bits.RotateLeft64(p.key, -x.turn(band))
			if bits.OnesCount64(sim^f.Sim) > x.opt.Distance || seen[p.value] {
				return true
			}
			seen[p.value] = true
			var ok bool
			if ok, err = x.resembles(f, p.value); ok {
				ids = append(ids, p.value)
			}
			return err == nil && len(ids) < mostLike
		})
		if scanErr != nil {
			return nil, scanErr
		}
		if err != nil {
			return nil, err
		}
	}
	return x.byTitle(f, seen, ids)
}

// resembles asks the sketches, where they are to be asked.
func (x *Index) resembles(f Fingerprint, id uint64) (bool, error) {
	if x.opt.Resemblance <= 0 {
		return true, nil
	}
	r, err := x.pages.at(id)
	return err == nil && f.Sketch.Resemblance(r.Sketch) >= x.opt.Resemblance, err
}

// turn is by how many bits a SimHash is rotated so that a band comes first.
func (x *Index) turn(band int) int { return band * 64 / x.bands() }

func (x *Index) turned(sim uint64, band int) uint64 { return bits.RotateLeft64(sim, x.turn(band)) }

// bandRange is the range of keys that share a band with a SimHash.
func (x *Index) bandRange(sim uint64, band int) (from, to uint64) {
	if x.bands() == 1 && x.opt.Distance > 0 {
		return 0, ^uint64(0)
	}
	width := (band+1)*64/x.bands() - x.turn(band)
	rest := ^uint64(0) >> width
	key := x.turned(sim, band)
	return key &^ rest, key | rest
}

// latest finds what is known of a URL.
func (x *Index) latest(url string) (at uint64, r pageRecord, ok bool, err error) {
	h := hashText(url)
	scanErr := x.scan(byURL, h, h, func(p pair) bool {
		if p.value < at {
			return true
		}
		var found pageRecord
		if found, err = x.pages.at(p.value); err == nil && found.url == url {
			at, r, ok = p.value, found, true
		}
		return err == nil
	})
	if scanErr != nil {
		err = scanErr
	}
	return at, r, ok, err
}

// describe says of a known page what Add said of it.
func (x *Index) describe(at uint64, r pageRecord) (Match, error) {
	if r.leader == 0 && x.root(at) == at {
		return Match{Kind: Unique, Group: r.url}, nil
	}
	lead, err := x.pages.at(x.leaderOf(at, r))
	if err != nil {
		return Match{}, err
	}
	m := Match{Kind: Near, Group: lead.url, Like: lead.url, Distance: r.Distance(lead.Fingerprint)}
	if lead.Same(r.Fingerprint) {
		m.Kind = Exact
	}
	if lead.url == r.url {
		m = Match{Kind: Unique, Group: r.url}
	}
	return m, nil
}

// leaderOf returns the leader of the group of a page, itself if it has none.
func (x *Index) leaderOf(at uint64, r pageRecord) uint64 {
	if r.leader != 0 {
		return x.root(r.leader)
	}
	return x.root(at)
}

// root follows the merges of a group.
func (x *Index) root(leader uint64) uint64 {
	for {
		to, ok := x.merges.to[leader]
		if !ok {
			return leader
		}
		leader = to
	}
}

// merge makes one group part of another.
func (x *Index) merge(from, to uint64) error {
	x.merges.to[from] = to
	if x.compaction != nil {
		x.compaction.joined = append(x.compaction.joined, [2]uint64{from, to})
	}
	if x.merges.log == nil {
		return nil
	}
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:], from)
	binary.LittleEndian.PutUint64(b[8:], to)
	return x.merges.log.Append(b[:])
}
