// Package vector keeps a vector of numbers for documents of a segment, and finds the
// nearest of them to another: all compared (exact), or over a graph of neighbours
// (approximate). It knows nothing of where the vectors come from.
//
// Where to look:
//
//	format.go      the bytes
//	similarity.go  how near two vectors are
//	codes.go       vectors of a byte a number, which stand in for them in the graph
//	hnsw.go        building the graph; walk.go: searching it
//	writer.go      writing the vectors of a field
//	reader.go      reading them; nearest.go: finding the nearest
//	verify.go      whether all of it is sound
package vector

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// The vectors of a field lie in these sections, of which the last three are there only
// when the field is approximate and has [leastGraph] vectors or more. All numbers are
// little-endian. Vectors are numbered from 0, in the order of their documents.
//
//	head    dims        [4]
//	        similarity  [1]  0 cosine, 1 dot, 2 euclidean
//	        flags       [1]  bit 0: approximate; bit 1: there is a graph
//	        M           [2]  as in the schema, 0 for the default
//	        construct   [2]  EfConstruction, likewise
//	        levels      [2]  of the graph
//	        vectors     [4]  how many there are
//	        entry       [4]  the vector at which a search of the graph starts
//	docs    the document of each vector, ascending [4 each]; empty when every document
//	        has one
//	floats  for each vector: the sum of its squares, its numbers (IEEE 754) [4 each]
//	codes   for each vector: the sum of its codes [4], factor [4], the sum of its
//	        squares [4], a code for each number [1 each], zeros up to a multiple of 8.
//	        A number is about factor times (code - 64); where the similarity is cosine,
//	        a number of the vector made as long as 1 is
//	links   for each vector: number of its neighbours [4], their numbers [4 each], in
//	        room for 2·M
//	upper   for each level from 1 up: number of its vectors [4]; their numbers,
//	        ascending [4 each]; for each of them what links has, in room for M
const (
	SectionHead   = 30
	SectionDocs   = 31
	SectionFloats = 32
	SectionCodes  = 33
	SectionLinks  = 34
	SectionUpper  = 35
)

const (
	headSize        = 20
	flagApproximate = 1
	flagGraph       = 2
	codesHead       = 12
)

// leastGraph is how many vectors a segment needs to get a graph. Fewer are compared one
// by one in the time that a search of the graph takes.
const leastGraph = 2000

// MaxDims is how many numbers a vector may have.
const MaxDims = 4096

// MaxNumber is how large a number of a vector may be: no sum of products overflows.
const MaxNumber = 1e15

// Similarity says how near two vectors are.
type Similarity int

// The similarities.
const (
	Cosine    Similarity = iota // the angle between them; how long they are does not matter
	Dot                         // their inner product
	Euclidean                   // the distance between them
)

var similarities = [...]string{"cosine", "dot", "euclidean"}

// String names the similarity.
func (s Similarity) String() string {
	if s < 0 || int(s) >= len(similarities) {
		return fmt.Sprintf("similarity(%d)", int(s))
	}
	return similarities[s]
}

// MarshalText writes the name of the similarity.
func (s Similarity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the name of a similarity.
func (s *Similarity) UnmarshalText(b []byte) error {
	i := slices.Index(similarities[:], string(b))
	if i < 0 {
		return fmt.Errorf("index: unknown similarity %q", b)
	}
	*s = Similarity(i)
	return nil
}

// Options say what the vectors of a field are, and how they are searched.
type Options struct {
	Dims       int        `json:"dims"` // numbers of each vector, from 1 to 4096
	Similarity Similarity `json:"similarity,omitempty"`
	// Approximate builds a graph over the vectors of each segment that has thousands of
	// them (HNSW), by which the nearest are found without a look at all. A few of them
	// may be missed. Building takes some 0.1 ms for each vector, when a segment is
	// written and when segments are merged, and needs a byte for each number and 16·M
	// bytes for each vector in memory. Exact searches are there as well.
	Approximate bool `json:"approximate,omitempty"`
	// M is how many neighbours of each vector the graph keeps, twice as many at its lowest
	// level. More find more, and take more time and room. 0: 16; at most 256.
	M int `json:"m,omitempty"`
	// EfConstruction is among how many candidates these are chosen: more make a better
	// graph, which takes longer. 0: 100; at most 10000.
	EfConstruction int `json:"ef_construction,omitempty"`
}

const (
	presetM              = 16
	presetEfConstruction = 100
	mostM                = 256
	mostEf               = 10_000
)

func (o Options) m() int         { return cmp.Or(o.M, presetM) }
func (o Options) construct() int { return max(cmp.Or(o.EfConstruction, presetEfConstruction), o.m()) }

// Memory is about how many bytes a vector takes until it is written.
func (o Options) Memory() int64 {
	n := 5 * o.Dims // the numbers, and room to grow
	if o.Approximate {
		n += rowSize(o.Dims) + 16*o.m() + 16
	}
	return int64(n)
}

// Check reports what makes no sense; "": nothing.
func (o Options) Check() string {
	switch {
	case o.Dims < 1 || o.Dims > MaxDims:
		return fmt.Sprintf("vectors of %d numbers are out of range: 1 to %d", o.Dims, MaxDims)
	case o.Similarity < Cosine || o.Similarity > Euclidean:
		return "unknown " + o.Similarity.String()
	case o.M < 0 || o.M == 1 || o.M > mostM:
		return fmt.Sprintf("%d neighbours are out of range: 2 to %d", o.M, mostM)
	case o.EfConstruction < 0 || o.EfConstruction > mostEf:
		return fmt.Sprintf("%d candidates are out of range: 1 to %d", o.EfConstruction, mostEf)
	case !o.Approximate && (o.M != 0 || o.EfConstruction != 0):
		return "only an approximate field has M and EfConstruction"
	}
	return ""
}

// CheckVector reports why v is no vector of the field; "": it is one.
func (o Options) CheckVector(v []float32) string {
	if len(v) != o.Dims {
		return fmt.Sprintf("a vector of %d numbers, not %d", len(v), o.Dims)
	}
	for i, x := range v {
		if !(math.Abs(float64(x)) <= MaxNumber) {
			return fmt.Sprintf("number %d of the vector, %v, is out of range", i, x)
		}
	}
	return ""
}
