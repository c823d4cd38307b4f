package fuzzy

import (
	"iter"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// A layer holds some of the entries of a Completer or of Names. It does not change:
// without gives one that has fewer.
type layer[L any] interface {
	live() int    // entries that it has
	lost() int    // entries that it had
	all() []Entry // those that it has
	without(texts iter.Seq[string]) (less L, any bool)
}

// layers are entries in layers, each at least twice as large as the next, so that one
// can be added without sorting all anew. Those who look see what there was when they
// began.
type layers[L layer[L]] struct {
	changing sync.Mutex
	current  atomic.Pointer[[]L]
}

func (s *layers[L]) load() []L {
	if p := s.current.Load(); p != nil {
		return *p
	}
	return nil
}

// Len is the number of entries.
func (s *layers[L]) Len() int {
	n := 0
	for _, l := range s.load() {
		n += l.live()
	}
	return n
}

// add adds entries, in place of those with the same text.
func (s *layers[L]) add(entries iter.Seq[Entry], build func([]Entry) L) {
	added := map[string]int{}
	var list []Entry
	for e := range entries {
		if i, again := added[e.Text]; again {
			list[i] = e
			continue
		}
		added[e.Text] = len(list)
		list = append(list, e)
	}
	if len(list) == 0 {
		return
	}
	s.changing.Lock()
	defer s.changing.Unlock()
	now := slices.Clone(s.load())
	for i, l := range now {
		now[i], _ = l.without(maps.Keys(added))
	}
	s.store(append(now, build(list)), build)
}

// remove takes away the entry with that text, and reports whether there was one.
func (s *layers[L]) remove(text string, build func([]Entry) L) bool {
	s.changing.Lock()
	defer s.changing.Unlock()
	for i, l := range s.load() {
		if less, any := l.without(slices.Values([]string{text})); any {
			now := slices.Clone(s.load())
			now[i] = less
			s.store(now, build)
			return true
		}
	}
	return false
}

// store has the layers looked at from now on. It joins the last of them, so that each
// has twice as many entries as the next, and builds those anew that half of the
// entries are gone from.
func (s *layers[L]) store(now []L, build func([]Entry) L) {
	for i, l := range now {
		if l.lost() > l.live() {
			now[i] = build(l.all())
		}
	}
	now = slices.DeleteFunc(now, func(l L) bool { return l.live() == 0 })
	for n := len(now); n > 1 && now[n-2].live() < 2*now[n-1].live(); n = len(now) {
		k := n - 2
		total := now[n-1].live() + now[k].live()
		for k > 0 && now[k-1].live() < 2*total {
			k--
			total += now[k].live()
		}
		list := make([]Entry, 0, total)
		for _, l := range now[k:] {
			list = append(list, l.all()...)
		}
		now = append(now[:k], build(list))
	}
	s.current.Store(&now)
}

// entryList is the entries of a layer, and which of them are gone.
type entryList struct {
	entries []Entry
	gone    []uint64 // a bit for each; nil: none is
	missing int
}

func (l *entryList) live() int { return len(l.entries) - l.missing }

func (l *entryList) lost() int { return l.missing }

func (l *entryList) isGone(i int) bool { return l.gone != nil && l.gone[i/64]>>(i%64)&1 == 1 }

func (l *entryList) all() []Entry {
	if l.missing == 0 {
		return l.entries
	}
	list := make([]Entry, 0, l.live())
	for i, e := range l.entries {
		if !l.isGone(i) {
			list = append(list, e)
		}
	}
	return list
}

// drop gives the list without the entries that lookup finds, and whether there were
// any.
func (l entryList) drop(texts iter.Seq[string], lookup func(text string) (int, bool)) (entryList, bool) {
	copied := false
	for text := range texts {
		i, found := lookup(text)
		if !found || l.isGone(i) {
			continue
		}
		if !copied {
			gone := make([]uint64, len(l.entries)/64+1)
			copy(gone, l.gone)
			l.gone, copied = gone, true
		}
		l.gone[i/64] |= 1 << (i % 64)
		l.missing++
	}
	return l, copied
}
