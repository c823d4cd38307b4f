package crawler

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/crawler/crawlertest"
	"github.com/webquarry/quarry/frontier"
)

// hub is a web of a home page that links to n others of some 100 bytes.
func hub(n int) string {
	var b strings.Builder
	b.WriteString("-- http://a.test/ --\n")
	for i := range n {
		fmt.Fprintf(&b, "<a href='/%03d'>x</a>\n", i)
	}
	for i := range n {
		fmt.Fprintf(&b, "-- http://a.test/%03d --\n<p>%s\n", i, strings.Repeat("x", 96))
	}
	return b.String()
}

// fast lets eight visits at a time at a host, without rest.
func fast() *frontier.Memory {
	return frontier.New(frontier.Options{Limits: frontier.Limits{PerHost: 8, PerDomain: -1, Delay: -1}})
}

func TestBudgetPages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, hub(100))
		c.Frontier, c.Workers, c.Budget.Pages = fast(), 5, 7
		c.web.Add("http://a.test/x", "HTTP 404\n\n")
		c.run(t, "http://a.test/x", "http://a.test/")
		if n := len(c.put); n != 7 {
			t.Errorf("put %d pages", n)
		}
		if n := len(c.web.Requests()); n != 8 && n != 9 { // with robots.txt, and the 404 if its turn came
			t.Errorf("%d requests: %v", n, c.web.Requests())
		}
		c.run(t, "http://a.test/") // the next seven
		c.Budget.Pages = 0
		c.run(t)
		slices.Sort(c.put)
		if len(c.put) != 101 || len(slices.Compact(c.put)) != 101 {
			t.Errorf("put %d pages in three runs", len(c.put))
		}
	})
}

// TestBudgetPagesWithTrouble: however many pages fail or are skipped, and
// however the workers interleave, exactly as many as wanted are put, and no
// page is fetched for nothing.
func TestBudgetPagesWithTrouble(t *testing.T) {
	t.Parallel()
	for n := 1; n < 30; n += 4 {
		synctest.Test(t, func(t *testing.T) {
			c := over(t, hub(60))
			c.Frontier, c.Workers, c.Budget.Pages = fast(), 8, n
			next := c.Fetcher
			var good atomic.Int32
			c.Fetcher = FetcherFunc(func(ctx context.Context, r frontier.Request) (*Response, error) {
				resp, err := next.Fetch(ctx, r)
				switch {
				case strings.HasSuffix(r.URL, "1"):
					return nil, &FetchError{URL: r.URL, Kind: ErrTooLarge}
				case strings.HasSuffix(r.URL, "2"):
					resp.Body = []byte(`<meta name="robots" content="noindex">`)
				case strings.HasSuffix(r.URL, ".txt"):
				default:
					good.Add(1)
				}
				return resp, err
			})
			c.run(t, "http://a.test/")
			if len(c.put) != n || int(good.Load()) != n {
				t.Errorf("put %d pages of %d good ones, want %d", len(c.put), good.Load(), n)
			}
		})
	}
}

func TestBudgetBytes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, hub(50))
		c.Frontier, c.Workers = fast(), 8
		var got int64
		var last int64
		c.Sink = Pages(func(_ context.Context, p *Page) error {
			c.mu.Lock()
			defer c.mu.Unlock()
			last = p.Response.Wire
			got += last
			c.put = append(c.put, p.URL)
			return nil
		})
		c.Budget.Bytes = 2000
		c.run(t, "http://a.test/")
		if got < 2000 || got-last >= 2000 {
			t.Errorf("%d bytes, the last page has %d", got, last)
		}
		c.Budget.Bytes = 0
		c.run(t)
		if slices.Sort(c.put); len(slices.Compact(c.put)) != 51 || len(c.put) != 51 {
			t.Errorf("put %d pages in two runs", len(c.put))
		}
	})
}

func TestBudgetDepth(t *testing.T) {
	t.Parallel()
	for depth, want := range map[int]int{-1: 1, 1: 2, 2: 3, 0: 5} {
		synctest.Test(t, func(t *testing.T) {
			c := over(t, "")
			c.web = chainWeb(t, 5)
			c.Fetcher = &HTTP{UserAgent: testAgent, Transport: c.web}
			c.Budget.Depth = depth
			c.run(t, "http://a.test/0")
			if len(c.put) != want {
				t.Errorf("depth %d: put %q", depth, c.put)
			}
		})
	}
}

// TestBudgetDepthByTheShortestPath: a page that waits is as deep as the shortest
// way to it that was found, not the first.
func TestBudgetDepthByTheShortestPath(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, `
-- http://a.test/ --
<a href="/far">far</a> <a href="/near">near</a>
-- http://a.test/far --
<a href="/farther">farther</a>
-- http://a.test/farther --
<a href="/x">x</a>
-- http://a.test/near --
<a href="/x">x</a>
-- http://a.test/x --
<a href="/beyond">beyond</a>
-- http://a.test/beyond --
<a href="/out">out</a>
`)
		order := map[string]float64{"http://a.test/far": 3, "http://a.test/farther": 3, "http://a.test/near": 2, "http://a.test/x": 1}
		c.Follow = func(_ *Page, l Link) (float64, bool) { return order[l.URL], true }
		c.Budget.Depth, c.Workers = 3, 1
		c.run(t, "http://a.test/")
		c.web.EachOnce(t)
	})
}

// chainWeb is a web of n pages that link each to the next.
func chainWeb(t testing.TB, n int) *crawlertest.Web {
	w, err := crawlertest.Parse("")
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		next := ""
		if i < n-1 {
			next = fmt.Sprintf("<a href='/%d'>next</a>", i+1)
		}
		w.Add(fmt.Sprintf("http://a.test/%d", i), next)
	}
	return w
}

func TestBudgetWall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, hub(50))
		c.Budget.Wall = 10*time.Second + time.Millisecond // robots.txt, and a page a second
		start := time.Now()
		c.run(t, "http://a.test/")
		if took := time.Since(start); len(c.put) != 10 || took > c.Budget.Wall {
			t.Errorf("put %d pages in %v", len(c.put), took)
		}
		c.Budget.Wall = 0
		c.run(t, "http://a.test/")
		c.web.EachOnce(t)
		c.web.Gaps(t, time.Second)
	})
}

// TestWallGrace: a visit under way when the time is up comes to its end, if it
// is not too long.
func TestWallGrace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		takes, grace time.Duration
		put          int
		took         time.Duration
	}{
		{4 * time.Second, 0, 1, 4 * time.Second},
		{25 * time.Second, 0, 0, 7 * time.Second},
		{4 * time.Second, -1, 0, 2 * time.Second},
		{25 * time.Second, time.Minute, 1, 25 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			run := over(t, "-- http://a.test/ --\nHTTP 200\nTest-Wait: "+c.takes.String()+"\n\n<p>slow\n")
			run.IgnoreRobots = true
			run.Budget = Budget{Wall: 2 * time.Second, Grace: c.grace}
			start := time.Now()
			run.run(t, "http://a.test/")
			if took := time.Since(start); len(run.put) != c.put || took != c.took {
				t.Errorf("%+v: put %q in %v", c, run.put, took)
			}
			run.Budget = Budget{}
			run.run(t)
			run.wantPut(t, "http://a.test/")
			if r := run.about("http://a.test/"); len(r) != 1 {
				t.Errorf("events %+v", r)
			}
		})
	}
}

func statsOf(f frontier.Frontier) frontier.Stats {
	s, err := f.Stats(context.Background())
	if err != nil {
		panic(err)
	}
	return s
}
