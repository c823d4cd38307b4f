package vector

import (
	"encoding/binary"
	"math"
	"slices"
)

// The graph is a hierarchical navigable small world (Malkov and Yashunin, 2016), built
// one vector after another: the same vectors in the same order give the same graph. It compares
// vectors by their codes. The level of a vector goes by its number alone.

// mostLevels is how many levels a graph has at most.
const mostLevels = 32

// layer is a level of a graph under construction.
type layer struct {
	width int       // how many neighbours a vector has at most
	nodes []uint32  // its vectors, ascending; nil: all
	rows  []byte    // as in the file
	near  []float32 // how near each neighbour is
}

func newLayer(width, n int, nodes []uint32) *layer {
	return &layer{width, nodes, make([]byte, n*(4+4*width)), make([]float32, n*width)}
}

// place is the row of a vector.
func (l *layer) place(id uint32) int {
	if l.nodes == nil {
		return int(id)
	}
	i, _ := slices.BinarySearch(l.nodes, id)
	return i
}

func (l *layer) row(place int) []byte {
	size := 4 + 4*l.width
	return l.rows[place*size : (place+1)*size]
}

func linkAt(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }

// neighbours appends the neighbours of a vector, the nearest first.
func (l *layer) neighbours(to []scored, place int) []scored {
	row := l.row(place)
	for i := range int(linkAt(row)) {
		to = append(to, scored{l.near[place*l.width+i], linkAt(row[4+4*i:])})
	}
	return to
}

func (l *layer) set(place int, to []scored) {
	row := l.row(place)
	binary.LittleEndian.PutUint32(row, uint32(len(to)))
	for i, s := range to {
		binary.LittleEndian.PutUint32(row[4+4*i:], s.id)
		l.near[place*l.width+i] = s.near
	}
}

// builder builds a graph.
type builder struct {
	o      Options
	rows   []byte // codes of all vectors
	size   int    // of one
	n      int
	levels []uint8 // of each vector
	layers []*layer
	entry  uint32
	top    int // level of entry; -1: there is none
	check  func() error

	walk   walk
	target code   // of the vector that is put in
	spare  []code // of neighbours that were chosen
	room   []scored
}

// newBuilder begins a graph of vectors with these codes. Check is called for each vector,
// and ends the work by its error.
func newBuilder(o Options, rows []byte, check func() error) *builder {
	b := &builder{o: o, rows: rows, size: rowSize(o.Dims), top: -1, check: check}
	b.n = len(rows) / b.size
	b.levels = make([]uint8, b.n)
	for id := range b.levels {
		b.levels[id] = levelOf(uint32(id), o.m())
	}
	return b
}

// start makes empty layers for the levels.
func (b *builder) start() {
	of := make([][]uint32, mostLevels)
	for id, level := range b.levels {
		for l := 1; l <= int(level); l++ {
			of[l] = append(of[l], uint32(id))
		}
	}
	b.layers = []*layer{newLayer(2*b.o.m(), b.n, nil)}
	for _, nodes := range of[1:] {
		if len(nodes) == 0 {
			break
		}
		b.layers = append(b.layers, newLayer(b.o.m(), len(nodes), nodes))
	}
}

// levelOf is the level of a vector: 0 for most, and one more for one of m.
func levelOf(id uint32, m int) uint8 {
	x := uint64(id)*0x9e3779b97f4a7c15 + 0x1234567 // splitmix64
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	x ^= x >> 31
	u := (float64(x>>11) + 0.5) / (1 << 53)
	return uint8(min(-math.Log(u)/math.Log(float64(m)), mostLevels-1))
}

func (b *builder) codes(id uint32) []byte { return b.rows[int(id)*b.size:][:b.size] }

func (b *builder) near(id uint32) (float32, error) { return b.target.near(b.codes(id)), nil }

func (b *builder) links(level int, id uint32) ([]byte, error) {
	l := b.layers[level]
	row := l.row(l.place(id))
	return row[4 : 4+4*linkAt(row)], nil
}

// build puts all vectors in.
func (b *builder) build() error {
	b.start()
	for id := range uint32(b.n) {
		if err := b.check(); err != nil {
			return err
		}
		b.put(id)
	}
	return nil
}

