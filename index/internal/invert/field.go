package invert

import "sync"

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

// run is the tokens of one document.
type run struct {
	doc    int // place in Buffer.docs, later the number in the segment
	from   int // place in chunks
	to     int
	tokens uint32 // without jumps
}

const (
	chunkLen = 1 << 15
	jump     = 1 << 31
)

type chunk [chunkLen]uint32

// chunks are used again, so that memory does not wait for the collector.
var chunks = sync.Pool{New: func() any { return new(chunk) }}

// add adds the tokens of a document and returns what they weigh.
func (f *field) add(doc int, tokens []Token) int64 {
	before := f.terms.size()
	r := run{doc: doc, from: f.used, tokens: uint32(len(tokens))}
	next := uint32(0)
	for _, t := range tokens {
		if t.Pos != next && f.positions {
			if t.Pos+1 < next { // positions never fall
				t.Pos = next - 1
			}
			// From the position before, which may be that of the token too.
			f.push(jump | min(t.Pos+1-next, jump-1))
			next = t.Pos
		}
		next++
		f.push(f.terms.number(t.Term))
	}
	r.to = f.used
	f.runs = append(f.runs, r)
	return int64(r.to-r.from)*tokenWeight + f.terms.size() - before
}

func (f *field) push(x uint32) {
	i := f.used % chunkLen
	if i == 0 {
		f.chunks = append(f.chunks, chunks.Get().(*chunk))
	}
	f.chunks[len(f.chunks)-1][i] = x
	f.used++
}

// pieces yields the tokens and jumps of a run.
func (f *field) pieces(r run) func(yield func([]uint32) bool) {
	return func(yield func([]uint32) bool) {
		for from := r.from; from < r.to; {
			i := from % chunkLen
			n := min(chunkLen-i, r.to-from)
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
