package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/webquarry/quarry/frontier"
	"github.com/webquarry/quarry/frontier/cluster"
)

// open opens a node of a cluster of eight partitions, which is missed after a second or two.
func open(t *testing.T, s *server.Server, change ...func(*cluster.Options)) *cluster.Node {
	t.Helper()
	opt := cluster.Options{URL: s.ClientURL(), Dir: scratch(t), Partitions: 8, LeaseFor: 2 * time.Second, Log: verbose(), Frontier: fast}
	for _, f := range change {
		f(&opt)
	}
	n, err := cluster.Open(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.Close() })
	return n
}

var fast = frontier.Options{Limits: frontier.Limits{Delay: -1}}

// site is a web of hosts with pages, each of which links to two others, of its host and of the next.
type site struct{ hosts, pages int }

func (w site) seed() string { return "http://h0.test0.example/0" }

func (w site) url(h, p int) string {
	return fmt.Sprintf("http://h%d.test%d.example/%d", h, h, p)
}

func (w site) links(url string) (found []frontier.Request) {
	var h, h2, p int
	fmt.Sscanf(url, "http://h%d.test%d.example/%d", &h, &h2, &p)
	for _, u := range []string{w.url(h, (p+1)%w.pages), w.url((h+1)%w.hosts, p), w.url((h+7)%w.hosts, (p*3+1)%w.pages)} {
		found = append(found, frontier.Request{URL: u})
	}
	return found
}

// crew visits the pages that nodes give out, and counts how often each was visited to its end.
type crew struct {
	site
	mu     sync.Mutex
	visits map[string]int
	refuse int // ends that were refused
}

// work visits until the node is drained, closed or ctx ends.
func (c *crew) work(ctx context.Context, t *testing.T, n *cluster.Node, workers int) {
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for {
				l, err := n.Next(ctx)
				if err != nil {
					if !errors.Is(err, frontier.ErrDrained) && !errors.Is(err, frontier.ErrClosed) && ctx.Err() == nil {
						t.Errorf("Next: %v", err)
					}
					return
				}
				time.Sleep(time.Millisecond) // the visit
				err = n.Done(ctx, l, frontier.Outcome{Found: c.links(l.URL)})
				c.mu.Lock()
				switch {
				case err == nil:
					c.visits[l.URL]++
				case errors.Is(err, frontier.ErrLeaseExpired), errors.Is(err, frontier.ErrClosed):
					c.refuse++
				default:
					t.Errorf("Done: %v", err)
				}
				c.mu.Unlock()
			}
		})
	}
	wg.Wait()
}

// count is how many pages were visited.
func (c *crew) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.visits)
}

// check expects that all pages were visited, none twice but so many.
func (c *crew) check(t *testing.T, again int) {
	t.Helper()
	extra := 0
	for _, n := range c.visits {
		extra += n - 1
	}
	if all := c.hosts * c.pages; len(c.visits) != all || extra > again {
		t.Errorf("%d of %d pages, %d visits more, %d ends refused; at most %d more were to be", len(c.visits), all, extra, c.refuse, again)
	}
	t.Logf("%d pages, %d visits more, %d ends refused", len(c.visits), extra, c.refuse)
}

func newCrew(t *testing.T, pages int) *crew {
	if testing.Short() {
		pages /= 4
	}
	return &crew{site: site{24, pages}, visits: map[string]int{}}
}

