package invert

import (
	"context"
	"slices"

	"github.com/webquarry/quarry/index/internal/segment"
)

// checkEvery is how many steps of a loop pass between looks at the context.
const checkEvery = 1024

// WriteTo writes all documents to a segment. It does not finish it.
func (b *Buffer) WriteTo(ctx context.Context, w *segment.Writer) error {
	number := make([]uint32, len(b.docs)) // in the segment, by place
	for i := range number {
		number[i] = segment.NoDoc
	}
	for i, place := range b.order() {
		number[place] = uint32(i)
		d := &b.docs[place]
		w.Document([]byte(d.key), d.small, d.large)
		if i%checkEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	w.EndDocuments()
	for _, f := range b.fields {
		if f == nil {
			continue
		}
		if err := f.writeTo(ctx, w, number, len(b.live)); err != nil {
			return err
		}
	}
	return w.Err()
}

// order returns the places of the documents by ascending key.
func (b *Buffer) order() []int {
	places := make([]int, 0, len(b.live))
	for _, place := range b.live {
		places = append(places, place)
	}
	slices.SortFunc(places, func(i, j int) int {
		if b.docs[i].key < b.docs[j].key {
			return -1
		}
		return 1
	})
	return places
}

func (f *field) writeTo(ctx context.Context, w *segment.Writer, number []uint32, docs int) error {
	// In the order of the segment, without the runs of dead documents.
	runs := make([]run, 0, len(f.runs))
	lengths := make([]uint32, docs)
	for _, r := range f.runs {
		if n := number[r.doc]; n != segment.NoDoc {
			r.doc = int(n)
			runs = append(runs, r)
			lengths[n] = uint32(r.to - r.from)
		}
	}
	slices.SortFunc(runs, func(a, b run) int { return a.doc - b.doc })

	fw := w.Field(segment.Field{Number: f.number, Name: f.name, Positions: f.positions}, lengths)
	starts, found := f.byTerm(runs)
	for i, id := range f.sorted() {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		f.writeTerm(fw, found, starts[id], starts[id+1])
		fw.Term([]byte(f.terms[id]))
	}
	fw.End()
	return w.Err()
}

// occurrences are places in documents: those of one term are neighbours, in
// ascending order.
type occurrences struct{ doc, pos []uint32 }

// byTerm sorts the tokens of the runs by term, by counting. Those of term id
// are found from starts[id] to starts[id+1].
func (f *field) byTerm(runs []run) (starts []int, found occurrences) {
	starts = make([]int, len(f.terms)+1)
	n := 0
	for _, r := range runs {
		for _, t := range f.tokens[r.from:r.to] {
			starts[t.term+1]++
		}
		n += r.to - r.from
	}
	for i := range f.terms {
		starts[i+1] += starts[i]
	}
	found = occurrences{make([]uint32, n), make([]uint32, n)}
	next := slices.Clone(starts)
	for _, r := range runs {
		for _, t := range f.tokens[r.from:r.to] {
			at := next[t.term]
			next[t.term]++
			found.doc[at], found.pos[at] = uint32(r.doc), t.pos
		}
	}
	return starts, found
}

// sorted returns the ids of the terms in the order of the terms.
func (f *field) sorted() []uint32 {
	ids := make([]uint32, len(f.terms))
	for i := range ids {
		ids[i] = uint32(i)
	}
	slices.SortFunc(ids, func(a, b uint32) int {
		if f.terms[a] < f.terms[b] {
			return -1
		}
		return 1
	})
	return ids
}

func (f *field) writeTerm(fw *segment.FieldWriter, found occurrences, from, to int) {
	for from < to {
		doc, end := found.doc[from], from+1
		for end < to && found.doc[end] == doc {
			end++
		}
		var at []uint32
		if f.positions {
			at = found.pos[from:end]
		}
		fw.Add(doc, uint32(end-from), at)
		from = end
	}
}
