package graph

import (
	"bufio"
	"cmp"
	"container/heap"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"slices"
)

// record is an edge to be sorted: by the node that it enters, then by the one that it leaves.
type record struct {
	key    uint64 // to, and below it from
	weight float32
}

// sorter sorts edges, those that do not fit into memory in files.
type sorter struct {
	opt     BuildOptions
	most    int      // edges in memory
	keys    []uint64 // without weights
	records []record // with weights
	spare   []uint64 // for sorting
	files   []*os.File
	added   int
}

func newSorter(opt BuildOptions) *sorter {
	if opt.MemoryBudget == 0 {
		opt.MemoryBudget = presetBudget
	}
	return &sorter{opt: opt, most: int(max(opt.MemoryBudget, leastBudget) / 16)} // 8 bytes and as many to sort, or 16
}

func (s *sorter) add(e Edge) error {
	key := uint64(e.To)<<32 | uint64(e.From)
	s.added++
	if s.opt.Weighted {
		s.records = append(s.records, record{key, e.Weight})
	} else {
		s.keys = append(s.keys, key)
	}
	if len(s.keys)+len(s.records) < s.most {
		return nil
	}
	return s.spill()
}

// sort sorts what is in memory. Equal edges lie by weight, so that their sum does not depend
// on the order in which they came.
func (s *sorter) sort() {
	slices.SortFunc(s.records, func(a, b record) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.weight, b.weight))
	})
	if len(s.spare) < len(s.keys) {
		s.spare = make([]uint64, len(s.keys))
	}
	radixSort(s.keys, s.spare)
}

// radixSort sorts keys by 16 bits at a time, from the lowest, and passes over those that all keys share.
func radixSort(keys, spare []uint64) {
	if len(keys) < 1<<12 {
		slices.Sort(keys)
		return
	}
	from, to := keys, spare[:len(keys)]
	count := make([]int, 1<<16)
	for shift := 0; shift < 64; shift += 16 {
		clear(count)
		for _, k := range from {
			count[uint16(k>>shift)]++
		}
		if count[uint16(from[0]>>shift)] == len(from) {
			continue
		}
		at := 0
		for i, n := range count {
			count[i] = at
			at += n
		}
		for _, k := range from {
			d := uint16(k >> shift)
			to[count[d]] = k
			count[d]++
		}
		from, to = to, from
	}
	if &from[0] != &keys[0] {
		copy(keys, from)
	}
}

// spill writes what is in memory to a file. Of each edge it has the distance of its key from the one before, as a
// varint, and, in a graph with weights, the weight in four bytes. Equal edges without weights are written once.
func (s *sorter) spill() (err error) {
	s.sort()
	f, err := os.CreateTemp(s.opt.Dir, "quarry-edges-*")
	if err != nil {
		return fmt.Errorf("graph: %w", err)
	}
	s.files = append(s.files, f)
	w := bufio.NewWriterSize(f, 1<<18)
	buf := make([]byte, 0, 16)
	last := uint64(0)
	for i, key := range s.keys {
		if i > 0 && key == last {
			continue
		}
		buf = binary.AppendUvarint(buf[:0], key-last)
		w.Write(buf)
		last = key
	}
	for _, r := range s.records {
		buf = binary.AppendUvarint(buf[:0], r.key-last)
		buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(r.weight))
		w.Write(buf)
		last = r.key
	}
	s.keys, s.records = s.keys[:0], s.records[:0]
	if err := w.Flush(); err != nil {
		return fmt.Errorf("graph: %w", err)
	}
	return nil
}

// close removes the files.
func (s *sorter) close() (err error) {
	for _, f := range s.files {
		err = errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	s.files = nil
	return err
}

// sorted yields all edges in order.
func (s *sorter) sorted() iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		if len(s.files) == 0 {
			s.sort()
			for _, key := range s.keys {
				if !yield(record{key: key}, nil) {
					return
				}
			}
			for _, r := range s.records {
				if !yield(r, nil) {
					return
				}
			}
			return
		}
		if err := s.spill(); err != nil {
			yield(record{}, err)
			return
		}
		s.keys, s.records, s.spare = nil, nil, nil // the graph takes their place
		if err := s.merge(yield); err != nil {
			yield(record{}, err)
		}
	}
}

// merge merges the files.
func (s *sorter) merge(yield func(record, error) bool) error {
	var all runs
	for _, f := range s.files {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return fmt.Errorf("graph: %w", err)
		}
		r := &runReader{in: bufio.NewReaderSize(f, 1<<17), weighted: s.opt.Weighted}
		if ok, err := r.next(); err != nil {
			return err
		} else if ok {
			all = append(all, r)
		}
	}
	heap.Init(&all)
	for len(all) > 0 {
		if !yield(all[0].now, nil) {
			return nil
		}
		ok, err := all[0].next()
		switch {
		case err != nil:
			return err
		case ok:
			heap.Fix(&all, 0)
		default:
			heap.Pop(&all)
		}
	}
	return nil
}

// runReader reads a file of sorted edges.
type runReader struct {
	in       *bufio.Reader
	weighted bool
	now      record
}

// next goes to the next edge; false: there is none.
func (r *runReader) next() (bool, error) {
	step, err := binary.ReadUvarint(r.in)
	if err == io.EOF {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("graph: %w", err)
	}
	r.now.key += step
	if r.weighted {
		var b [4]byte
		if _, err := io.ReadFull(r.in, b[:]); err != nil {
			return false, fmt.Errorf("graph: %w", err)
		}
		r.now.weight = math.Float32frombits(binary.LittleEndian.Uint32(b[:]))
	}
	return true, nil
}

// runs is a heap of files by the edges that they are at.
type runs []*runReader

func (h runs) Len() int { return len(h) }
func (h runs) Less(i, j int) bool {
	a, b := h[i].now, h[j].now
	return a.key < b.key || a.key == b.key && a.weight < b.weight
}
func (h runs) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *runs) Push(x any)   { *h = append(*h, x.(*runReader)) }
func (h *runs) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
