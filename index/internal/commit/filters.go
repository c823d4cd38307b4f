package commit

import (
	"slices"
	"sync"

	"github.com/webquarry/quarry/index/internal/bitset"
)

// filters keeps the matches of filters in a view, as bits. Neither the view nor
// what it says of its documents changes, so they hold as long as it does; a commit
// that deletes documents of the segment or sets columns of it makes another view.
type filters struct {
	mu   sync.Mutex
	Kept []Filter // the last asked for first
	Once []string // those that were asked for once, the last first
}

// Filter is a filter with its matches in a view.
type Filter struct {
	Text    string      // how it prints, and what else decides about its matches; no other filter has it
	Matches *bitset.Set // also deleted documents
}

// Find returns the matches of a filter; again says whether it was asked for before.
func (f *filters) Find(text string, most int) (of Filter, again bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if i := slices.IndexFunc(f.Kept, func(k Filter) bool { return k.Text == text }); i >= 0 {
		of = f.Kept[i]
		f.Kept = first(slices.Delete(f.Kept, i, i+1), of, most)
		return of, true
	}
	again = slices.Contains(f.Once, text)
	if !again {
		f.Once = first(f.Once, text, most)
	}
	return of, again
}

// Keep remembers a filter as the one that was asked for last.
func (f *filters) Keep(of Filter, most int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	same := func(k Filter) bool { return k.Text == of.Text } // of another search
	f.Kept = first(slices.DeleteFunc(f.Kept, same), of, most)
}

// first puts x before the others, of which the last go when there are more than
// most.
func first[T any](others []T, x T, most int) []T {
	all := slices.Insert(others, 0, x)
	clear(all[min(most, len(all)):])
	return all[:min(most, len(all))]
}
