package crawler

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// TestPieces: what comes in, in whatever portions, comes out, up to the limit.
func TestPieces(t *testing.T) {
	t.Parallel()
	random := rand.NewChaCha8([32]byte{1})
	pool := new(sync.Pool)
	for _, size := range []int{0, 1, pieceSize - 1, pieceSize, pieceSize + 1, 3*pieceSize + 5} {
		want := make([]byte, size)
		random.Read(want)
		for name, r := range map[string]io.Reader{
			"whole": bytes.NewReader(want), "halves": iotest.HalfReader(bytes.NewReader(want)), "with its end": iotest.DataErrReader(bytes.NewReader(want)),
		} {
			p := pieces{pool: pool}
			if err := p.readFrom(r); err != nil || p.n != int64(size) {
				t.Fatalf("%d %s: %d, %v", size, name, p.n, err)
			}
			if got := p.bytes(1 << 20); !bytes.Equal(got, want) || cap(got) != size {
				t.Errorf("%d %s: %d bytes of %d", size, name, len(got), cap(got))
			}
			if limit := size / 2; !bytes.Equal(p.bytes(int64(limit)), want[:limit]) {
				t.Errorf("%d %s: not the first half", size, name)
			}
			p.free()
		}
	}
	broken := errors.New("broken")
	p := pieces{pool: pool}
	if err := p.readFrom(io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken))); err != broken || string(p.bytes(9)) != "half" {
		t.Errorf("%v, %q", err, p.bytes(9))
	}
	if err := p.readFrom(idle{}); err != io.ErrNoProgress {
		t.Errorf("a reader that gives nothing: %v", err)
	}
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

// TestLargeBodyLeavesLittle: to read a large body takes its size twice at most.
func TestLargeBodyLeavesLittle(t *testing.T) { // not parallel: it counts what all allocate
	const size = 8 << 20
	h := &HTTP{UserAgent: testAgent, Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		body := io.NopCloser(io.LimitReader(zeros{}, 1<<40))
		return &http.Response{StatusCode: 200, Header: http.Header{}, ContentLength: -1, Request: r, Body: body}, nil
	})}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	resp, err := fetch(t, h, "http://a.test/")
	runtime.ReadMemStats(&after)
	if err != nil || len(resp.Body) != size || !resp.Truncated {
		t.Fatalf("%v", err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 2*size+1<<20 {
		t.Errorf("%d MiB allocated", n>>20)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestLargePagesWait: however many workers hold a large body, few are parsed at
// a time, and small ones do not wait for them.
func TestLargePagesWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, "")
		c.Workers, c.IgnoreRobots = 64, true
		c.Frontier = frontier.New(frontier.Options{Limits: frontier.Limits{PerHost: 64, PerDomain: -1, Delay: -1}})
		sizes := []int{8 << 20, 8 << 20, 3 << 20, 3 << 20, 3 << 20, 3 << 20, 300 << 10, 100 << 20}
		c.Fetcher = FetcherFunc(func(_ context.Context, r frontier.Request) (*Response, error) {
			var n int
			fmt.Sscanf(r.URL, "http://a.test/%d", &n)
			if n >= len(sizes) {
				return &Response{Status: 200, Body: []byte("small")}, nil
			}
			return &Response{Status: 200, Body: make([]byte, sizes[n])}, nil
		})
		var now, most, small atomic.Int64
		start := time.Now()
		c.Parser = parserFunc(func(_ context.Context, r *Response) (*Page, error) {
			n := int64(len(r.Body))
			if n == 5 {
				if small.Add(1); time.Since(start) > time.Second {
					t.Errorf("%s waited", r.URL)
				}
				return &Page{}, nil
			}
			total := now.Add(n)
			for m := most.Load(); total > m && !most.CompareAndSwap(m, total); m = most.Load() {
			}
			time.Sleep(10 * time.Second)
			now.Add(-n)
			return &Page{}, nil
		})
		var seeds []string
		for n := range 30 {
			seeds = append(seeds, fmt.Sprintf("http://a.test/%d", n))
		}
		c.run(t, seeds...)
		if len(c.put) != 30 || small.Load() != 22 {
			t.Errorf("put %d pages", len(c.put))
		}
		if m := most.Load(); m != 100<<20 {
			t.Errorf("%d MiB were parsed at a time, the largest page has 100", m>>20)
		}
	})
}

func TestWeightsEndWithContext(t *testing.T) {
	t.Parallel()
	w := newWeights()
	free, err := w.take(t.Context(), 100<<20)
	if err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan error)
	for range 2 { // one waits for units, one for its turn
		go func() { _, err := w.take(ctx, 2<<20); ended <- err }()
	}
	cancel(enough)
	for range 2 {
		if err := <-ended; err != enough {
			t.Errorf("%v", err)
		}
	}
	free()
	if _, err := w.take(t.Context(), 100<<20); err != nil { // nothing was kept
		t.Fatal(err)
	}
}
