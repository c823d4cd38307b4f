package pagefile

import (
	"bytes"
	"context"
	"crypto/subtle"
	"errors"
)

// Limits of what Repair looks for.
const (
	farthest = 1 << 20 // bytes that may be missing
	nearest  = 64      // bytes that may be missing or too many at several places
)

// Repair makes of what is left of a file what it was, as far as that can be done:
// where some bytes have changed, are missing or are too many, or the end is lost.
// It changes data. Whole says that the file is what was written, byte by byte;
// else there are pages that do not fit their checksums, or the end is missing. Out
// is what the file is made of. Only a file of the ID is taken, when it is not zero.
// The error is a *[Damage] or [ErrVersion].
func Repair(data []byte, id ID) (f *File, out []byte, whole bool, err error) {
	f, start, length, err := findFooter(data, id)
	if err != nil {
		return nil, nil, false, err
	}
	foot := bytes.Clone(data[start : start+length])
	pages := foot[footerHead+len(f.sections)*sectionSize:]
	f.pages, f.parity = pages[:len(f.pages)], pages[len(f.pages):][:len(f.parity)]
	first, second := int64(start-f.body), int64(start-f.body-f.foot-f.paritySize()) // as it is the first footer or the second
	if len(f.parity) == 0 {
		second = first
	}
	f.assemble(data, shifts(first, second), foot)
	return f, f.data, f.restore(), nil
}

// findFooter finds the last footer that is sound.
func findFooter(data []byte, id ID) (f *File, start, length uint64, err error) {
	for end := len(data); ; {
		f, start, e := openFooter(data[:end])
		if e == nil && id != (ID{}) && f.id != id {
			e = &Damage{start, "another file, with the ID " + f.id.String()}
		}
		if e == nil && f.body > start+farthest {
			e = &Damage{start, "too much is missing before the footer"}
		}
		if e == nil {
			return f, start, uint64(end) - start, nil
		}
		if err == nil {
			err = e
		}
		if errors.Is(e, ErrVersion) {
			return nil, 0, 0, e
		}
		at := bytes.LastIndex(data[:max(0, end-5)], []byte(trailerMagic))
		if at < 0 {
			return nil, 0, 0, err
		}
		end = at + len(trailerMagic) + 4
	}
}

// shifts returns by how many bytes pages may have moved, when the footer has moved
// by one of two distances.
func shifts(first, second int64) []int64 {
	out := []int64{0}
	if first == 0 || second == 0 {
		return out
	}
	for _, d := range []int64{second, first} {
		out = append(out, d)
		if d < -nearest || d > nearest {
			continue
		}
		for ; d < -1; d++ {
			out = append(out, d+1)
		}
		for ; d > 1; d-- {
			out = append(out, d-1)
		}
	}
	return out
}

// assemble puts the pages where they belong. What has moved is found by its
// checksum.
func (f *File) assemble(data []byte, shifts []int64, foot []byte) {
	size := f.body + f.foot
	if len(f.parity) > 0 {
		size += f.paritySize() + f.foot
	}
	out := data
	if len(shifts) > 1 || uint64(len(data)) < size {
		out = make([]byte, size)
	}
	last := int64(0)
	gather := func(from, to uint64, fits func([]byte) bool) {
		for _, shift := range append([]int64{last}, shifts...) {
			a, b := int64(from)+shift, int64(to)+shift
			if a >= 0 && b <= int64(len(data)) && fits(data[a:b]) {
				copy(out[from:to], data[a:b])
				last = shift
				return
			}
		}
		if a := int64(from) + last; a >= 0 && a < int64(len(data)) {
			copy(out[from:to], data[a:])
		}
	}
	for p := range pagesOf(f.body) {
		gather(p*PageSize, min((p+1)*PageSize, f.body), func(b []byte) bool { return f.fits(b, p) })
	}
	first := f.body + f.foot
	for p := range uint64(len(f.parity) / 4) {
		from := p * PageSize
		gather(first+from, first+min(from+PageSize, f.paritySize()), func(b []byte) bool { return f.parityFits(b, p) })
	}
	copy(out[f.body:], foot)
	copy(out[size-f.foot:size], foot)
	f.data = out[:size:size]
}

// restore makes pages again of the others of their stripes, and of the parity. It
// reports whether the file is what it was.
func (f *File) restore() bool {
	if len(f.parity) == 0 {
		return false
	}
	whole, parity := true, f.data[f.body+f.foot:][:f.paritySize()]
	for first, at := uint64(0), uint64(0); first < pagesOf(f.body); first += groupPages {
		n := min(pagesOf(f.body)-first, groupPages)
		for i := range stripes(n) {
			end := min(at+PageSize, f.paritySize())
			whole = f.restoreStripe(first+(n+i)%stripes(n), first+n, stripes(n), parity[at:end]) && whole
			at = end
		}
	}
	if !whole {
		return false
	}
	var p parityWriter // some of it may be damaged
	for i := range pagesOf(f.body) {
		page := f.page(i)
		p.add(0, page)
		if p.next(len(page)); i == pagesOf(f.body)-1 {
			p.end(len(page))
		}
	}
	copy(parity, p.done)
	return f.Verify(context.Background()) == nil
}

func (f *File) restoreStripe(first, end, step uint64, parity []byte) bool {
	var bad []uint64
	for p := first; p < end; p += step {
		if f.checkPage(p) != nil {
			bad = append(bad, p)
		}
	}
	if len(bad) != 1 {
		return len(bad) == 0
	}
	var sum [PageSize]byte
	copy(sum[:], parity)
	for p := first; p < end; p += step {
		if page := f.page(p); p != bad[0] {
			subtle.XORBytes(sum[:], sum[:len(page)], page)
		}
	}
	page := f.page(bad[0])
	if !f.fits(sum[:len(page)], bad[0]) {
		return false // the parity is damaged too
	}
	copy(page, sum[:])
	return true
}