// TestNodesComeAndGo: one node begins, two join while it crawls, and one leaves: all is visited,
// exactly once, and all say that it is drained.
func TestNodesComeAndGo(t *testing.T) {
	t.Parallel()
	s := serve(t, true)
	defer s.Shutdown()
	c := newCrew(t, 100)
	a := open(t, s)
	if got, err := a.Add(t.Context(), frontier.Request{URL: c.seed()}); got != 1 || err != nil {
		t.Fatal(got, err)
	}
	var wg sync.WaitGroup
	wg.Go(func() { c.work(t.Context(), t, a, 4) })
	b, d := open(t, s), open(t, s)
	wg.Go(func() { c.work(t.Context(), t, b, 4) })
	wg.Go(func() { c.work(t.Context(), t, d, 4) })
	all := c.hosts * c.pages
	await(t, 60*time.Second, "a third", func() bool { return c.count() > all/3 && len(b.Partitions()) > 0 })
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	wg.Wait()
	c.check(t, c.refuse+4)
	if s, err := b.Stats(t.Context()); err != nil || s.Seen != all || s.Done != all || s.Queued+s.Leased > 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

func await(t *testing.T, most time.Duration, what string, is func() bool) time.Duration {
	t.Helper()
	start := time.Now()
	for !is() {
		if time.Since(start) > most {
			t.Fatalf("%s: not within %v", what, most)
		}
		time.Sleep(10 * time.Millisecond)
	}
	return time.Since(start)
}

// TestNodeDies: the connection of a node is cut for good while it crawls. Others take its partitions
// over, all is visited, and what it wrote too late is refused.
func TestNodeDies(t *testing.T) {
	t.Parallel()
	s := serve(t, true)
	defer s.Shutdown()
	c := newCrew(t, 100)
	a, b := open(t, s), open(t, s)
	wire := &cable{}
	d := open(t, s, func(o *cluster.Options) { o.NATS = []nats.Option{nats.SetCustomDialer(wire)} })
	await(t, 20*time.Second, "partitions of the third", func() bool {
		return len(d.Partitions()) > 0 && len(a.Partitions())+len(b.Partitions())+len(d.Partitions()) == 8
	})
	if _, err := a.Add(t.Context(), frontier.Request{URL: c.seed()}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var wg, dead sync.WaitGroup
	wg.Go(func() { c.work(t.Context(), t, a, 4) })
	wg.Go(func() { c.work(t.Context(), t, b, 4) })
	late := &crew{site: c.site, visits: map[string]int{}}
	dead.Go(func() { // what is visited there counts until the cable is cut
		var stop sync.WaitGroup
		for range 4 {
			stop.Go(func() {
				for {
					l, err := d.Next(ctx)
					if err != nil {
						return
					}
					err = d.Done(ctx, l, frontier.Outcome{Found: c.links(l.URL)})
					if err == nil {
						c.mu.Lock()
						c.visits[l.URL]++
						c.mu.Unlock()
					} else {
						late.mu.Lock()
						late.visits[l.URL]++
						late.mu.Unlock()
					}
				}
			})
		}
		stop.Wait()
	})
	await(t, 60*time.Second, "a third", func() bool { return c.count() > c.hosts*c.pages/3 })
	wire.cut()
	took := await(t, 10*time.Second, "the takeover", func() bool { return len(a.Partitions())+len(b.Partitions()) == 8 })
	t.Logf("taken over after %v", took)
	wg.Wait()
	if left := d.Partitions(); len(left) > 0 {
		t.Errorf("the node that was cut off still has %v", left)
	}
	cancel()
	dead.Wait()
	for url := range late.visits { // whether that was written down before the cable was cut it cannot know
		if c.visits[url] == 0 {
			c.visits[url] = 1
		}
	}
	c.check(t, len(late.visits)+4)
	all := c.hosts * c.pages
	if s, err := b.Stats(t.Context()); err != nil || s.Seen != all || s.Done != all || s.Queued+s.Leased > 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestExports: a partition is exported while it is crawled, and taken over by another node from
// the export and what came since; what is older is gone from the server.
func TestExports(t *testing.T) {
	t.Parallel()
	s := serve(t, true)
	defer s.Shutdown()
	c := newCrew(t, 60)
	small := func(o *cluster.Options) { o.ExportEvery = 4 << 10 }
	a := open(t, s, small)
	if _, err := a.Add(t.Context(), frontier.Request{URL: c.seed()}); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		before := c.count()
		var wg sync.WaitGroup
		wg.Go(func() { c.work(ctx, t, a, 4) })
		await(t, 60*time.Second, "some more", func() bool { return c.count() > before+c.hosts*c.pages/5 })
		cancel()
		wg.Wait()
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		a = open(t, s, small)
	}
	c.work(t.Context(), t, a, 4)
	c.check(t, c.refuse+3*8)
	if st, err := a.Stats(t.Context()); err != nil || st.Done != c.hosts*c.pages {
		t.Errorf("%+v, %v", st, err)
	}
}

// TestModes: firewall finds what is in the seed's partition alone, cross-over finds all and more than
// once, exchange all and once.
func TestModes(t *testing.T) {
	t.Parallel()
	for _, mode := range []cluster.Mode{cluster.Exchange, cluster.Firewall, cluster.CrossOver} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			s := serve(t, true)
			defer s.Shutdown()
			c := &crew{site: site{8, 20}, visits: map[string]int{}}
			n := open(t, s, func(o *cluster.Options) { o.Mode, o.Partitions = mode, 3 })
			seeds := []frontier.Request{{URL: c.url(0, 0)}, {URL: c.url(1, 0)}, {URL: c.url(2, 0)}}
			if _, err := n.Add(t.Context(), seeds...); err != nil {
				t.Fatal(err)
			}
			c.work(t.Context(), t, n, 4)
			visits := 0
			for _, k := range c.visits {
				visits += k
			}
			all := c.hosts * c.pages
			t.Logf("%s: %d of %d pages, %d visits", mode, len(c.visits), all, visits)
			switch found := len(c.visits); {
			case mode == cluster.Exchange && (found != all || visits != all),
				mode == cluster.Firewall && (found >= all || visits != found),
				mode == cluster.CrossOver && (found != all || visits <= all):
				t.Errorf("%d of %d pages, %d visits", found, all, visits)
			}
		})
	}
}

