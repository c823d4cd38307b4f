package crawler

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// trickle is a body of n bytes in pieces of size, each after a while.
type trickle struct {
	n, size int
	every   time.Duration
}

func (b *trickle) Read(p []byte) (int, error) {
	if b.n <= 0 {
		return 0, io.EOF
	}
	time.Sleep(b.every)
	k := min(len(p), b.size, b.n)
	b.n -= k
	return k, nil
}

func (b *trickle) Close() error { return nil }

// TestRate: with the default settings, a large file over an ordinary line is
// read to its end; one that comes by drops is not, but one may wait for a page
// that is short.
func TestRate(t *testing.T) {
	t.Parallel()
	const mb = 1 << 20
	for name, c := range map[string]struct {
		body trickle
		took time.Duration
		kind Kind
	}{
		"40 MB at 1 MB/s":     {trickle{40 * mb, mb / 128, time.Second / 128}, 40 * time.Second, ""},
		"90 MB at 1 MB/s":     {trickle{90 * mb, mb / 128, time.Second / 128}, time.Minute, ErrTimeoutTotal},
		"8 kB at 300 bytes/s": {trickle{8192, 300, time.Second}, 28 * time.Second, ""},
		"200 bytes/s":         {trickle{mb, 200, time.Second}, 10 * time.Second, ErrSlow},
		"5 bytes in 5 s":      {trickle{5, 1, time.Second}, 5 * time.Second, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := &HTTP{UserAgent: testAgent, MaxBody: 128 * mb, Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
					body := c.body
					return &http.Response{StatusCode: 200, Header: http.Header{}, ContentLength: -1, Request: r, Body: late{&body, r}}, nil
				})}
				start := time.Now()
				resp, err := fetchURL(t, h, "http://a.test/")
				if c.kind != "" {
					wantKind(t, err, c.kind)
				} else if err != nil || len(resp.Body) != c.body.n {
					t.Fatalf("%v", err)
				}
				if took := time.Since(start); c.took > 0 && (took < c.took || took > c.took+time.Second) {
					t.Errorf("took %v", took)
				}
			})
		})
	}
}

// late is a body that ends with its request's context, as real ones do.
type late struct {
	*trickle
	r *http.Request
}

func (l late) Read(p []byte) (int, error) {
	n, err := l.trickle.Read(p)
	if cause := l.r.Context().Err(); cause != nil {
		return 0, cause
	}
	return n, err
}

// TestSilenceOverSeveralConnections: a server that closes its connections
// without an answer, late each time, gets no more time for that.
func TestSilenceOverSeveralConnections(t *testing.T) {
	t.Parallel()
	const conns = 8
	var asked atomic.Int32
	var open sync.WaitGroup
	open.Add(conns)
	base := hostile(t, func(c net.Conn) {
		r := bufio.NewReader(c)
		if _, err := http.ReadRequest(r); err != nil {
			return
		}
		if asked.Add(1) <= conns {
			open.Done()
			open.Wait()
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
			if _, err := http.ReadRequest(r); err != nil {
				return
			}
		}
		c.SetReadDeadline(time.Now().Add(700 * time.Millisecond))
		io.Copy(io.Discard, r)
	})
	h := local(t, func(h *HTTP) { h.Timeout = 2 * time.Second })
	var fetches sync.WaitGroup
	for range conns {
		fetches.Go(func() { h.Fetch(t.Context(), frontier.Request{URL: base}) })
	}
	fetches.Wait()
	_, err := fetchURL(t, h, base)
	wantKind(t, err, ErrTimeoutHeader) // not the time for all
}
