package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"github.com/webquarry/quarry/frontier"
)

// partition is one that this node owns, or is about to.
type partition struct {
	node   *Node
	n      int
	ctx    context.Context // ends when the node does not own it any more
	cancel context.CancelCauseFunc
	opened chan struct{} // closed when open has ended

	f        *frontier.Disk // nil before it is open
	dir      string
	last     uint64 // sequence of its log on the server; written by publish alone
	pointer  uint64 // revision of the pointer to its export
	object   string // the export
	id       string // begins the ids of messages
	messages int
	calls    *nats.Subscription
	in       jetstream.MessagesContext

	// Under the lock of the node.
	revision uint64    // of the lease in the bucket of owners
	until    time.Time // when it is over unless it is renewed
	leaving  bool
	added    chan struct{} // closed and replaced when something was added
	ready    bool
	failed   error // why it was lost
	ended    bool

	size      int64 // of the log on the server since the last export; written by publish alone
	exporting sync.Mutex
	tasks     sync.WaitGroup // exports that are under way, and who reads links
}

// start does something in the background, unless the partition has ended.
func (p *partition) start(task func()) (started bool) {
	p.node.mu.Lock()
	defer p.node.mu.Unlock()
	if !p.ended {
		p.tasks.Go(task)
	}
	return !p.ended
}

func (p *partition) isOpen() bool {
	p.node.mu.Lock()
	defer p.node.mu.Unlock()
	return p.ready
}

// live says whether leases may be given out and ended: the node is sure to own the partition.
func (p *partition) live() bool {
	p.node.mu.Lock()
	defer p.node.mu.Unlock()
	return p.ready && p.node.parts[p.n] == p && time.Now().Before(p.until)
}

// open takes the partition over: it keeps the owner before from writing, reads what that wrote,
// and goes on.
func (p *partition) open() error {
	n := p.node
	p.id = nuid.Next()
	p.dir = filepath.Join(n.opt.Dir, folder, fmt.Sprintf("p%d-%s", p.n, p.id))
	if err := p.fence(); err != nil {
		return err
	}
	where, err := p.seize()
	if err != nil {
		return err
	}
	if err := p.read(where); err != nil {
		return err
	}
	opt := n.opt.Frontier
	opt.Copy = p.copy
	if p.f, err = frontier.Open(p.dir, opt); err != nil {
		return err
	}
	if p.calls, err = n.nc.Subscribe(p.subject("call"), p.answer); err != nil {
		return err
	}
	if err := p.listen(); err != nil {
		return err
	}
	n.mu.Lock()
	p.ready = true
	n.hasChanged()
	n.mu.Unlock()
	n.opt.Log.Info("partition taken over", "partition", p.n, "node", n.opt.Name)
	return nil
}

// subject is that of the partition for some purpose.
func (p *partition) subject(what string) string {
	return fmt.Sprintf("%s.%s.%d", p.node.opt.Prefix, what, p.n)
}

// fence writes into the log that this owner begins, after which no other can write there.
func (p *partition) fence() error {
	for range 100 {
		m, err := p.node.logs.GetLastMsgForSubject(p.ctx, p.subject("log"))
		switch {
		case errors.Is(err, jetstream.ErrMsgNotFound):
			p.last = 0
		case err != nil:
			return err
		default:
			p.last = m.Sequence
		}
		if err := p.publish([]byte{0}); !errors.Is(err, ErrFenced) {
			return err
		}
	}
	return ErrFenced
}

// seize finds out where the export is, and keeps an owner before from saying otherwise.
func (p *partition) seize() (where pointer, err error) {
	e, err := p.node.conf.Get(p.ctx, key(p.n))
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		var b []byte
		if b, err = encode(where); err == nil {
			p.pointer, err = p.node.conf.Create(p.ctx, key(p.n), b)
		}
		return where, err
	}
	if err != nil {
		return where, err
	}
	if err := decode(e.Value(), &where); err != nil {
		return where, fmt.Errorf("cluster: partition %d: where its export is cannot be read: %w", p.n, err)
	}
	p.pointer, err = p.node.conf.Update(p.ctx, key(p.n), e.Value(), e.Revision())
	p.object = where.Object
	return where, err
}

