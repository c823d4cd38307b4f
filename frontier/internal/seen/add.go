package seen

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
)

// batch is how many keys are looked for at once: enough to wait for many places
// in memory together, few enough to keep nobody waiting for the lock.
const batch = 128

// Add adds fingerprints and returns how many were new. If isNew is not nil it is
// told for each: of those that are the same only the first is new. It waits, if
// memory is full and the disk behind, until there is room, ctx ends or the set
// is closed. On an error, isNew is right for those that were reached and false
// for the rest.
func (s *Set) Add(ctx context.Context, fps []uint64, isNew []bool) (added int, err error) {
	if isNew != nil {
		isNew = isNew[:len(fps)]
		clear(isNew)
	}
	for len(fps) > 0 {
		n := min(len(fps), batch)
		var q query
		q.load(fps[:n])
		if err := s.addBatch(ctx, &q); err != nil {
			return added, err
		}
		added += q.n
		if isNew != nil {
			for _, at := range q.at[:q.n] {
				isNew[at] = true
			}
			isNew = isNew[n:]
		}
		fps = fps[n:]
	}
	return added, nil
}

// AddOne adds one fingerprint and says whether it was new.
func (s *Set) AddOne(ctx context.Context, fp uint64) (bool, error) {
	added, err := s.Add(ctx, []uint64{fp}, nil)
	return added == 1, err
}

// addBatch adds the keys of a query and leaves those in it that were new.
func (s *Set) addBatch(ctx context.Context, q *query) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.makeRoom(ctx, q.n); err != nil {
		return err
	}
	if err := s.sift(q); err != nil {
		return err
	}
	q.keep(func(key uint64) bool { return s.tier.active.add(key) })
	return nil
}

// makeRoom waits until so many keys can be added. The caller holds mu, which is
// given back meanwhile.
func (s *Set) makeRoom(ctx context.Context, n int) error {
	for {
		if err := s.usable(); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if s.limit == 0 || s.tier.active.n+n <= s.limit {
			return nil
		}
		if len(s.tier.frozen) == 0 {
			s.rotate()
			continue
		}
		change := s.change
		s.mu.Unlock()
		select {
		case <-change:
		case <-ctx.Done():
		}
		s.mu.Lock()
	}
}

// Has tells in known, which must be as long as fps, which fingerprints are in the
// set. What is once in it stays there.
func (s *Set) Has(fps []uint64, known []bool) error {
	known = known[:len(fps)]
	for len(fps) > 0 {
		n := min(len(fps), batch)
		var q query
		q.load(fps[:n])
		if err := s.hasBatch(&q); err != nil {
			return err
		}
		for i := range known[:n] {
			known[i] = true
		}
		for _, at := range q.at[:q.n] {
			known[at] = false
		}
		fps, known = fps[n:], known[n:]
	}
	return nil
}

// HasOne says whether a fingerprint is in the set.
func (s *Set) HasOne(fp uint64) (bool, error) {
	var known [1]bool
	err := s.Has([]uint64{fp}, known[:])
	return known[0], err
}

func (s *Set) hasBatch(q *query) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.state.closed {
		return ErrClosed
	}
	return s.sift(q)
}

// query is keys that are looked for; those that are found leave it. They are not
// sorted: in runs of millions of keys, spread evenly, a hundred have nothing near
// each other, and it made no difference.
type query struct {
	keys [batch]uint64
	at   [batch]uint8 // where they were in what was asked for
	n    int
	sum  uint64 // of what was touched, so that it is
}

func (q *query) load(fps []uint64) {
	for i, fp := range fps {
		q.keys[i], q.at[i] = mix(fp), uint8(i)
	}
	q.n = len(fps)
}

// keep keeps the keys for which want says yes.
func (q *query) keep(want func(key uint64) bool) {
	n := 0
	for i, key := range q.keys[:q.n] {
		if want(key) {
			q.keys[n], q.at[n] = key, q.at[i]
			n++
		}
	}
	q.n = n
}

// sift takes from a query all keys that are in the set. The caller holds mu.
func (s *Set) sift(q *query) (err error) {
	// A page of a mapped file that cannot be read is a fault, not an error.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer s.recoverFault(&err)
	if len(s.tier.runs) > 0 {
		q.keep(func(key uint64) bool { return !s.tier.lately.has(key) })
	}
	q.table(s.tier.active)
	for _, f := range s.tier.frozen {
		q.table(f.table)
	}
	for _, r := range s.tier.runs {
		if q.n == 0 {
			break
		}
		if err := q.run(r, s.tier.lately); err != nil {
			return err
		}
	}
	return nil
}

// recoverFault turns a page that cannot be read into an error.
func (s *Set) recoverFault(err *error) {
	switch r := recover().(type) {
	case nil:
	case interface {
		runtime.Error
		Addr() uintptr
	}:
		*err = fmt.Errorf("frontier: seen set: a file in %s cannot be read: %w", s.dir.Path(), r)
	default:
		panic(r)
	}
}

// table takes out the keys that are in a table.
func (q *query) table(t *table) {
	if t.n == 0 {
		return
	}
	for _, key := range q.keys[:q.n] {
		q.sum += t.touch(key)
	}
	q.keep(func(key uint64) bool { return !t.has(key) })
}

// buffers are for blocks that are read.
var buffers = sync.Pool{New: func() any { return new([blockSize]byte) }}

// run takes out the keys that are in a run, and notes them.
func (q *query) run(r *run, l lately) error {
	for _, key := range q.keys[:q.n] {
		q.sum += uint64(r.filter.touch(key))
	}
	var maybe [batch]uint8 // positions of keys that pass the filter
	n := 0
	for i, key := range q.keys[:q.n] {
		maybe[n] = uint8(i)
		n += r.filter.pass(key)
	}
	var blocks [batch]int32 // -1: before the first
	for i, at := range maybe[:n] {
		key := q.keys[at]
		b, ok := r.find(key)
		if !ok {
			blocks[i] = -1
			continue
		}
		blocks[i] = int32(b)
		q.sum += uint64(r.touch(key, b))
	}
	buf := buffers.Get().(*[blockSize]byte)
	defer buffers.Put(buf)
	var found [batch]bool
	for i, at := range maybe[:n] {
		if blocks[i] < 0 {
			continue
		}
		b, err := r.block(int(blocks[i]), buf)
		if err != nil {
			return err
		}
		if found[at] = b.has(q.keys[at], r.span(int(blocks[i]))); found[at] {
			l.note(q.keys[at])
		}
	}
	q.drop(&found)
	return r.unchanged()
}

// drop takes out the keys that were found.
func (q *query) drop(found *[batch]bool) {
	n := 0
	for i := range q.n {
		q.keys[n], q.at[n] = q.keys[i], q.at[i]
		if !found[i] {
			n++
		}
	}
	q.n = n
}
