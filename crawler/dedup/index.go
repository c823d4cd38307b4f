package dedup

import (
	"errors"
	"sync"

	"github.com/webquarry/quarry/internal/durable"
)

// Options of an [Index]. The zero value is usable.
type Options struct {
	// Distance is how many of the 64 bits of two SimHashes may differ in pages
	// that are nearly the same: 3, as Manku et al. found for the web at large;
	// negative: none, only pages that are the same to the letter are found.
	//
	// With a distance of 7 or less a page is compared with those that share one
	// of distance+1 bands of its SimHash, beyond that with all of them, some
	// 5 ms for a million pages. Then Resemblance should be set as well.
	//
	// Pages of 200 words or more under one title, by [OfPage], may differ in more: they
	// are the same where 0.6 of their shingles are, and 0.75 where a title is part of the
	// other. That is so unless Resemblance is set or Distance negative.
	Distance int

	// Resemblance, if above 0, is which share of the shingles of both pages must
	// be in either for them to be nearly the same, by an estimate of sketches that
	// are kept then, 64 bytes a page. With Distance 20, Resemblance 0.6 and a
	// [Template] copies with a tenth of their words changed are found.
	Resemblance float64

	// Memory is how many pages are known in memory before they go to a file, some
	// 16 bytes for each of Distance+4 tables, and eight for titles; 65,536.
	Memory int
}

const (
	defaultDistance = 3
	defaultMemory   = 1 << 16
	mostBands       = 8
)

// The tables of an index before its bands.
const (
	byExact  = iota // pages by Fingerprint.Exact
	byURL           // pages by the hash of their URL
	byGroup         // pages by the offset of the leader of their group, leaders aside
	byOrigin        // pages by the offset that they had before the compaction that is under way
	byBand          // and more: pages by their SimHash, turned
)

// An Index knows the pages of a crawl by what they say, and puts those that say
// the same into groups. A group is led by the page that came first; a page
// belongs to it that is near to any of its pages, and groups that a page is near
// to become one. Only what pages say now counts: where the page that leads a group has
// another text, or is gone, another page of the group leads it.
//
// On disk it takes about 16 bytes for each of Distance+4 tables and the URL
// with 30 bytes, a page; a hundred million pages are some 20 GB. Those that are known by
// their title take 210 bytes more, 21 GB for as many. A page that is added again with
// another text, or is removed, takes as much once more until half of the texts are of the past. Then
// the Index is written anew with what pages say now, while it is in use: see [Index.Compact].
// In memory it has the pages that came last and 1/250 of the tables. All methods may be
// called from many goroutines, one at a time goes on. After an error of the
// disk all of them return it.
type Index struct {
	mu      sync.Mutex
	opt     Options
	pages   pages
	recent  []table // the pages that are in no run yet
	merges  merges
	mirrors mirrors
	count   int // of records
	stale   int // of these, texts that their pages have no more, and those which say that a page is gone
	failed  error

	folder
	compacting
}

// New makes an Index in memory. It takes some 250 bytes a page, and 450 with a title.
func New(opt Options) *Index {
	x := &Index{opt: opt}
	x.prepare()
	x.pages.inMemory()
	return x
}

// prepare fills in defaults.
func (x *Index) prepare() {
	if x.opt.Distance == 0 {
		x.opt.Distance = defaultDistance
	}
	if x.opt.Memory <= 0 {
		x.opt.Memory = defaultMemory
	}
	x.recent = make([]table, byBand+x.bands()+x.titleBands())
	x.merges.to = make(map[uint64]uint64)
	x.mirrors.pairs = make(map[hosts]*agreement)
	x.idle.L = &x.mu
}

// bands is in how many parts a SimHash is looked up: if two differ in Distance
// bits, one of Distance+1 parts is equal.
func (x *Index) bands() int {
	switch d := x.opt.Distance; {
	case d < 0:
		return 0
	case d+1 > mostBands:
		return 1
	default:
		return d + 1
	}
}

// Add makes a page known and tells which group it belongs to. A page that was
// added before, with whatever text, is replaced; with the same text nothing is
// written. In a folder what Add has done survives the death of the process, and
// that of the machine after the next Sync. It takes some 20 µs in memory, 100 µs
// in a folder of ten million pages.
func (x *Index) Add(url string, f Fingerprint) (Match, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.failed != nil {
		return Match{}, x.failed
	}
	m, err := x.add(url, f)
	if err != nil {
		return Match{}, x.fail(err)
	}
	return m, nil
}