// read makes a folder of the export and the log.
func (p *partition) read(where pointer) error {
	var export io.Reader
	if where.Object != "" {
		o, err := p.node.states.Get(p.ctx, where.Object)
		if err != nil {
			return fmt.Errorf("cluster: partition %d: its export: %w", p.n, err)
		}
		defer o.Close()
		export = o
	}
	return frontier.Import(p.dir, export, p.parts(where.Seq))
}

// parts is over the parts of the log from a sequence up to where this owner began.
func (p *partition) parts(from uint64) iter.Seq2[frontier.LogPart, error] {
	return func(yield func(frontier.LogPart, error) bool) {
		fail := func(err error) { yield(frontier.LogPart{}, fmt.Errorf("cluster: partition %d: its log: %w", p.n, err)) }
		c, err := p.node.js.OrderedConsumer(p.ctx, p.node.opt.Prefix+"_log", jetstream.OrderedConsumerConfig{FilterSubjects: []string{p.subject("log")}, DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: max(from, 1)})
		if err != nil {
			fail(err)
			return
		}
		ms, err := c.Messages()
		if err != nil {
			fail(err)
			return
		}
		defer ms.Stop()
		var part []byte
		whole := false // a part has begun
		for {
			m, err := ms.Next(jetstream.NextContext(p.ctx))
			if err != nil {
				fail(err)
				return
			}
			meta, err := m.Metadata()
			if err != nil {
				fail(err)
				return
			}
			if meta.Sequence.Stream >= p.last {
				return
			}
			b := m.Data()
			if len(b) == 0 || b[0] == 0 {
				part, whole = nil, false
				continue
			}
			if b[0]&begins != 0 {
				part, whole = nil, true
			}
			p.size += int64(len(b))
			part = append(part, b[1:]...)
			if b[0]&ends == 0 || !whole {
				continue
			}
			x, err := parsePart(slices.Clone(part))
			if err != nil {
				fail(err)
				return
			}
			if !yield(x, nil) {
				return
			}
		}
	}
}

// copy is the Copy of the frontier: it writes a part to the log on the server.
func (p *partition) copy(part frontier.LogPart) error {
	b := appendPart(nil, part)
	for flags := byte(begins); flags&ends == 0; flags &^= begins {
		piece := b[:min(len(b), messageBytes)]
		if b = b[len(piece):]; len(b) == 0 {
			flags |= ends
		}
		if err := p.publish(append([]byte{flags}, piece...)); err != nil {
			return err
		}
	}
	if p.size > p.node.opt.ExportEvery && p.isOpen() && p.exporting.TryLock() {
		p.size = 0
		started := p.start(func() {
			defer p.exporting.Unlock()
			if err := p.export(); err != nil && p.ctx.Err() == nil {
				p.node.opt.Log.Warn("export failed", "partition", p.n, "cause", err)
			}
		})
		if !started {
			p.exporting.Unlock()
		}
	}
	return nil
}

// publish writes a message to the log, behind what was written last. It tries until the lease of
// the partition would be over.
func (p *partition) publish(b []byte) error {
	p.messages++
	id := jetstream.WithMsgID(fmt.Sprintf("%s.%d", p.id, p.messages))
	for over := time.Now().Add(p.node.opt.LeaseFor); ; pause(p.ctx, 50*time.Millisecond) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(p.ctx), min(2*time.Second, p.node.opt.LeaseFor))
		ack, err := p.node.js.Publish(ctx, p.subject("log"), b, id, jetstream.WithExpectLastSequencePerSubject(p.last))
		cancel()
		switch {
		case err == nil:
			p.last = ack.Sequence
			p.size += int64(len(b))
			return nil
		case fenced(err):
			return ErrFenced
		case p.ctx.Err() != nil || !time.Now().Before(over):
			return fmt.Errorf("cluster: partition %d: write its log: %w", p.n, err)
		}
	}
}