func (b *builder) put(id uint32) {
	level := int(b.levels[id])
	if b.top < 0 {
		b.entry, b.top = id, level
		return
	}
	b.target.set(b.o, b.codes(id))
	near, _ := b.near(b.entry)
	at := scored{near, b.entry}
	for l := b.top; l > level; l-- {
		at, _ = b.walk.descend(b, l, at) // in memory nothing fails
	}
	from := []scored{at}
	for l := min(level, b.top); l >= 0; l-- {
		b.walk.begin(b.n)
		b.walk.search(b, l, from, b.o.construct(), math.MaxInt, nil)
		from = append(from[:0], b.walk.sorted()...)
		b.connect(l, id, from)
	}
	if level > b.top {
		b.entry, b.top = id, level
	}
}

// connect makes a vector and some of those found neighbours.
func (b *builder) connect(level int, id uint32, found []scored) {
	l := b.layers[level]
	chosen := b.choose(found, b.o.m())
	l.set(l.place(id), chosen)
	for _, s := range chosen {
		b.link(l, s.id, scored{s.near, id})
	}
}

// choose takes those of the vectors found, the nearest first, that are nearer to the
// target than to any that was taken: neighbours in different directions.
func (b *builder) choose(found []scored, most int) (chosen []scored) {
	for _, s := range found {
		if len(chosen) == most {
			break
		}
		row, diverse := b.codes(s.id), true
		for i := range chosen {
			if b.spare[i].near(row) > s.near {
				diverse = false
				break
			}
		}
		if !diverse {
			continue
		}
		if len(b.spare) <= len(chosen) {
			b.spare = append(b.spare, code{})
		}
		b.spare[len(chosen)].set(b.o, row)
		chosen = append(chosen, s)
	}
	return chosen
}

// link gives a vector one more neighbour. When there is no room, the farthest goes that
// is nearer to another neighbour than to the vector; if there is none, the farthest.
func (b *builder) link(l *layer, id uint32, s scored) {
	place := l.place(id)
	all := l.neighbours(b.room[:0], place)
	at, _ := slices.BinarySearchFunc(all, s, compareScored)
	all = slices.Insert(all, at, s)
	if len(all) > l.width {
		out := b.redundant(all)
		all = slices.Delete(all, out, out+1)
	}
	l.set(place, all)
	b.room = all
}

// redundant returns the place of the neighbour that is missed least.
func (b *builder) redundant(all []scored) int {
	if len(b.spare) == 0 {
		b.spare = append(b.spare, code{})
	}
	c := &b.spare[0]
	for i := len(all) - 1; i > 0; i-- {
		c.set(b.o, b.codes(all[i].id))
		for _, nearer := range all[:i] {
			if c.near(b.codes(nearer.id)) > all[i].near {
				return i
			}
		}
	}
	return len(all) - 1
}

// adopt begins with the graph of others: to says which number each of its vectors has
// here. The vectors that it lacks are put in.
func (b *builder) adopt(g *graphFile, to []uint32) error {
	if err := g.verify(b.check); err != nil {
		return err
	}
	// What is taken over keeps its levels, which may not be those of its new numbers.
	old := make([]bool, b.n)
	for _, id := range to {
		old[id], b.levels[id] = true, 0
	}
	for level := 1; level <= g.top(); level++ {
		for _, id := range g.nodes(level) {
			b.levels[to[id]] = uint8(level)
		}
	}
	b.start()
	for level := 0; level <= g.top(); level++ {
		nodes := g.nodes(level)
		for i := range g.count(level) {
			if err := b.check(); err != nil {
				return err
			}
			id := uint32(i)
			if level > 0 {
				id = nodes[i]
			}
			links, err := g.links(level, id)
			if err != nil {
				return err
			}
			b.target.set(b.o, b.codes(to[id]))
			b.room = b.room[:0]
			for ; len(links) >= 4; links = links[4:] {
				other := to[linkAt(links)]
				near, _ := b.near(other)
				b.room = append(b.room, scored{near, other})
			}
			slices.SortFunc(b.room, compareScored)
			l := b.layers[level]
			l.set(l.place(to[id]), b.room)
		}
	}
	b.entry, b.top = to[g.entry], g.top()
	for id := range uint32(b.n) {
		if old[id] {
			continue
		}
		if err := b.check(); err != nil {
			return err
		}
		b.put(id)
	}
	return nil
}