// TestOpenErrors: what is wrong with a server or with the settings is told.
func TestOpenErrors(t *testing.T) {
	t.Parallel()
	try := func(url string, change func(*cluster.Options)) error {
		opt := cluster.Options{URL: url, Dir: scratch(t)}
		if change != nil {
			change(&opt)
		}
		n, err := cluster.Open(t.Context(), opt)
		if err == nil {
			n.Close()
		}
		return err
	}
	if err := try("nats://127.0.0.1:1", nil); !errors.Is(err, cluster.ErrUnreachable) || !strings.Contains(err.Error(), "127.0.0.1:1") {
		t.Errorf("no server: %v", err)
	}
	guarded := serve(t, true, func(o *server.Options) { o.Username, o.Password = "u", "p" })
	defer guarded.Shutdown()
	if err := try(guarded.ClientURL(), func(o *cluster.Options) { o.NATS = []nats.Option{nats.UserInfo("u", "wrong")} }); !errors.Is(err, cluster.ErrCredentials) {
		t.Errorf("wrong credentials: %v", err)
	}
	if err := try(guarded.ClientURL(), func(o *cluster.Options) { o.NATS = []nats.Option{nats.UserInfo("u", "p")} }); err != nil {
		t.Errorf("right credentials: %v", err)
	}
	plain := serve(t, true, func(o *server.Options) { o.JetStream = false })
	defer plain.Shutdown()
	if err := try(plain.ClientURL(), nil); !errors.Is(err, cluster.ErrNoJetStream) {
		t.Errorf("no JetStream: %v", err)
	}
	s := serve(t, true)
	defer s.Shutdown()
	dir := scratch(t)
	open(t, s, func(o *cluster.Options) { o.Dir = dir })
	if err := try(s.ClientURL(), func(o *cluster.Options) { o.Dir = dir }); !errors.Is(err, frontier.ErrLocked) {
		t.Errorf("another node in the same folder: %v", err)
	}
	for what, change := range map[string]func(*cluster.Options){
		"partitions": func(o *cluster.Options) { o.Partitions = 9 },
		"mode":       func(o *cluster.Options) { o.Partitions, o.LeaseFor, o.Mode = 8, 2*time.Second, cluster.Firewall },
		"lease":      func(o *cluster.Options) { o.Partitions, o.LeaseFor = 8, 3*time.Second },
	} {
		err := try(s.ClientURL(), change)
		if e, ok := errors.AsType[*cluster.MismatchError](err); !ok || e.What != what {
			t.Errorf("other %s: %v", what, err)
		}
	}
	if err := try(s.ClientURL(), func(o *cluster.Options) { o.Prefix, o.Partitions = "other", 9 }); err != nil {
		t.Errorf("another cluster on the same server: %v", err)
	}
	for what, change := range map[string]func(*cluster.Options){
		"prefix": func(o *cluster.Options) { o.Prefix = "a.b" },
		"mode":   func(o *cluster.Options) { o.Mode = "none" },
		"folder": func(o *cluster.Options) { o.Dir = "" },
	} {
		if err := try(s.ClientURL(), change); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("bad %s: %v", what, err)
		}
	}
}

// TestLateWrites: what a node writes that was held up beyond its lease, as a paused process is, is
// refused when it arrives: the page is visited again by the node that took over, and its end counts.
func TestLateWrites(t *testing.T) {
	t.Parallel()
	s := serve(t, true)
	defer s.Shutdown()
	wire := &cable{}
	one := func(o *cluster.Options) { o.Partitions = 1 }
	a := open(t, s, one, func(o *cluster.Options) {
		o.NATS = []nats.Option{nats.SetCustomDialer(wire), nats.PingInterval(time.Minute)}
	})
	if _, err := a.Add(t.Context(), frontier.Request{URL: "http://a.example/1"}); err != nil {
		t.Fatal(err)
	}
	l, err := a.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	wire.hold.Lock()
	late := make(chan error)
	go func() {
		late <- a.Done(t.Context(), l, frontier.Outcome{Found: []frontier.Request{{URL: "http://a.example/2"}}})
	}()
	opt := cluster.Options{URL: s.ClientURL(), Dir: scratch(t), Partitions: 1, LeaseFor: 2 * time.Second, Frontier: fast, Log: verbose()}
	b, err := cluster.Open(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	took := await(t, 10*time.Second, "the takeover", func() bool { return len(b.Partitions()) == 1 })
	again, err := b.Next(t.Context())
	if err != nil || again.URL != l.URL || again.Attempt != 1 {
		t.Fatalf("%+v, %v", again, err)
	}
	wire.hold.Unlock()
	if err := <-late; err == nil {
		t.Error("the late end was taken")
	} else {
		t.Logf("taken over after %v; the late end: %v", took, err)
	}
	if err := b.Done(t.Context(), again, frontier.Outcome{}); err != nil {
		t.Error(err)
	}
	if st, err := b.Stats(t.Context()); err != nil || st.Seen != 1 || st.Done != 1 {
		t.Errorf("%+v, %v", st, err)
	}
	if left := a.Partitions(); len(left) > 0 {
		t.Errorf("the node that was held up still has %v", left)
	}
}
