package index

import (
	"cmp"
	"maps"
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
	largeSize  = 64 << 20 // from so many bytes on a merge is large; one large and one small may run at a time
	mostParts  = 48       // the writer waits for a merge when there are so many
	mostDead   = 3        // a segment with one deleted document in so many is written anew
)

// large reports whether to merge the parts is much work.
func large(parts []*part) bool {
	size := int64(0)
	for _, p := range parts {
		size += p.liveBytes()
	}
	return size > largeSize
}

// pick chooses what to merge next, beside what is being merged; nothing, when
// all is well.
func pick(parts []*part, jobs []*job) []*part {
	for _, committed := range []bool{true, false} {
		var of []*part
		for _, p := range parts {
			taken := slices.ContainsFunc(jobs, func(j *job) bool { return j.has(p) })
			if p.committed == committed && p.live() > 0 && !taken {
				of = append(of, p)
			}
		}
		for _, found := range choices(of) {
			same := func(j *job) bool { return j.large == large(found) }
			if !slices.ContainsFunc(jobs, same) {
				return found
			}
		}
	}
	return nil
}

// choices returns what is worth merging, the smallest first.
func choices(parts []*part) (out [][]*part) {
	levels := map[int][]*part{}
	for _, p := range parts {
		l := level(p.liveBytes())
		levels[l] = append(levels[l], p)
	}
	for _, l := range slices.Sorted(maps.Keys(levels)) {
		if len(levels[l]) >= mergeWidth {
			if some := fitting(levels[l]); some != nil {
				out = append(out, some)
			}
		}
	}
	for _, p := range parts {
		// Of those committed, what is deleted but not committed cannot go yet.
		dead := p.deleted.Len()
		if p.committed {
			dead = p.base.Len()
		}
		if dead*mostDead > int(p.Seg.Docs) {
			out = append(out, []*part{p})
		}
	}
	return out
}

// fitting returns the smallest of the parts, as many as one segment can hold.
func fitting(parts []*part) []*part {
	slices.SortFunc(parts, func(a, b *part) int { return cmp.Compare(a.Bytes, b.Bytes) })
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
	return int64(float64(p.Bytes) * float64(p.live()) / float64(max(1, p.Seg.Docs)))
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
