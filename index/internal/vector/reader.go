package vector

import (
	"encoding/binary"
	"math"
	"sort"

	"github.com/webquarry/quarry/index/internal/pagefile"
)

// File finds sections.
type File interface {
	Section(kind, field uint16) (pagefile.Section, bool)
}

// Reader reads the vectors of a field. It may be used from many goroutines.
type Reader struct {
	Options
	n      uint32 // vectors
	of     []byte // their documents; nil: all have one
	floats pagefile.Section
	graph  *graphFile // nil: there is none
	where  pagefile.Section
}

// graphFile is a graph in a file.
type graphFile struct {
	o     Options
	n     uint32
	size  int // of the codes of a vector
	entry uint32
	codes pagefile.Section
	low   pagefile.Section
	upper []upperLevel // from level 1 up
	where pagefile.Section
}

type upperLevel struct {
	nodes []byte
	rows  []byte
}

// Open opens the vectors of a field; nil when the file has none. Damage is reported
// here, or when what is damaged is read.
func Open(f File, field uint16, docs uint32) (*Reader, error) {
	head, ok := f.Section(SectionHead, field)
	if !ok {
		return nil, nil
	}
	b, err := head.All()
	if err != nil {
		return nil, err
	}
	if len(b) != headSize {
		return nil, head.Damage(0, "head of vectors of the wrong length")
	}
	le := binary.LittleEndian
	r := &Reader{n: le.Uint32(b[12:]), where: head}
	r.Options = Options{Dims: int(le.Uint32(b)), Similarity: Similarity(b[4]), Approximate: b[5]&flagApproximate != 0, M: int(le.Uint16(b[6:])), EfConstruction: int(le.Uint16(b[8:]))}
	if msg := r.Check(); msg != "" {
		return nil, head.Damage(0, msg)
	}
	if r.n > docs {
		return nil, head.Damage(12, "more vectors than documents")
	}
	section := func(kind uint16) pagefile.Section {
		s, _ := f.Section(kind, field) // one that is absent is empty
		return s
	}
	of := section(SectionDocs)
	switch want := 4 * uint64(r.n); {
	case r.n == docs && of.Len() == 0:
	case of.Len() != want:
		return nil, head.Damage(12, "another number of documents with vectors")
	default:
		if r.of, err = of.All(); err != nil {
			return nil, err
		}
		for id := range r.n {
			if doc := r.doc(id); doc >= docs || id > 0 && r.doc(id-1) >= doc {
				return nil, of.Damage(4*uint64(id), "documents with vectors are out of order")
			}
		}
	}
	if r.floats = section(SectionFloats); r.floats.Len() != uint64(r.n)*uint64(4+4*r.Dims) {
		return nil, head.Damage(12, "another number of vectors")
	}
	if b[5]&flagGraph == 0 {
		return r, nil
	}
	g := &graphFile{o: r.Options, n: r.n, size: rowSize(r.Dims), entry: le.Uint32(b[16:]), where: head}
	g.codes, g.low = section(SectionCodes), section(SectionLinks)
	if g.entry >= r.n || g.codes.Len() != uint64(r.n)*uint64(g.size) || g.low.Len() != uint64(r.n)*uint64(4+8*g.o.m()) {
		return nil, head.Damage(0, "a graph of another size")
	}
	if err := g.open(section(SectionUpper), int(le.Uint16(b[10:]))); err != nil {
		return nil, err
	}
	r.graph = g
	return r, nil
}

// open opens the upper levels.
func (g *graphFile) open(s pagefile.Section, levels int) error {
	b, err := s.All()
	if err != nil {
		return err
	}
	size := uint64(len(b))
	for level := 1; level < levels; level++ {
		if len(b) < 4 {
			return g.where.Damage(10, "a level of the graph is missing")
		}
		n := uint64(binary.LittleEndian.Uint32(b))
		row := uint64(4 + 4*g.o.m())
		if b = b[4:]; n == 0 || n > uint64(g.n) || n*(4+row) > uint64(len(b)) {
			return g.where.Damage(10, "a level of the graph reaches beyond its section")
		}
		g.upper = append(g.upper, upperLevel{b[:4*n], b[4*n : n*(4+row)]})
		b = b[n*(4+row):]
	}
	if len(b) > 0 || levels < 1 || levels > mostLevels {
		return g.where.Damage(size, "a graph of another number of levels")
	}
	if g.top() > 0 {
		if _, ok := g.upper[g.top()-1].find(g.entry); !ok {
			return g.where.Damage(16, "the graph starts at a vector that is not at its highest level")
		}
	}
	return nil
}

