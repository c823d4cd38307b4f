package column

import (
	"cmp"
	"iter"
	"slices"

	"github.com/webquarry/quarry/index/internal/front"
)

// Strings are the strings of documents, as places in a dictionary. Add those
// of each document in any order; then [WriteStrings].
type Strings struct {
	pairs []pair
}

type pair struct{ doc, place uint32 }

// Add gives a document one more string.
func (s *Strings) Add(doc, place uint32) { s.pairs = append(s.pairs, pair{doc, place}) }

// WriteStrings writes a column of strings: for so many documents, with a
// dictionary of ascending strings.
func WriteStrings(out Sections, field uint16, docs uint32, dict iter.Seq[[]byte], s Strings) error {
	if err := writeDict(out, field, dict); err != nil {
		return err
	}
	slices.SortFunc(s.pairs, func(a, b pair) int { return cmp.Or(cmp.Compare(a.doc, b.doc), cmp.Compare(a.place, b.place)) })
	s.pairs = slices.Compact(s.pairs)
	several := false
	for i := 1; i < len(s.pairs) && !several; i++ {
		several = s.pairs[i].doc == s.pairs[i-1].doc
	}
	if !several {
		return writeList(out, SectionBlocks, SectionTable, field, func(add func(int64, bool)) {
			next := uint32(0)
			for _, p := range s.pairs {
				for ; next < p.doc; next++ {
					add(0, false)
				}
				add(int64(p.place), true)
				next++
			}
			for ; next < docs; next++ {
				add(0, false)
			}
		})
	}
	err := writeList(out, SectionBlocks, SectionTable, field, func(add func(int64, bool)) {
		for _, p := range s.pairs {
			add(int64(p.place), true)
		}
	})
	if err != nil {
		return err
	}
	return writeList(out, SectionStarts, SectionStartsTable, field, func(add func(int64, bool)) {
		at := 0
		for doc := range uint64(docs) + 1 {
			for at < len(s.pairs) && uint64(s.pairs[at].doc) < doc {
				at++
			}
			add(int64(at), true)
		}
	})
}

func writeDict(out Sections, field uint16, dict iter.Seq[[]byte]) error {
	out.Begin(SectionDict, field)
	w := front.NewWriter(out)
	for s := range dict {
		w.Add(s)
	}
	index, err := w.Finish()
	if err != nil {
		return err
	}
	out.Begin(SectionDictIndex, field)
	_, err = out.Write(index)
	return err
}

// All yields what was added: documents and places.
func (s *Strings) All() iter.Seq2[uint32, uint32] {
	return func(yield func(doc, place uint32) bool) {
		for _, p := range s.pairs {
			if !yield(p.doc, p.place) {
				return
			}
		}
	}
}
