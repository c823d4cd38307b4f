package seen

import (
	"errors"
	"math/bits"
	"slices"
)

// fanout is how many runs of about the same size become one. A key is written
// once for each power of fanout in the number of tables that were frozen, and a
// new key is looked for in at most fanout-1 filters for each.
const fanout = 4

// level is the size of a run as a power of fanout.
func level(r *run) int { return bits.Len(uint(r.keys)) / 2 }

// chooseMerge returns the runs that are to become one: if there are fanout runs
// of one level, all of that level and of those below, of the smallest such
// level. All are of one epoch.
func chooseMerge(runs []*run) (chosen []*run) {
	type class struct{ epoch, level int }
	count := map[class]int{}
	least := class{level: -1}
	for _, r := range runs {
		c := class{r.epoch, level(r)}
		count[c]++
		if count[c] >= fanout && (least.level < 0 || c.level < least.level) {
			least = c
		}
	}
	for _, r := range runs {
		if r.epoch == least.epoch && level(r) <= least.level {
			chosen = append(chosen, r)
		}
	}
	return chosen
}

// mergeSoon starts merging unless that is going on. The caller holds mu.
func (s *Set) mergeSoon() {
	if s.state.merging || s.usable() != nil || chooseMerge(s.tier.runs) == nil {
		return
	}
	s.state.merging = true
	s.running.Go(s.mergeAll)
}

// mergeAll merges until nothing is left to merge.
func (s *Set) mergeAll() {
	for {
		s.mu.Lock()
		runs := chooseMerge(s.tier.runs)
		if runs == nil || s.usable() != nil {
			s.state.merging = false
			s.mu.Unlock()
			return
		}
		number := s.nextNumber()
		s.mu.Unlock()
		if err := s.merge(runs, number); err != nil && !errors.Is(err, ErrClosed) {
			s.fail(err)
		}
	}
}

// merge writes the keys of some runs as one, lets that take their place, and
// removes them.
func (s *Set) merge(runs []*run, number uint32) error {
	keys := 0
	for _, r := range runs {
		keys += r.keys
	}
	merged, err := writeRun(s.dir, number, keys, func(add func(uint64) error) error {
		return eachKey(runs, s.goOn, add)
	})
	if err != nil {
		return err
	}
	if err := s.replace(runs, merged); err != nil {
		return errors.Join(err, merged.close())
	}
	for _, r := range runs {
		if err := errors.Join(r.close(), s.dir.Remove(runName(r.number))); err != nil {
			return err
		}
	}
	return nil
}

// goOn says why a merge must end. It does not take mu: those who add have that
// most of the time, and a merge asks often.
func (s *Set) goOn() error {
	if s.halt.Load() {
		return ErrClosed
	}
	return nil
}

// replace lets a run take the place of others, on the disk first if they are in
// the manifest.
func (s *Set) replace(runs []*run, merged *run) error {
	s.commit.Lock() // nobody commits them meanwhile
	defer s.commit.Unlock()
	merged.epoch = runs[0].epoch
	if merged.epoch == 0 {
		want := func(r *run) bool { return r.epoch == 0 && !slices.Contains(runs, r) }
		if err := s.writeManifest(s.Mark(), want, merged); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tier.runs = slices.DeleteFunc(s.tier.runs, func(r *run) bool { return slices.Contains(runs, r) })
	s.place(merged)
	return nil
}
