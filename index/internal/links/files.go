package links

import (
	"context"
	"slices"

	"github.com/webquarry/quarry/index/internal/commit"
	"github.com/webquarry/quarry/index/internal/fault"
	"github.com/webquarry/quarry/index/internal/front"
	"github.com/webquarry/quarry/index/internal/segment"
)

// Readers reads many anchors, quickly when their targets ascend.
type Readers []anchorReader

type anchorReader struct {
	*commit.File
	records *segment.Walk
}

// NewReaders reads files, the oldest first.
func NewReaders(files []*commit.File) (out Readers) {
	for _, h := range files {
		out = append(out, anchorReader{h, h.Seg.Walk()})
	}
	return out
}

// Find returns what is kept for a key.
func (r Readers) Find(key string) (Entry, error) {
	for _, file := range slices.Backward(r) {
		place, err := file.Seg.Find(key)
		if err != nil {
			return Entry{}, fault.Damage(file.Name(), err)
		}
		if place != segment.NoDoc {
			return file.At(key, place)
		}
	}
	return Entry{}, nil
}

// At returns what is kept for a key by its place in the file.
func (r anchorReader) At(key string, place uint32) (Entry, error) {
	values, err := r.records.Values(place, allValues)
	return Read(r.File, key, values, err)
}

// Crowded returns from which file on, but the first ones, they are to be one, so
// that each file is at least twice as large as all newer ones together: then there
// are few.
func Crowded(files []*commit.File, first int) int {
	from, newer := len(files), int64(0)
	for i := len(files) - 1; i >= first; i-- {
		if files[i].Bytes < 2*newer {
			from = i
		}
		newer += files[i].Bytes
	}
	return from
}

// CopyTo writes what files hold, of which the newest is the first. When they are
// all files, keys of which nothing is kept are left out.
func (r Readers) CopyTo(ctx context.Context, out *segment.Writer, all bool) (err error) {
	walks := make([]*front.Iter, len(r))
	for i := range r {
		walks[i] = r[i].Seg.Keys.Iter()
	}
	wanted := func(int) bool { return err == nil }
	file, mergeErr := front.Merge(walks, wanted, func(i int, first bool) {
		if !first || err != nil {
			return
		}
		if err = context.Cause(ctx); err != nil {
			return
		}
		small, large, recordErr := r[i].records.Record(uint32(walks[i].Place()))
		if err = fault.Damage(r[i].Name(), recordErr); err == nil && (len(small) > 0 || !all) {
			out.Document(walks[i].Text(), small, large)
		}
	})
	if err == nil && mergeErr != nil {
		err = fault.Damage(r[file].Name(), mergeErr)
	}
	return err
}

// Of returns what files have of a key, of which the newest is the last.
func Of(files []*commit.File, key string) (Entry, error) {
	for _, h := range slices.Backward(files) {
		place, err := h.Seg.Find(key)
		if err != nil {
			return Entry{}, fault.Damage(h.Name(), err)
		}
		if place != segment.NoDoc {
			values, err := h.Seg.Values(place, allValues)
			return Read(h, key, values, err)
		}
	}
	return Entry{}, nil
}

func allValues(int) bool { return true }