// Remove forgets a page that is gone: no page is like it from now on. The next page of a group
// that it led which is added or asked for leads the group. Remove does nothing about a URL that
// is not known. It takes as long as Add, and what it has done survives as that does.
func (x *Index) Remove(url string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.failed != nil {
		return x.failed
	}
	_, _, known, err := x.latest(url)
	if err == nil && known {
		if _, err = x.append(pageRecord{url: url, gone: true}, false, true); err == nil {
			err = x.makeRoom()
		}
	}
	return x.fail(err)
}

// fail keeps an error, if there is one, for all that is asked later.
func (x *Index) fail(err error) error {
	if err == nil {
		return nil
	}
	x.failed = ours(err)
	if _, ok := errors.AsType[*CorruptError](err); ok {
		x.failed = err
	}
	return x.failed
}

// makeRoom writes down what is in memory where that is full, and begins a compaction where
// that is worth it.
func (x *Index) makeRoom() error {
	if x.inMemory >= x.opt.Memory {
		if err := x.flush(); err != nil {
			return err
		}
	}
	x.compactIfStale()
	return nil
}

func (x *Index) add(url string, f Fingerprint) (Match, error) {
	if len(url) > maxPageSize/2 {
		return Match{}, errors.New("URL too long")
	}
	hit, old, err := x.find(url, f)
	if err != nil || old && hit.text.Same(f) {
		return hit.Match, err
	}
	if _, err := x.append(pageRecord{Fingerprint: f, leader: hit.leader, url: url}, hit.Kind == Exact, hit.known); err != nil {
		return Match{}, err
	}
	x.mirrors.see(x, url, hit)
	return hit.Match, x.makeRoom()
}

// append writes the record of a page and notes it.
func (x *Index) append(r pageRecord, copied, known bool) (at uint64, err error) {
	at, err = x.pages.append(r, x.opt.Resemblance > 0 || x.titleBands() > 0 && r.titled())
	if err == nil {
		x.note(at, r, copied, known)
	}
	return at, err
}

// note puts a page into the tables in memory. What is the same as an earlier
// page to the letter is found by its words alone. known says that the page had another text.
func (x *Index) note(at uint64, r pageRecord, copied, known bool) {
	x.inMemory++
	x.count++
	if known {
		x.stale++
	}
	if r.gone {
		x.stale++
	}
	if r.former {
		return
	}
	x.recent[byURL].add(hashText(r.url), at)
	if r.leader != 0 {
		x.recent[byGroup].add(r.leader, at)
	}
	if r.Words == 0 {
		return
	}
	x.recent[byExact].add(r.Exact, at)
	if copied {
		return
	}
	if r.long() {
		for i := range x.bands() {
			x.recent[byBand+i].add(x.turned(r.Sim, i), at)
		}
	}
	for i := range x.titleBands() {
		if key, ok := r.titleKey(i); ok {
			x.recent[byBand+x.bands()+i].add(key, at)
		}
	}
}

// scan calls yield for the pairs of a table in a range of keys until it is false.
func (x *Index) scan(which int, from, to uint64, yield func(pair) bool) error {
	if !x.recent[which].scan(from, to, yield) {
		return nil
	}
	for _, r := range x.runs {
		if more, err := r.scan(which, from, to, yield); err != nil || !more {
			return err
		}
	}
	return nil
}

// Sync returns when all that was added is on the disk.
func (x *Index) Sync() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.failed != nil || x.dir == nil {
		return x.failed
	}
	return ours(errors.Join(x.pages.out.Sync(), x.merges.log.Sync(), x.writeManifest()))
}

// Close writes down what is in memory and lets go of the folder. A compaction that is
// under way is given up. One that failed, for want of room perhaps, is an error of Close:
// the Index is whole then, and larger than it need be.
func (x *Index) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if errors.Is(x.failed, ErrClosed) {
		return nil
	}
	err := x.failed
	x.failed = ErrClosed
	x.awaitCompaction()
	if err == nil {
		err = x.notCompacted
	}
	if x.dir == nil {
		return err
	}
	if err == nil || err == x.notCompacted {
		err = errors.Join(err, ours(errors.Join(x.flush(), x.writeManifest())))
	}
	return errors.Join(err, ours(x.release()))
}

// merges are the leaders whose groups became part of another.
type merges struct {
	to  map[uint64]uint64 // leader to leader
	log *durable.Log      // nil: in memory
}
