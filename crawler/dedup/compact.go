package dedup

import (
	"errors"
	"sync"
)

// A compaction writes an Index anew with what pages say now. It goes through the records
// in the order in which they were added, those that are added meanwhile too, and carries
// over each that is the last of its page, into the next generation of the files, which is an
// Index of its own until it takes the place of the other in one step.
//
// A group keeps its name. Where the page that it is named after has another text by now, that
// page leads it with its present text if it still belongs to it; else its former text stays for as long as the
// group has a page.
type compaction struct {
	of     *Index
	into   *Index
	at     uint64      // offset of the next record
	joined [][2]uint64 // leaders of groups that were merged since it began: the first into the second
	began  uint64      // pages.size then
	done   chan struct{}
	manual bool // Compact waits for it, and gets its error
	err    error
}

// compacting is what an Index knows of its compactions.
type compacting struct {
	compaction   *compaction // nil: none is under way
	idle         sync.Cond   // no Groups are under way, or the Index is closed
	notCompacted error       // why the last one failed
	notBefore    int         // so many stale records after one that failed
}

// leastStale is which share of Options.Memory is stale at least before an Index is compacted.
const leastStale = 16

// errBroken ends a compaction whose Index was closed or has failed.
var errBroken = errors.New("dedup: closed while it was compacted")

// Compact writes the Index anew without the texts that pages have no more, which it does
// by itself when half of all are, and returns when that is done. The Index can be used meanwhile; the new
// files are made beside the old ones, and take their place in one step. It takes some 30 µs
// a page, and no memory beyond that of two indexes. Groups that are gone through, see
// [Index.Groups], are waited for. After a crash the old files are there, or the new ones.
func (x *Index) Compact() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	for x.compaction != nil {
		x.awaitCompaction()
	}
	if x.failed != nil {
		return x.failed
	}
	c := x.compact(true)
	x.awaitCompaction()
	return c.err
}

// compactIfStale begins a compaction where half of the records are stale.
func (x *Index) compactIfStale() {
	if x.compaction == nil && x.stale >= max(x.count/2, x.opt.Memory/leastStale, x.notBefore, 1) {
		x.compact(false)
	}
}

// compact begins a compaction.
func (x *Index) compact(manual bool) *compaction {
	c := &compaction{of: x, at: uint64(len(pagesMagic)), began: uint64(x.pages.size), done: make(chan struct{}), manual: manual}
	c.into = &Index{opt: x.opt, folder: folder{dir: x.dir, generation: x.generation + 1, draft: true}}
	x.compaction = c
	go c.run()
	return c
}

// awaitCompaction lets go of the Index until no compaction is under way.
func (x *Index) awaitCompaction() {
	if c := x.compaction; c != nil {
		x.idle.Broadcast()
		x.mu.Unlock()
		<-c.done
		x.mu.Lock()
	}
}

func (c *compaction) run() {
	defer close(c.done)
	err := c.prepare()
	for more := true; err == nil && more; {
		more, err = c.step()
	}
	x := c.of
	x.mu.Lock()
	defer x.mu.Unlock()
	x.compaction = nil
	if err == nil {
		x.notCompacted, x.notBefore = nil, 0
		return
	}
	if err == errBroken {
		err = x.failed
	} else {
		err = ours(err)
		if _, ok := errors.AsType[*CorruptError](err); ok && x.failed == nil {
			x.failed = err
		}
		if !c.manual {
			x.notCompacted = err
		}
		x.notBefore = 2 * x.stale
	}
	c.err = err
	c.discard()
}

// prepare makes the files of the new generation.
func (c *compaction) prepare() error {
	c.into.prepare()
	if c.into.dir == nil {
		c.into.pages.inMemory()
		return nil
	}
	c.into.discardFiles() // of a compaction that failed
	return c.into.openGeneration()
}

// discard removes what was made, unless it may be what counts.
func (c *compaction) discard() {
	if c.into == nil || c.into.dir == nil {
		return
	}
	c.into.closeFiles()
	c.into.discardFiles()
}

// discardFiles removes the files of a generation. What is left is removed by the next
// compaction, or when the Index is opened.
func (x *Index) discardFiles() {
	names, err := x.dir.List()
	if err != nil {
		return
	}
	x.runs = nil
	for _, name := range names {
		if x.counts(name) || isRunOf(name, x.generation) {
			x.dir.Remove(name)
		}
	}
}

// placed is a record, where it is, and the one that leads its group.
type placed struct {
	at, leads uint64
	pageRecord
	lead pageRecord
}

