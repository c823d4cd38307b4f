package fetch

import (
	"io"
	"sync"
)

// pieceSize is enough for most pages whole.
const pieceSize = 64 << 10

type piece [pieceSize]byte

// pieces collects a body of unknown length in pieces, which are kept for the
// next one. A buffer that doubles as it fills would leave behind several times
// the largest bodies, and those come when a server means harm.
type pieces struct {
	pool *sync.Pool // of *piece
	all  []*piece
	n    int64
}

// readFrom takes what r has, to its end.
func (p *pieces) readFrom(r io.Reader) error {
	for idle := 0; idle < 100; idle++ {
		used := int(p.n % pieceSize)
		if int64(len(p.all))*pieceSize == p.n {
			next, ok := p.pool.Get().(*piece)
			if !ok {
				next = new(piece)
			}
			p.all = append(p.all, next)
		}
		n, err := r.Read(p.all[len(p.all)-1][used:])
		p.n += int64(n)
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case n > 0:
			idle = 0
		}
	}
	return io.ErrNoProgress
}

// bytes returns the first of the bytes, at most limit, in a slice of their own.
func (p *pieces) bytes(limit int64) []byte {
	out := make([]byte, 0, min(p.n, limit))
	for _, from := range p.all {
		out = append(out, from[:min(pieceSize, cap(out)-len(out))]...)
	}
	return out
}

// free gives the pieces back.
func (p *pieces) free() {
	for _, done := range p.all {
		p.pool.Put(done)
	}
	p.all = nil
}
