package invert

import (
	"cmp"
	"slices"
	"sync"

	"github.com/webquarry/quarry/index/internal/segment"
)

// field holds the tokens of a field in the order they came, document after
// document. They are sorted by term when they are flushed, in one go.
//
// A token is the number of its term. It stands one position after the token
// before it, the first of a document at 0, unless a jump comes before it:
// the topmost bit and how much further on it is.
type field struct {
	number    int
	name      string
	positions bool
	terms     terms
	chunks    []*chunk
	used      int // of all chunks
	runs      []run
}

// run is the tokens of one document. It ends where the next one starts.
type run struct {
	doc    uint32 // place in Buffer.docs
	tokens uint32 // without jumps
	from   int    // place in chunks
}

const (
	chunkLen = 1 << 15
	jump     = 1 << 31
)

type chunk [chunkLen]uint32

// chunks are used again, so that memory does not wait for the collector.
var chunks = sync.Pool{New: func() any { return new(chunk) }}

// add adds the tokens of a document and returns what they weigh. It ends early when
// that is more than limit.
func (f *field) add(doc int, of FieldTokens, limit int64) (weight int64) {
	before, from := f.terms.size(), f.used
	f.runs = append(f.runs, run{doc: uint32(doc), from: from})
	r := &f.runs[len(f.runs)-1]
	next := uint32(0)
	var b batch
	take := func(tokens []Token) bool {
		for some := range slices.Chunk(tokens, batchLen) {
			for i, n := range f.terms.number(some, &b) {
				if pos := some[i].Pos; pos != next && f.positions {
					if pos+1 < next { // positions never fall
						pos = next - 1
					}
					// From the position before, which may be that of the token too.
					f.push(jump | min(pos+1-next, jump-1))
					next = pos
				}
				next++
				f.push(n)
			}
		}
		r.tokens += uint32(len(tokens))
		weight = runWeight + int64(f.used-from)*tokenWeight + f.terms.size() - before
		return weight <= limit
	}
	take(of.Tokens)
	if of.Many != nil {
		of.Many(take)
	}
	return weight
}

func (f *field) push(x uint32) {
	i := f.used % chunkLen
	if i == 0 {
		f.chunks = append(f.chunks, chunks.Get().(*chunk))
	}
	f.chunks[len(f.chunks)-1][i] = x
	f.used++
}

// byDocument returns the runs of the documents that have a number, in the
// order of these, and the lengths of all documents.
func (f *field) byDocument(numbers []uint32, docs int) (runs []placed, lengths []uint32) {
	runs = make([]placed, 0, len(f.runs))
	lengths = make([]uint32, docs)
	for i, r := range f.runs {
		if n := numbers[r.doc]; n != segment.NoDoc {
			runs = append(runs, placed{n, uint32(i)})
			lengths[n] = r.tokens
		}
	}
	slices.SortFunc(runs, func(a, b placed) int { return cmp.Compare(a.doc, b.doc) })
	return runs, lengths
}

// placed is a run of a document, by its number in the segment.
type placed struct{ doc, run uint32 }

// pieces yields the tokens and jumps of a run.
func (f *field) pieces(run uint32) func(yield func([]uint32) bool) {
	return func(yield func([]uint32) bool) {
		from, to := f.runs[run].from, f.used
		if int(run)+1 < len(f.runs) {
			to = f.runs[run+1].from
		}
		for from < to {
			i := from % chunkLen
			n := min(chunkLen-i, to-from)
			if !yield(f.chunks[from/chunkLen][i : i+n]) {
				return
			}
			from += n
		}
	}
}

// release gives the memory of the tokens back.
func (f *field) release() {
	for _, c := range f.chunks {
		chunks.Put(c)
	}
	f.chunks, f.runs = nil, nil
}
