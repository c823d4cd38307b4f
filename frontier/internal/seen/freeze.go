package seen

import (
	"cmp"
	"context"
	"slices"
)

// A table that is full, or that the owner freezes, is written as a run and stays
// searchable meanwhile. What a crash takes back is decided by epochs: the n-th
// Freeze ends epoch n, and all that was added in it or before belongs to that
// freeze. A run of a later epoch than the last committed freeze is not in the
// manifest, and is removed when the set is opened: the owner's journal has what
// was in it. Committed runs are of epoch 0. A merge never takes runs of two
// epochs, so that a run belongs to one side or to the other.

// frozen is a table that is being written or will be.
type frozen struct {
	table *table
	epoch int
}

// Freeze says that all that was added so far belongs to a mark, and what is added
// from now on does not. It returns at once and changes nothing on the disk; see
// Commit. A second Freeze before that takes the place of the first.
func (s *Set) Freeze(mark uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == nil || s.usable() != nil {
		return
	}
	if s.tier.active.n > 0 {
		s.rotate()
	}
	s.state.pending = mark
	s.state.epoch++
}

// rotate makes the active table a frozen one. The caller holds mu.
func (s *Set) rotate() {
	t := &s.tier
	t.frozen = append(t.frozen, frozen{t.active, s.state.epoch})
	t.active, t.spare = t.spare, nil
	if t.active == nil {
		t.active = newTable(s.limit)
	}
	if !s.state.freezing {
		s.state.freezing = true
		s.running.Go(s.writeFrozen)
	}
}

// writeFrozen writes frozen tables until there are none.
func (s *Set) writeFrozen() {
	for {
		s.mu.Lock()
		if len(s.tier.frozen) == 0 || s.usable() != nil {
			s.state.freezing = false
			s.mu.Unlock()
			return
		}
		f := s.tier.frozen[0]
		number := s.nextNumber()
		s.mu.Unlock()
		r, err := writeRun(s.dir, number, f.table.n, f.table.each)
		if err != nil {
			s.fail(err)
			continue
		}
		s.mu.Lock()
		r.epoch = f.epoch
		s.place(r)
		s.tier.frozen = slices.Delete(s.tier.frozen, 0, 1)
		s.mergeSoon()
		s.changed()
		s.mu.Unlock()
		f.table.clear()
		s.mu.Lock()
		s.tier.spare = f.table
		s.mu.Unlock()
	}
}

// nextNumber gives a run its number. The caller holds mu.
func (s *Set) nextNumber() uint32 {
	s.state.number++
	return s.state.number
}

// place puts a run where the search finds it. The caller holds mu.
func (s *Set) place(r *run) {
	s.tier.runs = append(s.tier.runs, r)
	slices.SortFunc(s.tier.runs, func(a, b *run) int { return cmp.Compare(b.keys, a.keys) })
	s.tier.lately = s.tier.lately.fit(s.tier.len() - s.tier.active.n)
	s.mapRuns()
}

// mapRuns maps as much as may be mapped, the small runs first. The caller holds mu, so
// that nobody reads them.
func (s *Set) mapRuns() {
	left := s.most
	for _, r := range slices.Backward(s.tier.runs) {
		left -= r.setMapped(left)
	}
}

// Commit makes the last Freeze durable: when it has returned without an error,
// Mark returns its mark, also after a crash. Before that the set on the disk is
// as the last Commit left it; if Commit fails it is one or the other. Others may
// go on adding.
func (s *Set) Commit(ctx context.Context) error {
	if s.dir == nil {
		return nil
	}
	mark, epoch, err := s.awaitWritten(ctx)
	if err != nil {
		return err
	}
	s.commit.Lock()
	defer s.commit.Unlock()
	s.mu.RLock()
	err, committed := s.usable(), s.state.committed
	s.mu.RUnlock()
	if err != nil || committed >= epoch { // by another Commit
		return err
	}
	if err := s.writeManifest(mark, func(r *run) bool { return r.epoch < epoch }, nil); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.mark, s.state.committed = mark, epoch
	for _, r := range s.tier.runs {
		if r.epoch < epoch {
			r.epoch = 0
		}
	}
	s.mergeSoon()
	return nil
}

// awaitWritten waits until all tables of the last freeze are written. It returns
// its mark and the first epoch that does not belong to it.
func (s *Set) awaitWritten(ctx context.Context) (mark uint64, epoch int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	mark, epoch = s.state.pending, s.state.epoch
	for {
		if err := s.usable(); err != nil {
			return 0, 0, err
		}
		if len(s.tier.frozen) == 0 || s.tier.frozen[0].epoch >= epoch {
			return mark, epoch, nil
		}
		if ctx.Err() != nil {
			return 0, 0, context.Cause(ctx)
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

// writeManifest names the runs that are wanted, and one more. The caller holds
// commit.
func (s *Set) writeManifest(mark uint64, want func(*run) bool, more *run) error {
	m := manifest{mark: mark}
	if more != nil {
		m.runs = append(m.runs, more.entry)
	}
	s.mu.RLock()
	for _, r := range s.tier.runs {
		if want(r) {
			m.runs = append(m.runs, r.entry)
		}
	}
	s.mu.RUnlock()
	slices.SortFunc(m.runs, func(a, b entry) int { return cmp.Compare(a.number, b.number) })
	err := s.dir.Sync() // the names of the runs, before the manifest has them
	if err == nil {
		err = s.dir.Replace(manifestName, m.encode())
	}
	if err != nil {
		s.fail(err)
	}
	return err
}
