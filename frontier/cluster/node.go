package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"github.com/webquarry/quarry/frontier"
	"github.com/webquarry/quarry/internal/durable"
	"github.com/zeebo/xxh3"
)

// Node is one machine's part in a cluster: a Frontier that gives out what is in the partitions
// that it owns, and takes URLs of any.
type Node struct {
	opt    Options
	nc     *nats.Conn
	js     jetstream.JetStream
	logs   jetstream.Stream      // what owners write down
	links  jetstream.Stream      // requests on their way to other partitions
	conf   jetstream.KeyValue    // settings, and where exports are
	owners jetstream.KeyValue    // which node owns which partition
	nodes  jetstream.KeyValue    // which nodes there are
	states jetstream.ObjectStore // exports

	unlock  func() error
	ctx     context.Context // ends when the node is closed
	cancel  context.CancelCauseFunc
	running sync.WaitGroup

	mu      sync.Mutex
	parts   map[int]*partition
	spare   []held         // leases that were got together with others, for the next calls
	changed chan struct{}  // closed and replaced when other partitions can be visited
	owner   map[visit]held // leases that were given out
	closed  bool
	once    sync.Once
	err     error // of Close
}

var (
	_ frontier.Frontier    = (*Node)(nil)
	_ frontier.Extender    = (*Node)(nil)
	_ frontier.Locator     = (*Node)(nil)
	_ frontier.HostControl = (*Node)(nil)
	_ frontier.Rescorer    = (*Node)(nil)
	_ frontier.Drainer     = (*Node)(nil)
)

// Open joins a cluster, which is made if there is none. When it returns the node owns what
// nobody else does. A server that does not answer, or refuses the node, is a [*ConnectError];
// a cluster that the node does not fit is a [*MismatchError].
func Open(ctx context.Context, opt Options) (*Node, error) {
	opt, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	opt.Name = cmp.Or(opt.Name, nuid.Next())
	opt.Frontier.SyncEvery, opt.Frontier.Copy = -1, nil
	unlock, err := clear(opt.Dir)
	if err != nil {
		return nil, err
	}
	nc, err := nats.Connect(opt.URL, append([]nats.Option{nats.MaxReconnects(-1), nats.Name("quarry " + opt.Name)}, opt.NATS...)...)
	if err != nil {
		return nil, errors.Join(connectError(opt.URL, err), unlock())
	}
	n := &Node{opt: opt, nc: nc, unlock: unlock, parts: map[int]*partition{}, owner: map[visit]held{}, changed: make(chan struct{})}
	if err := n.join(ctx); err != nil {
		nc.Close()
		return nil, errors.Join(err, unlock())
	}
	n.ctx, n.cancel = context.WithCancelCause(context.Background())
	if err := n.begin(ctx); err != nil {
		return nil, errors.Join(err, n.Close())
	}
	return n, nil
}

// folder is where the partitions are, in Options.Dir.
const folder = "partitions"

// clear keeps other nodes out of a folder, which is made if there is none, and removes the
// partitions that a node has left there when it died.
func clear(dir string) (unlock func() error, err error) {
	root, err := durable.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	lock, err := root.Lock("lock")
	if err != nil {
		if e, ok := errors.AsType[*durable.LockedError](err); ok {
			err = &frontier.LockedError{Dir: dir, Holder: e.Holder}
		}
		return nil, errors.Join(fmt.Errorf("cluster: %w", err), root.Close())
	}
	unlock = func() error { return errors.Join(lock.Unlock(), root.Close()) }
	path := filepath.Join(dir, folder)
	if err := errors.Join(os.RemoveAll(path), os.Mkdir(path, 0o755)); err != nil {
		return nil, errors.Join(fmt.Errorf("cluster: %w", err), unlock())
	}
	return unlock, nil
}

// join finds or makes what is on the server.
func (n *Node) join(ctx context.Context) (err error) {
	o := &n.opt
	if n.js, err = jetstream.New(n.nc); err != nil {
		return connectError(o.URL, err)
	}
	if _, err := n.js.AccountInfo(ctx); err != nil {
		return connectError(o.URL, err)
	}
	bucket := func(name string, ttl time.Duration) jetstream.KeyValue {
		var kv jetstream.KeyValue
		n.make(ctx, &err, func() (err error) {
			kv, err = n.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: o.Prefix + "_" + name, TTL: ttl, Replicas: o.Replicas})
			return err
		})
		return kv
	}
	n.conf = bucket("settings", 0)
	if err == nil {
		err = n.agree(ctx)
	}
	n.owners, n.nodes = bucket("owners", o.LeaseFor), bucket("nodes", o.LeaseFor)
	n.make(ctx, &err, func() (err error) {
		n.logs, err = n.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: o.Prefix + "_log", Subjects: []string{o.Prefix + ".log.*"}, Replicas: o.Replicas, AllowDirect: true})
		return err
	})
	n.make(ctx, &err, func() (err error) {
		n.links, err = n.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: o.Prefix + "_links", Subjects: []string{o.Prefix + ".links.*"}, Replicas: o.Replicas, Retention: jetstream.WorkQueuePolicy})
		return err
	})
	n.make(ctx, &err, func() (err error) {
		n.states, err = n.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: o.Prefix + "_exports", Replicas: o.Replicas})
		return err
	})
	return err
}

