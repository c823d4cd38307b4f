package graph

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// blockRows is how many rows are worked on in one go. Sums are made block by block, and then of
// the blocks in order, so that rounding does not depend on who did which.
const blockRows = 1 << 12

// rows calls f for all blocks of n rows, on all processors, and returns the sums of what it returns. It ends with
// the context, of which it then returns the cause.
func rows(ctx context.Context, n int, f func(lo, hi uint32) (a, b float64)) (a, b float64, err error) {
	blocks := (n + blockRows - 1) / blockRows
	sums := make([][2]float64, blocks)
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), blocks) {
		group.Go(func() {
			for ctx.Err() == nil {
				b := int(next.Add(1)) - 1
				if b >= blocks {
					return
				}
				sums[b][0], sums[b][1] = f(uint32(b*blockRows), uint32(min((b+1)*blockRows, n)))
			}
		})
	}
	group.Wait()
	if ctx.Err() != nil {
		return 0, 0, context.Cause(ctx)
	}
	for _, s := range sums {
		a += s[0]
		b += s[1]
	}
	return a, b, nil
}