func (u upperLevel) find(id uint32) (place int, ok bool) {
	n := len(u.nodes) / 4
	i := sort.Search(n, func(i int) bool { return linkAt(u.nodes[4*i:]) >= id })
	return i, i < n && linkAt(u.nodes[4*i:]) == id
}

func (g *graphFile) top() int { return len(g.upper) }

// count is how many vectors a level has.
func (g *graphFile) count(level int) int {
	if level == 0 {
		return int(g.n)
	}
	return len(g.upper[level-1].nodes) / 4
}

// nodes are the vectors of a level from 1 up.
func (g *graphFile) nodes(level int) (out []uint32) {
	if level == 0 {
		return nil
	}
	for b := g.upper[level-1].nodes; len(b) > 0; b = b[4:] {
		out = append(out, linkAt(b))
	}
	return out
}

func (g *graphFile) row(id uint32) ([]byte, error) {
	return g.codes.Bytes(uint64(id)*uint64(g.size), uint64(g.size))
}

// links implements graph.
func (g *graphFile) links(level int, id uint32) ([]byte, error) {
	width, row := 2*g.o.m(), []byte(nil)
	if level == 0 {
		var err error
		size := uint64(4 + 4*width)
		if row, err = g.low.Bytes(uint64(id)*size, size); err != nil {
			return nil, err
		}
	} else {
		width /= 2
		u := g.upper[level-1]
		i, ok := u.find(id)
		if !ok {
			return nil, g.where.Damage(0, "a neighbour is not at the level of the graph")
		}
		size := 4 + 4*width
		row = u.rows[i*size : (i+1)*size]
	}
	n := linkAt(row)
	if n > uint32(width) {
		return nil, g.low.Damage(0, "more neighbours than there is room for")
	}
	row = row[4 : 4+4*n]
	for b := row; len(b) >= 4; b = b[4:] {
		if linkAt(b) >= g.n {
			return nil, g.low.Damage(0, "a neighbour that is not there")
		}
	}
	return row, nil
}

// Len is how many vectors there are. A nil Reader has none.
func (r *Reader) Len() int {
	if r == nil {
		return 0
	}
	return int(r.n)
}

// Graph reports whether there is a graph.
func (r *Reader) Graph() bool { return r.graph != nil }

// doc is the document of a vector.
func (r *Reader) doc(id uint32) uint32 {
	if r.of == nil {
		return id
	}
	return linkAt(r.of[4*id:])
}

// find returns the vector of a document.
func (r *Reader) find(doc uint32) (id uint32, ok bool) {
	if r.of == nil {
		return doc, doc < r.n
	}
	i := sort.Search(int(r.n), func(i int) bool { return r.doc(uint32(i)) >= doc })
	return uint32(i), i < int(r.n) && r.doc(uint32(i)) == doc
}

// Has reports whether a document has a vector. A nil Reader has none.
func (r *Reader) Has(doc uint32) bool {
	if r == nil {
		return false
	}
	_, ok := r.find(doc)
	return ok
}

// Next returns the first document from one on that has a vector; false: there is none.
func (r *Reader) Next(doc uint32) (uint32, bool) {
	if r == nil {
		return 0, false
	}
	id, _ := r.find(doc)
	if id >= r.n {
		return 0, false
	}
	return max(doc, r.doc(id)), true
}

// At returns the vector of a document; nil: it has none. A nil Reader has none.
func (r *Reader) At(doc uint32) ([]float32, error) {
	if r == nil {
		return nil, nil
	}
	id, ok := r.find(doc)
	if !ok {
		return nil, nil
	}
	row, err := r.floatsOf(id)
	if err != nil {
		return nil, err
	}
	v := make([]float32, r.Dims)
	for i := range v {
		v[i] = math.Float32frombits(linkAt(row[4+4*i:]))
	}
	return v, nil
}

// Row returns the vector of a document that has one, as [AppendFloats] has it.
func (r *Reader) Row(doc uint32) ([]byte, error) {
	id, ok := r.find(doc)
	if !ok {
		return nil, r.where.Damage(0, "documents with vectors are out of order")
	}
	return r.floatsOf(id)
}

// floatsOf returns the row of a vector in the section of floats.
func (r *Reader) floatsOf(id uint32) ([]byte, error) {
	size := uint64(4 + 4*r.Dims)
	return r.floats.Bytes(uint64(id)*size, size)
}
