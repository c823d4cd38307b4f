package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// zone is a resolver whose answers a test sets.
type zone struct {
	mu    sync.Mutex
	addrs []netip.Addr
	err   error
	asked int
	takes time.Duration
}

func (z *zone) set(err error, addrs ...string) {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.err, z.addrs = err, nil
	for _, a := range addrs {
		z.addrs = append(z.addrs, netip.MustParseAddr(a))
	}
}

func (z *zone) resolve(ctx context.Context, _ string) ([]netip.Addr, error) {
	z.mu.Lock()
	z.asked++
	addrs, err, takes := slices.Clone(z.addrs), z.err, z.takes
	z.mu.Unlock()
	select {
	case <-time.After(takes):
		return addrs, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (z *zone) count() int {
	z.mu.Lock()
	defer z.mu.Unlock()
	return z.asked
}

var notFound = &net.DNSError{Err: "no such host", Name: "a.test", IsNotFound: true}

func TestNames(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		z := &zone{takes: time.Second}
		n := (&HTTP{Resolve: z.resolve, Timeout: time.Minute}).newNames()
		ask := func(want string, questions int) {
			t.Helper()
			addrs, err := n.lookup(t.Context(), "a.test")
			got := fmt.Sprint(addrs)
			if dns, ok := errors.AsType[*net.DNSError](err); ok {
				got = fmt.Sprintf("notfound=%v", dns.IsNotFound)
			} else if err != nil {
				t.Fatalf("an error that is no DNSError: %v", err)
			}
			if got != want || z.count() != questions {
				t.Fatalf("%s after %d questions, want %s after %d", got, z.count(), want, questions)
			}
		}
		z.set(nil, "1.1.1.1", "::ffff:1.1.1.2")
		var many sync.WaitGroup
		for range 100 { // one question
			many.Go(func() { ask("[1.1.1.1 1.1.1.2]", 1) })
		}
		many.Wait()
		time.Sleep(dnsTTL - time.Second)
		ask("[1.1.1.1 1.1.1.2]", 1)
		z.set(nil, "1.1.1.3")
		time.Sleep(time.Second)
		ask("[1.1.1.3]", 2) // it has aged
		time.Sleep(dnsTTL)
		z.set(errors.New("the resolver is down"))
		ask("[1.1.1.3]", 3) // what was known holds
		ask("[1.1.1.3]", 3)
		time.Sleep(dnsNegativeTTL / 10)
		z.set(notFound)
		ask("notfound=true", 4)
		time.Sleep(dnsNegativeTTL - time.Millisecond)
		ask("notfound=true", 4)
		time.Sleep(time.Millisecond)
		z.set(nil)
		ask("notfound=true", 5) // no address is no host
		time.Sleep(dnsNegativeTTL)
		z.set(errors.New("the resolver is down"))
		ask("notfound=false", 6)
		time.Sleep(dnsNegativeTTL / 10)
		z.set(nil, "1.1.1.4")
		ask("[1.1.1.4]", 7)
		n.forget("a.test", []netip.Addr{netip.MustParseAddr("9.9.9.9")}) // of an older answer
		ask("[1.1.1.4]", 7)
		n.forget("a.test", []netip.Addr{netip.MustParseAddr("1.1.1.4")})
		ask("[1.1.1.4]", 8)
	})
}

// TestNameThatTakesLong: who asks waits no longer than he wants to, and the
// question goes on for the others.
func TestNameThatTakesLong(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		z := &zone{takes: 3 * time.Second}
		z.set(nil, "1.1.1.1")
		n := (&HTTP{Resolve: z.resolve, Timeout: time.Minute}).newNames()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := n.lookup(ctx, "a.test")
		if dns, ok := errors.AsType[*net.DNSError](err); !ok || !dns.IsTimeout || kindOf(err, inConnect) != ErrDNS {
			t.Errorf("%v", err)
		}
		if addrs, err := n.lookup(t.Context(), "a.test"); err != nil || len(addrs) != 1 || z.count() != 1 {
			t.Errorf("%v, %v after %d questions", addrs, err, z.count())
		}
		z.takes = time.Hour
		start := time.Now()
		_, err = n.lookup(t.Context(), "b.test")
		if took := time.Since(start); err == nil || took != n.timeout {
			t.Errorf("%v after %v", err, took)
		}
	})
}

func TestNamesStayBounded(t *testing.T) {
	t.Parallel()
	n := (&HTTP{Timeout: time.Minute, Resolve: func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("1.1.1.1")}, nil
	}}).newNames()
	n.most = 1000
	for i := range 3 * n.most {
		if _, err := n.lookup(t.Context(), fmt.Sprintf("h%d.test", i)); err != nil {
			t.Fatal(err)
		}
	}
	if len(n.known) > n.most {
		t.Errorf("%d names are kept", len(n.known))
	}
}

// TestRace: addresses are tried in turn, each with a head start, and those that
// come too late are closed.
func TestRace(t *testing.T) {
	t.Parallel()
	type way struct {
		takes time.Duration
		err   error
	}
	refused := errors.New("refused")
	for name, c := range map[string]struct {
		ways []way
		took time.Duration
		want string // address, or the error
	}{
		"the first":            {[]way{{time.Second / 10, nil}, {0, nil}}, time.Second / 10, "10.0.0.1"},
		"the first is refused": {[]way{{time.Second / 10, refused}, {0, nil}}, time.Second / 10, "10.0.0.2"},
		"the first is silent":  {[]way{{time.Hour, nil}, {time.Second / 10, nil}}, headStart + time.Second/10, "10.0.0.2"},
		"the first is slow":    {[]way{{time.Second / 2, nil}, {time.Hour, nil}}, time.Second / 2, "10.0.0.1"},
		"both, the later too":  {[]way{{time.Second / 2, nil}, {time.Second, nil}}, time.Second / 2, "10.0.0.1"},
		"all are refused":      {[]way{{0, refused}, {0, errors.New("also")}}, 0, "refused"},
		"none in time":         {[]way{{time.Hour, nil}, {time.Hour, nil}}, 10 * time.Second, "context deadline exceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var addrs []netip.Addr
				for i := range c.ways {
					addrs = append(addrs, netip.AddrFrom4([4]byte{10, 0, 0, byte(i + 1)}))
				}
				open := make(map[string]net.Conn)
				var mu sync.Mutex
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				start := time.Now()
				conn, err := race(ctx, addrs, func(ctx context.Context, a netip.Addr) (net.Conn, error) {
					w := c.ways[a.As4()[3]-1]
					select {
					case <-time.After(w.takes):
					case <-ctx.Done():
						return nil, ctx.Err()
					}
					if w.err != nil {
						return nil, w.err
					}
					conn, _ := net.Pipe()
					mu.Lock()
					defer mu.Unlock()
					open[a.String()] = conn
					return conn, nil
				})
				got := fmt.Sprint(err)
				if err == nil {
					for a, one := range open {
						if one == conn {
							got = a
						}
					}
				}
				if took := time.Since(start); got != c.want || took != c.took {
					t.Errorf("%s after %v, want %s after %v", got, took, c.want, c.took)
				}
				synctest.Wait()
			})
		})
	}
}
