package pagefile

import "crypto/subtle"

// The parity of a file lets every stretch of damage that touches one page of a
// stripe be undone. Pages of head and body are taken 4096 at a time; the last of
// these groups may have fewer. Page i of a group of n pages belongs to the stripe
// i mod k, where k is
//
//	1    for n = 1
//	2    for n up to 64
//	4    for n up to 128
//	8    for n up to 256
//	16   for more
//
// so that neighbours are in different stripes. The parity of a stripe is the
// exclusive or of its pages, the shorter last one of the file filled up with zeros;
// it is as long as the longest of them. The parity of a file is that of its groups
// one after another, each of stripes n mod k, n+1 mod k and so on, so that it goes
// on where the pages end: 0.4% of a large file.
const (
	groupPages  = 4096
	mostStripes = 16
)

// stripes returns how many stripes a group of n pages has.
func stripes(n uint64) uint64 {
	if n == 1 {
		return 1
	}
	k := uint64(2)
	for k < mostStripes && k*32 < n {
		k *= 2
	}
	return k
}

// paritySize returns how long the parity of so many bytes is.
func paritySize(body uint64) uint64 {
	pages := pagesOf(body)
	full := pages / groupPages
	size := full * mostStripes * PageSize
	switch n := pages % groupPages; n {
	case 0:
	case 1:
		size += body - (pages-1)*PageSize
	default:
		size += stripes(n) * PageSize
	}
	return size
}

// parityWriter sums up the pages of a file that is written.
type parityWriter struct {
	group [mostStripes][PageSize]byte
	pages uint64 // of the group that are complete
	done  []byte // of the groups before
}

// add adds bytes at a place of the page that is not complete yet.
func (p *parityWriter) add(at int, b []byte) {
	stripe := p.group[p.pages%mostStripes][at : at+len(b)]
	subtle.XORBytes(stripe, stripe, b)
}

// next says that a page of so many bytes is complete.
func (p *parityWriter) next(size int) {
	if p.pages++; p.pages == groupPages {
		p.end(size)
	}
}

// end ends a group, whose last page has so many bytes.
func (p *parityWriter) end(size int) {
	if p.pages == 0 {
		return
	}
	k := stripes(p.pages)
	for i := k; i < mostStripes; i++ {
		to := p.group[i%k][:]
		subtle.XORBytes(to, to, p.group[i][:])
	}
	if p.pages > 1 {
		size = PageSize
	}
	for i := range k {
		p.done = append(p.done, p.group[(p.pages+i)%k][:size]...)
	}
	clear(p.group[:])
	p.pages = 0
}
