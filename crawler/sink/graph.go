package sink

import (
	"encoding/binary"
	"errors"
	"iter"

	"github.com/webquarry/quarry/internal/durable"
)

// Graph is what a [Links] has kept.
type Graph struct {
	Names   []string   // of the nodes
	Targets [][]uint32 // of each node, sorted; nil for one that was no page
}

// Edges walks all links, by their sources.
func (g *Graph) Edges() iter.Seq2[uint32, uint32] {
	return func(yield func(from, to uint32) bool) {
		for from, targets := range g.Targets {
			for _, to := range targets {
				if !yield(uint32(from), to) {
					return
				}
			}
		}
	}
}

// ReadLinks reads the folder of a Links that was closed. Damage is an error that
// matches durable's ErrCorrupt.
func ReadLinks(dir string) (*Graph, error) {
	d, err := durable.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	g := &Graph{}
	read := graphReader{
		node: func(name []byte) {
			g.Names = append(g.Names, string(name))
			g.Targets = append(g.Targets, nil)
		},
		links: func(from uint32, to []uint32) { g.Targets[from] = to },
	}
	if err := durable.ReadLog(d, linksFile, read.record); err != nil {
		return nil, err
	}
	return g, nil
}

var errLinks = errors.New("links cannot be read")

// graphReader reads the records of the log.
type graphReader struct {
	nodes uint64
	name  []byte
	node  func(name []byte)
	links func(from uint32, to []uint32) // nil: not wanted
}

func (g *graphReader) record(rec []byte) error {
	head, n := binary.Uvarint(rec[1:])
	if n <= 0 {
		return &durable.CorruptError{Err: errLinks}
	}
	ok := false
	switch rest := rec[1+n:]; rec[0] {
	case kindNodes:
		ok = head == g.nodes && g.readNodes(rest)
	case kindLinks:
		ok = head < g.nodes && g.readLinks(uint32(head), rest)
	}
	if !ok {
		return &durable.CorruptError{Err: errLinks}
	}
	return nil
}

func (g *graphReader) readNodes(b []byte) bool {
	g.name = g.name[:0]
	for len(b) > 0 {
		same, n := binary.Uvarint(b)
		if n <= 0 || same > uint64(len(g.name)) {
			return false
		}
		size, k := binary.Uvarint(b[n:])
		if k <= 0 || size > uint64(len(b)-n-k) || g.nodes == 1<<32 {
			return false
		}
		b = b[n+k:]
		g.name = append(g.name[:same], b[:size]...)
		b = b[size:]
		g.nodes++
		g.node(g.name)
	}
	return true
}

func (g *graphReader) readLinks(from uint32, b []byte) bool {
	to := []uint32{}
	for at := uint64(0); len(b) > 0; {
		gap, n := binary.Uvarint(b)
		if n <= 0 || gap >= g.nodes || at+gap >= g.nodes {
			return false
		}
		at += gap
		to = append(to, uint32(at))
		b = b[n:]
	}
	if g.links != nil {
		g.links(from, to)
	}
	return true
}
