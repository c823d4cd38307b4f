package index

import (
	"cmp"
	"math"
	"slices"

	"github.com/webquarry/quarry/index/internal/segment"
)

// Segments are merged when there are several of about the same size, so that a
// document is copied once for each factor of eight by which its segment grows,
// and the number of segments grows with the logarithm of their size: at most
// seven for each step of eight from 32 KiB on.
const (
	mergeWidth = 8
	leastSize  = 32 << 10
	mostParts  = 96 // the writer waits for a merge when there are so many
	mostDead   = 3  // a segment with one deleted document in so many is written anew
)

// pick chooses what to merge next; nothing, when all is well.
func pick(parts []*part) []*part {
	for _, committed := range []bool{true, false} {
		var of []*part
		for _, p := range parts {
			if p.committed == committed && p.live() > 0 {
				of = append(of, p)
			}
		}
		if found := pickFrom(of); found != nil {
			return found
		}
	}
	return nil
}

func pickFrom(parts []*part) []*part {
	levels := map[int][]*part{}
	least := math.MaxInt
	for _, p := range parts {
		l := level(p.liveBytes())
		levels[l] = append(levels[l], p)
		if len(levels[l]) >= mergeWidth {
			least = min(least, l)
		}
	}
	if least != math.MaxInt {
		return fitting(levels[least])
	}
	for _, p := range parts {
		// Of those committed, what is deleted but not committed cannot go yet.
		dead := p.deleted.Len()
		if p.committed {
			dead = p.base.Len()
		}
		if dead*mostDead > int(p.seg.Docs) {
			return []*part{p}
		}
	}
	return nil
}

// fitting returns the smallest of the parts, as many as one segment can hold.
func fitting(parts []*part) []*part {
	slices.SortFunc(parts, func(a, b *part) int { return cmp.Compare(a.bytes, b.bytes) })
	docs := 0
	for i, p := range parts {
		if docs += p.live(); docs > segment.MaxDocs {
			if i < 2 {
				return nil
			}
			return parts[:i]
		}
	}
	return parts
}

// liveBytes is about what the live documents of a part take.
func (p *part) liveBytes() int64 {
	return int64(float64(p.bytes) * float64(p.live()) / float64(max(1, p.seg.Docs)))
}

// level is the number of factors of eight in a size.
func level(size int64) int {
	l := 0
	for size > leastSize {
		size /= mergeWidth
		l++
	}
	return l
}
