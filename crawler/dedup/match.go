package dedup

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
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

// find looks for the pages that are like a text now. old says that the page itself
// was found, with the text it has.
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
	ids, err := x.exactly(url, f)
	if err == nil && len(ids) == 0 {
		ids, err = x.nearly(url, f)
	}
	if err != nil {
		return found, false, err
	}
	for _, id := range ids {
		if err := x.join(&found, f, id); err != nil {
			return found, false, err
		}
	}
	if found.Group == url {
		found.Kind, found.Like, found.Distance = Unique, "", 0
	}
	return found, false, nil
}

// join makes the group of the page id, which is like f, that of found.
func (x *Index) join(found *hit, f Fingerprint, id uint64) error {
	r, err := x.pages.at(id)
	if err != nil {
		return err
	}
	leader, lead, err := x.lead(id, r)
	if err != nil {
		return err
	}
	switch {
	case found.leader == 0:
		found.leader, found.Group = leader, lead.url
	case leader < found.leader:
		err = x.merge(found.leader, leader)
		found.leader, found.Group = leader, lead.url
	case leader > found.leader:
		err = x.merge(leader, found.leader)
	}
	if err != nil {
		return err
	}
	if found.Kind == Unique || f.Distance(r.Fingerprint) < found.Distance {
		found.Kind, found.Like, found.Distance = Near, r.url, f.Distance(r.Fingerprint)
	}
	if r.Same(f) {
		found.Kind = Exact
	}
	return nil
}

// Bounds of what is looked at.
const (
	mostLike       = 64  // pages that are near
	mostCandidates = 256 // records that may be like a text, by its SimHash, and as many by its title
	mostFormer     = 64  // records of the same words, which may be of the past: the first ones that are met, and as many of the newest
)

// exactly finds another page than that of a URL which has the same words now.
func (x *Index) exactly(url string, f Fingerprint) (ids []uint64, err error) {
	has := func(id uint64) bool {
		var r pageRecord
		if r, err = x.pages.at(id); err != nil || r.url == url || !r.Same(f) {
			return false
		}
		var at uint64
		at, _, _, err = x.latest(r.url)
		return err == nil && at == id
	}
	looked := 0
	var rest []uint64
	scanErr := x.scan(byExact, f.Exact, f.Exact, func(p pair) bool {
		if looked++; looked > mostFormer {
			if rest = append(rest, p.value); len(rest) == 2*mostFormer {
				rest = newest(rest)
			}
		} else if has(p.value) {
			ids = append(ids, p.value)
		}
		return err == nil && len(ids) == 0
	})
	if scanErr != nil || err != nil || len(ids) > 0 {
		return ids, cmp.Or(scanErr, err)
	}
	for _, id := range newest(rest) {
		if has(id) {
			return []uint64{id}, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// newest returns the records that were written last.
func newest(ids []uint64) []uint64 {
	slices.Sort(ids)
	slices.Reverse(ids)
	return ids[:min(len(ids), mostFormer)]
}

// alike reports whether two texts are the same or nearly so.
func (x *Index) alike(f, g Fingerprint) bool {
	switch {
	case f.Same(g):
		return true
	case !f.long() || !g.long():
		return false
	case f.Distance(g) <= x.opt.Distance && (x.opt.Resemblance <= 0 || f.Sketch.Resemblance(g.Sketch) >= x.opt.Resemblance):
		return true
	}
	return x.titleBands() > 0 && f.titled() && g.titled() && f.Sketch.Resemblance(g.Sketch) >= titled(f.Title, g.Title)
}

// standing finds the page that a record which is like a text stands for: its own, if that is
// like it still, or else one that has the words of the record.
func (x *Index) standing(id uint64, url string, f Fingerprint) ([]uint64, error) {
	r, err := x.pages.at(id)
	if err != nil || !x.alike(f, r.Fingerprint) {
		return nil, err
	}
	at, now, there, err := x.latest(r.url)
	if err != nil {
		return nil, err
	}
	if there && r.url != url && x.alike(f, now.Fingerprint) {
		return []uint64{at}, nil
	}
	return x.exactly(url, r.Fingerprint)
}

// nearly finds other pages than that of a URL that are nearly the same.
func (x *Index) nearly(url string, f Fingerprint) (ids []uint64, err error) {
	if !f.long() {
		return nil, nil
	}
	seen := make(map[uint64]bool)
	left := mostCandidates
	look := func(id uint64) bool {
		if seen[id] {
			return true
		}
		seen[id] = true
		left--
		var now []uint64
		now, err = x.standing(id, url, f)
		for _, id := range now {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		return err == nil && len(ids) < mostLike && left > 0
	}
	for band := range x.bands() {
		from, to := x.bandRange(f.Sim, band)
		scanErr := x.scan(byBand+band, from, to, func(p pair) bool {
			sim := bits.RotateLeft64(p.key, -x.turn(band))
			return bits.OnesCount64(sim^f.Sim) > x.opt.Distance || look(p.value)
		})
		if scanErr != nil || err != nil {
			return nil, cmp.Or(scanErr, err)
		}
	}
	left = mostCandidates
	scanErr := x.byTitle(f, look)
	return ids, cmp.Or(scanErr, err)
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

// latest finds what is known of a URL: the last record of it, and whether it is there.
func (x *Index) latest(url string) (at uint64, r pageRecord, ok bool, err error) {
	h := hashText(url)
	scanErr := x.scan(byURL, h, h, func(p pair) bool {
		if p.value < at {
			return true
		}
		var found pageRecord
		if found, err = x.pages.at(p.value); err == nil && found.url == url {
			at, r, ok = p.value, found, !found.gone
		}
		return err == nil
	})
	if scanErr != nil {
		err = scanErr
	}
	return at, r, ok, err
}

// describe says of a known page what Add said of it, by what there is now.
func (x *Index) describe(at uint64, r pageRecord) (Match, error) {
	_, lead, err := x.lead(at, r)
	if err != nil || lead.url == r.url {
		return Match{Kind: Unique, Group: r.url}, err
	}
	m := Match{Kind: Near, Group: lead.url, Like: lead.url, Distance: r.Distance(lead.Fingerprint)}
	if lead.Same(r.Fingerprint) {
		m.Kind = Exact
	}
	return m, nil
}

// lead returns the leader of the group of a page, and what is known of the page that it is
// named after. Where that page is gone, or belongs to another group by now, the page at hand leads
// the group from then on. It does so by a new record, for that of the page may be a leader
// that became part of this group.
func (x *Index) lead(at uint64, r pageRecord) (uint64, pageRecord, error) {
	leader := x.leaderOf(at, r)
	if leader == at {
		return at, r, nil
	}
	named, err := x.pages.at(leader)
	if err != nil {
		return leader, named, err
	}
	now, lead, there, err := x.latest(named.url)
	if err != nil || there && x.leaderOf(now, lead) == leader {
		return leader, lead, err
	}
	r.leader = leader
	if at, err = x.append(r, false, true); err != nil {
		return leader, lead, err
	}
	return at, r, x.merge(leader, at)
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