// step carries one record over. It holds the Index only while it reads.
func (c *compaction) step() (more bool, err error) {
	p, counts, more, err := c.next()
	if err == nil && counts {
		err = c.carry(p)
	}
	return more, err
}

// next reads a record, and tells whether it counts. When there is none, the new generation takes
// the place of the old one.
func (c *compaction) next() (p placed, counts, more bool, err error) {
	x := c.of
	x.mu.Lock()
	defer x.mu.Unlock()
	p.at = c.at
	switch {
	case x.failed != nil:
		return p, false, false, errBroken
	case p.at >= uint64(x.pages.size) && x.readers > 0:
		x.idle.Wait()
		return p, false, true, nil
	case p.at >= uint64(x.pages.size):
		return p, false, false, c.finish()
	}
	if p.pageRecord, c.at, err = x.pages.read(p.at); err != nil || p.former {
		return p, false, true, err
	}
	if latest, _, _, err := x.latest(p.url); err != nil || latest != p.at {
		return p, false, true, err
	}
	p.leads = x.leaderOf(p.at, p.pageRecord)
	p.lead, err = x.pages.at(p.leads)
	return p, true, true, err
}

// carry writes a record, and before it the one that leads its group where that is not a page any more.
func (c *compaction) carry(p placed) error {
	y, r := c.into, p.pageRecord
	leader, ok, err := y.origin(p.leads)
	if err != nil {
		return err
	}
	itself := !ok && (p.leads == p.at || p.lead.url == r.url)
	if !ok && !itself {
		if leader, err = c.former(p.leads, p.lead); err != nil {
			return err
		}
	}
	r.leader = leader
	copies, err := y.exactly(r.url, r.Fingerprint)
	if err != nil {
		return err
	}
	known := false
	if p.at >= c.began { // what it said before may have been carried over
		if _, _, known, err = y.latest(r.url); err != nil {
			return err
		}
	}
	if r.gone && !known {
		return nil
	}
	to, err := y.append(r, len(copies) > 0, known)
	if err != nil {
		return err
	}
	if itself {
		y.recent[byOrigin].add(p.leads, to)
	}
	if y.inMemory >= y.opt.Memory {
		return y.flush()
	}
	return nil
}

// former writes a record that its page has outlived, and that leads a group.
func (c *compaction) former(at uint64, r pageRecord) (uint64, error) {
	r.former, r.leader = true, 0
	to, err := c.into.append(r, false, false)
	if err == nil {
		c.into.recent[byOrigin].add(at, to)
	}
	return to, err
}

// origin finds the record that one of the old generation became.
func (x *Index) origin(at uint64) (to uint64, ok bool, err error) {
	err = x.scan(byOrigin, at, at, func(p pair) bool {
		to, ok = p.value, true
		return false
	})
	return to, ok, err
}

// finish puts the new generation in the place of the old one.
func (c *compaction) finish() error {
	x, y := c.of, c.into
	for _, j := range c.joined {
		if err := c.join(j[0], j[1]); err != nil {
			return err
		}
	}
	y.recent[byOrigin] = table{}
	if x.dir != nil {
		if err := errors.Join(y.pages.out.Sync(), y.merges.log.Sync()); err != nil {
			return err
		}
	}
	old := &Index{pages: x.pages, merges: x.merges, folder: x.folder}
	x.pages, x.recent, x.merges, x.count, x.stale = y.pages, y.recent, y.merges, y.count, y.stale
	y.lock = x.lock
	x.folder = y.folder
	x.draft = false
	c.into = nil
	if x.dir == nil {
		return nil
	}
	if err := x.writeManifest(); err != nil {
		x.failed = ours(err) // either generation may be the one that counts
		old.closeFiles()
		return errBroken
	}
	old.closeFiles()
	old.discardFiles()
	return nil
}

// join makes the group of one record of the old generation part of that of another.
func (c *compaction) join(from, to uint64) error {
	y := c.into
	a, ok, err := y.origin(from)
	if err != nil || !ok {
		return err // no page of it was carried over before it became part of the other
	}
	b, ok, err := y.origin(to)
	if err == nil && !ok {
		var r pageRecord
		if r, err = c.of.pages.at(to); err == nil {
			b, err = c.former(to, r)
		}
	}
	if err != nil {
		return err
	}
	if a, b = y.root(a), y.root(b); a == b {
		return nil
	}
	return y.merge(a, b)
}
