package dedup

// fanIn is how many runs of a level become one of the next. Each pair is then
// written once a level, and a lookup asks fewer than fanIn runs of each.
const fanIn = 8

// merged gives the pairs of several sources in order.
func merged(sources []source) source {
	type head struct {
		pair
		next source
	}
	var heads []head
	started := false
	return func() (pair, bool, error) {
		if !started {
			started = true
			for _, s := range sources {
				p, ok, err := s()
				if err != nil {
					return pair{}, false, err
				}
				if ok {
					heads = append(heads, head{p, s})
				}
			}
		}
		if len(heads) == 0 {
			return pair{}, false, nil
		}
		least := 0
		for i := range heads {
			if byKey(heads[i].pair, heads[least].pair) < 0 {
				least = i
			}
		}
		out := heads[least].pair
		p, ok, err := heads[least].next()
		if err != nil {
			return pair{}, false, err
		}
		if ok {
			heads[least].pair = p
		} else {
			heads = append(heads[:least], heads[least+1:]...)
		}
		return out, true, nil
	}
}

// all gives the pairs of a table in memory in order.
func (t *table) all() source {
	t.settle()
	rest := t.sorted
	return func() (pair, bool, error) {
		if len(rest) == 0 {
			return pair{}, false, nil
		}
		p := rest[0]
		rest = rest[1:]
		return p, true, nil
	}
}

// flush puts what is in memory into a run.
func (x *Index) flush() error {
	if x.dir == nil || x.inMemory == 0 {
		return nil
	}
	if err := x.pages.out.Sync(); err != nil {
		return err
	}
	sources := make([]source, len(x.recent))
	for i := range x.recent {
		sources[i] = x.recent[i].all()
	}
	if err := x.install(sources, 0, nil); err != nil {
		return err
	}
	for i := range x.recent {
		x.recent[i] = table{}
	}
	x.inMemory = 0
	return x.mergeRuns()
}

// mergeRuns makes one run of those of a level that are too many.
func (x *Index) mergeRuns() error {
	for level := 0; ; level++ {
		var same, higher []leveled
		for _, r := range x.runs {
			if r.Level == level {
				same = append(same, r)
			} else if r.Level > level {
				higher = append(higher, r)
			}
		}
		if len(same) >= fanIn {
			sources := make([]source, len(x.recent))
			for i := range sources {
				var parts []source
				for _, r := range same {
					parts = append(parts, r.all(i))
				}
				sources[i] = merged(parts)
			}
			if err := x.install(sources, level+1, same); err != nil {
				return err
			}
		} else if len(higher) == 0 {
			return nil
		}
	}
}

// install writes a run that stands for others, and makes it part of the index
// in one step. What it stands for is gone then.
func (x *Index) install(sources []source, level int, instead []leveled) error {
	x.serial++
	name := x.runName(x.serial)
	if err := writeRun(x.dir, name, sources); err != nil {
		return err
	}
	r, err := x.openLeveled(name, level)
	if err != nil {
		return err
	}
	kept := []leveled{r}
	for _, old := range x.runs {
		if !contains(instead, old) {
			kept = append(kept, old)
		}
	}
	before := x.runs
	x.runs = kept
	if instead == nil {
		x.covered, x.coveredCount, x.coveredStale = x.pages.size, x.count, x.stale
	}
	if err := x.writeManifest(); err != nil {
		x.runs = before
		r.handle.Close()
		return err
	}
	for _, old := range instead {
		x.retire(old.handle)
		x.dir.Remove(old.Name) // what is left is removed when the index is opened
	}
	return nil
}

func contains(list []leveled, r leveled) bool {
	for _, l := range list {
		if l.run == r.run {
			return true
		}
	}
	return false
}