// make makes something on the server unless there was an error. A server that has just removed what
// had the name may refuse it for a moment.
func (n *Node) make(ctx context.Context, err *error, do func() error) {
	for try := range 10 {
		if *err != nil {
			return
		}
		e := do()
		if e == nil {
			return
		}
		if try == 9 || ctx.Err() != nil {
			*err = connectError(n.opt.URL, e)
			return
		}
		pause(ctx, 50*time.Millisecond)
	}
}

// pause waits for some time, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// agree compares the settings with those of the cluster, or makes them.
func (n *Node) agree(ctx context.Context) error {
	here := settings{version, n.opt.Partitions, n.opt.Mode, n.opt.LeaseFor}
	b, err := encode(here)
	if err != nil {
		return err
	}
	if _, err := n.conf.Create(ctx, "cluster", b); err == nil {
		return nil
	} else if !errors.Is(err, jetstream.ErrKeyExists) {
		return connectError(n.opt.URL, err)
	}
	e, err := n.conf.Get(ctx, "cluster")
	if err != nil {
		return connectError(n.opt.URL, err)
	}
	var others settings
	if err := decode(e.Value(), &others); err != nil {
		return &MismatchError{"version", fmt.Sprint(version), "one that cannot be read"}
	}
	switch {
	case others.Version != here.Version:
		return &MismatchError{"version", fmt.Sprint(here.Version), fmt.Sprint(others.Version)}
	case others.Partitions != here.Partitions:
		return &MismatchError{"partitions", fmt.Sprint(here.Partitions), fmt.Sprint(others.Partitions)}
	case others.Mode != here.Mode:
		return &MismatchError{"mode", string(here.Mode), string(others.Mode)}
	case others.LeaseFor != here.LeaseFor:
		return &MismatchError{"lease", here.LeaseFor.String(), others.LeaseFor.String()}
	}
	return nil
}

// begin takes what nobody owns, and goes on doing so.
func (n *Node) begin(ctx context.Context) error {
	var fresh []*partition
	n.tick(ctx, func(p *partition) { fresh = append(fresh, p) })
	for _, p := range fresh {
		select {
		case <-p.opened:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		n.mu.Lock()
		err := p.failed
		n.mu.Unlock()
		if err != nil && !errors.Is(err, ErrFenced) {
			return err
		}
	}
	n.running.Go(func() {
		t := time.NewTicker(n.opt.LeaseFor / 5)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				n.tick(n.ctx, func(*partition) {})
			case <-n.ctx.Done():
				return
			}
		}
	})
	return nil
}

// tick says that the node is alive and owns what it does, takes partitions that it should own, and
// gives up those that others should.
func (n *Node) tick(ctx context.Context, took func(*partition)) {
	ctx, cancel := context.WithTimeout(ctx, n.opt.LeaseFor)
	defer cancel()
	n.renew(ctx)
	n.tidy()
	if _, err := n.nodes.Put(ctx, n.opt.Name, nil); err != nil {
		return
	}
	alive, err := n.nodes.Keys(ctx)
	if err != nil {
		return
	}
	if !slices.Contains(alive, n.opt.Name) {
		alive = append(alive, n.opt.Name)
	}
	for i, owner := range places(alive, n.opt.Partitions) {
		mine := owner == n.opt.Name
		n.mu.Lock()
		p := n.parts[i]
		n.mu.Unlock()
		switch {
		case p != nil && !mine:
			p.giveUp()
		case p == nil && mine:
			if p := n.claim(ctx, i); p != nil {
				took(p)
			}
		}
	}
}