// export writes an export to the server, after which the log before it is needed no more.
func (p *partition) export() error {
	n := p.node
	m, err := n.logs.GetLastMsgForSubject(p.ctx, p.subject("log"))
	if err != nil {
		return err
	}
	where := pointer{Object: fmt.Sprintf("p%d-%s", p.n, nuid.Next()), Seq: m.Sequence}
	r, w := io.Pipe()
	p.tasks.Go(func() { w.CloseWithError(p.f.Export(p.ctx, w)) }) // a task is running: this one
	_, err = n.states.Put(p.ctx, jetstream.ObjectMeta{Name: where.Object}, r)
	r.CloseWithError(err)
	if err != nil {
		return err
	}
	b, err := encode(where)
	if err != nil {
		return err
	}
	rev, err := n.conf.Update(p.ctx, key(p.n), b, p.pointer)
	if err != nil { // another node owns it, or the answer was lost: then the object is kept
		return err
	}
	before := p.object
	p.pointer, p.object = rev, where.Object
	err = n.logs.Purge(p.ctx, jetstream.WithPurgeSubject(p.subject("log")), jetstream.WithPurgeSequence(where.Seq))
	if before != "" {
		err = errors.Join(err, n.states.Delete(p.ctx, before))
	}
	return err
}

// listen begins to read the links that others send.
func (p *partition) listen() error {
	n := p.node
	name := fmt.Sprintf("p%d", p.n)
	stream := n.opt.Prefix + "_links"
	// What the owner before has not acknowledged comes again at once if its consumer is gone.
	if err := n.js.DeleteConsumer(p.ctx, stream, name); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return err
	}
	c, err := n.js.CreateConsumer(p.ctx, stream, jetstream.ConsumerConfig{Durable: name, FilterSubject: p.subject("links"), AckPolicy: jetstream.AckExplicitPolicy, AckWait: 30 * time.Second})
	if err != nil {
		return err
	}
	if p.in, err = c.Messages(jetstream.PullMaxMessages(64)); err != nil {
		return err
	}
	p.start(p.readLinks)
	return nil
}

// readLinks adds what others send, and acknowledges what is in the log.
func (p *partition) readLinks() {
	for {
		m, err := p.in.Next(jetstream.NextContext(p.ctx))
		if err != nil {
			if p.ctx.Err() == nil && errors.Is(err, jetstream.ErrMsgIteratorClosed) {
				p.node.lose(p, ErrFenced)
			}
			if p.ctx.Err() != nil || errors.Is(err, jetstream.ErrMsgIteratorClosed) {
				return
			}
			continue
		}
		var reqs []wireRequest
		if err := decode(m.Data(), &reqs); err != nil {
			p.node.opt.Log.Error("links that cannot be read", "partition", p.n, "cause", err)
			m.Term()
			continue
		}
		_, err = p.f.Add(p.ctx, fromWire(reqs)...)
		refused, rest := frontier.Refusals(err)
		for _, r := range refused {
			p.node.opt.Log.Warn("link refused", "partition", p.n, "cause", r)
		}
		if rest != nil {
			p.node.failed(p, rest)
			return
		}
		m.Ack()
		p.hasAdded()
	}
}

// hasAdded wakes those who found nothing in the partition.
func (p *partition) hasAdded() {
	p.node.mu.Lock()
	defer p.node.mu.Unlock()
	close(p.added)
	p.added = make(chan struct{})
}

// giveUp hands the partition over to another node: visits that are under way may end first.
func (p *partition) giveUp() {
	n := p.node
	n.mu.Lock()
	first := p.ready && !p.leaving && n.parts[p.n] == p
	if first {
		p.leaving = true
		n.hasChanged()
		n.running.Go(func() {
			for over := time.Now().Add(n.opt.LeaseFor); time.Now().Before(over) && p.ctx.Err() == nil; pause(p.ctx, 20*time.Millisecond) {
				if s, err := p.f.Stats(p.ctx); err != nil || s.Leased == 0 {
					break
				}
			}
			n.lose(p, nil)
		})
	}
	n.mu.Unlock()
}

// end closes what there is, and lets others have the partition.
func (p *partition) end() {
	p.node.mu.Lock()
	p.ended = true
	p.node.mu.Unlock()
	if p.calls != nil {
		p.calls.Unsubscribe()
	}
	if p.in != nil {
		p.in.Stop()
	}
	if p.f != nil {
		p.f.Close()
	}
	p.tasks.Wait()
	os.RemoveAll(p.dir)
	p.node.mu.Lock()
	rev := p.revision
	p.node.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.ctx), 2*time.Second)
	defer cancel()
	p.node.owners.Delete(ctx, key(p.n), jetstream.LastRevision(rev))
}
