package fuzzy

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

// Entry is a word, a query or a title that a [Completer] offers.
type Entry struct {
	Text    string
	Weight  float64 // heavier ones are offered first
	Payload uint64  // the caller's own, such as the number of a page or bits to filter by
}

// Completer goes on with what somebody types: with words, whole queries or titles. It
// compares folded text, from the beginning of any word of an entry, and finds the
// heaviest entries without looking at the others: one letter, or none, costs no more
// than ten.
//
// It takes some 60 bytes for each entry, 9 for each of its words, and its text twice.
// All its methods may be called by many goroutines at once; those that look do not
// wait for those that change it. The zero value is empty and ready for use.
type Completer struct{ layers[*shelf] }

// CompleteOptions says what is offered.
type CompleteOptions struct {
	Limit   int                       // entries at most; 0: 10, negative: none
	Exactly bool                      // nothing with a typing error
	Prefix  bool                      // nothing that only has what was typed inside
	Filter  func(payload uint64) bool // nil: all. What it refuses is looked at, so refusing most costs time
}

// Completed is an entry that goes on with what was typed.
type Completed struct {
	Entry
	Inside   bool // what was typed stands inside, at the beginning of a word
	Distance int  // typing errors in it
}

// NewCompleter makes a Completer of entries. Of entries with the same text the last
// counts.
func NewCompleter(entries iter.Seq[Entry]) *Completer {
	c := new(Completer)
	c.Add(entries)
	return c
}

// Add adds entries. Those with the text of one that is there take its place; those without
// a letter, digit or symbol, which nothing typed leads to, are left out. Adding many at once
// is cheaper than one by one: adding one sorts as many again, now and then many more, and on
// average some twenty.
func (c *Completer) Add(entries iter.Seq[Entry]) { c.add(entries, newShelf) }

// Remove takes away the entry with that text, and reports whether there was one.
func (c *Completer) Remove(text string) bool { return c.remove(text, newShelf) }

const defaultCompletions = 10

// Complete gives entries that begin with what was typed, then those with a word that
// it begins, each the heaviest first, equally heavy ones in no certain order. Where
// there are fewer than wanted, those follow for which one edit has to be made in one
// of the words typed, which has three runes at least, behind its first. A space at the
// end says that the last word is complete. Nothing typed goes on with anything;
// signs alone with nothing.
func (c *Completer) Complete(typed string, opt CompleteOptions) []Completed {
	limit := cmp.Or(opt.Limit, defaultCompletions)
	key := completionKey(typed)
	if limit < 0 || key == "" && strings.TrimSpace(typed) != "" {
		return nil
	}
	shelves := c.load()
	var found []Completed
	seen := map[string]bool{}
	// collect adds the heaviest entries of some ranges, until there are enough.
	collect := func(inside bool, distance int, ranges func(*shelf) []extent) {
		if len(found) >= limit {
			return
		}
		var list []Completed
		for _, s := range shelves {
			places := &s.heads
			if inside {
				places = &s.inner
			}
			taken := map[int]bool{}
			places.heaviest(ranges(s), func(entry int) bool {
				e := &s.entries[entry]
				if s.isGone(entry) || seen[e.Text] || opt.Filter != nil && !opt.Filter(e.Payload) {
					return true
				}
				if taken[entry] {
					return true // from another of its words
				}
				taken[entry] = true
				list = append(list, Completed{*e, inside, distance})
				return len(taken) < limit-len(found)
			})
		}
		slices.SortStableFunc(list, func(a, b Completed) int { return cmp.Compare(b.Weight, a.Weight) })
		for _, e := range list {
			if len(found) < limit && !seen[e.Text] {
				seen[e.Text] = true
				found = append(found, e)
			}
		}
	}
	exact := func(places func(*shelf) *ordered) func(*shelf) []extent {
		return func(s *shelf) []extent { return []extent{places(s).find(s.keys, key)} }
	}
	heads, inner := func(s *shelf) *ordered { return &s.heads }, func(s *shelf) *ordered { return &s.inner }
	collect(false, 0, exact(heads))
	if key != "" && !opt.Prefix {
		collect(true, 0, exact(inner))
	}
	if opt.Exactly || len(found) >= limit {
		return found
	}
	variants := make(map[*shelf][]string, len(shelves))
	for _, s := range shelves {
		variants[s] = s.variants(key)
	}
	near := func(places func(*shelf) *ordered) func(*shelf) []extent {
		return func(s *shelf) []extent {
			var list []extent
			for _, v := range variants[s] {
				list = append(list, places(s).find(s.keys, v))
			}
			return list
		}
	}
	collect(false, 1, near(heads))
	if !opt.Prefix {
		collect(true, 1, near(inner))
	}
	return found
}