// places returns the node that should own each partition: of those that do not have their share
// yet, the one with the greatest hash of both, so that little moves when one comes or goes. No node
// has more than one partition more than another.
func places(nodes []string, partitions int) []string {
	owners := make([]string, partitions)
	owned := make(map[string]int)
	share, rest := partitions/len(nodes), partitions%len(nodes)
	hash := func(node string, i int) uint64 { return xxh3.HashString(fmt.Sprint(i, " ", node)) }
	for i := range owners {
		for _, node := range nodes {
			if owned[node] > share || owned[node] == share && rest == 0 {
				continue
			}
			if best := owners[i]; best == "" || cmp.Or(cmp.Compare(hash(node, i), hash(best, i)), cmp.Compare(node, best)) > 0 {
				owners[i] = node
			}
		}
		if owned[owners[i]]++; owned[owners[i]] > share {
			rest--
		}
	}
	return owners
}

// key is that of a partition in a bucket.
func key(partition int) string { return fmt.Sprintf("p%d", partition) }

// claim begins to own a partition, unless another node does.
func (n *Node) claim(ctx context.Context, i int) *partition {
	at := time.Now()
	rev, err := n.owners.Create(ctx, key(i), []byte(n.opt.Name))
	if err != nil {
		return nil
	}
	p := &partition{node: n, n: i, revision: rev, until: at.Add(n.opt.LeaseFor), opened: make(chan struct{}), added: make(chan struct{})}
	p.ctx, p.cancel = context.WithCancelCause(n.ctx)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return nil
	}
	n.parts[i] = p
	n.running.Go(func() {
		if err := p.open(); err != nil {
			n.lose(p, err)
		}
		close(p.opened)
	})
	return p
}

// renew makes the leases of partitions last longer. What another node has is lost.
func (n *Node) renew(ctx context.Context) {
	for _, p := range n.all() {
		at := time.Now()
		n.mu.Lock()
		rev := p.revision
		n.mu.Unlock()
		rev, err := n.owners.Update(ctx, key(p.n), []byte(n.opt.Name), rev)
		n.mu.Lock()
		if err == nil {
			p.revision, p.until = rev, at.Add(n.opt.LeaseFor)
		}
		over := !time.Now().Before(p.until)
		n.mu.Unlock()
		if errors.Is(err, jetstream.ErrKeyRevisionMismatch) || errors.Is(err, jetstream.ErrKeyExists) || fenced(err) || over {
			n.lose(p, ErrFenced)
		}
	}
}

// all returns the partitions that are owned, or about to be.
func (n *Node) all() (ps []*partition) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, p := range n.parts {
		ps = append(ps, p)
	}
	slices.SortFunc(ps, func(a, b *partition) int { return cmp.Compare(a.n, b.n) })
	return ps
}

// lose gives up a partition at once. Leases of it are over.
func (n *Node) lose(p *partition, why error) {
	n.mu.Lock()
	mine := n.parts[p.n] == p
	if mine {
		delete(n.parts, p.n)
		p.failed = why
		n.forget(p)
		n.hasChanged()
	}
	n.mu.Unlock()
	if !mine {
		return
	}
	p.cancel(why)
	if why == nil {
		n.opt.Log.Info("partition given up", "partition", p.n, "node", n.opt.Name)
	} else if !errors.Is(why, frontier.ErrClosed) {
		n.opt.Log.Warn("partition lost", "partition", p.n, "node", n.opt.Name, "cause", why)
	}
	n.running.Go(p.end)
}

// forget removes the leases of a partition. The lock is held.
func (n *Node) forget(p *partition) {
	n.spare = slices.DeleteFunc(n.spare, func(h held) bool { return h.p == p })
	for v, h := range n.owner {
		if h.p == p {
			delete(n.owner, v)
		}
	}
}

// hasChanged wakes those who wait for partitions. The lock is held.
func (n *Node) hasChanged() {
	close(n.changed)
	n.changed = make(chan struct{})
}

// Partitions returns the numbers of the partitions that the node owns now, in their order.
func (n *Node) Partitions() (owned []int) {
	for _, p := range n.all() {
		if p.isOpen() {
			owned = append(owned, p.n)
		}
	}
	return owned
}

// Close gives up all partitions, which others take over, and leaves the cluster. Leases that are
// open are lost.
func (n *Node) Close() error {
	n.once.Do(func() {
		n.mu.Lock()
		n.closed = true
		n.hasChanged()
		n.mu.Unlock()
		n.cancel(frontier.ErrClosed)
		for _, p := range n.all() {
			<-p.opened
			n.lose(p, frontier.ErrClosed)
		}
		n.running.Wait()
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		n.nodes.Delete(ctx, n.opt.Name)
		n.nc.Close()
		n.err = n.unlock()
	})
	return n.err
}

// usable says why nothing can be done.
func (n *Node) usable(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return frontier.ErrClosed
	}
	return nil
}
