package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats-server/v2/server/ats"
	"github.com/nats-io/nats.go"

	"github.com/webquarry/quarry/frontier"
	"github.com/webquarry/quarry/frontier/cluster"
	"github.com/webquarry/quarry/frontier/frontiertest"
)

// TestMain keeps the clock that all servers of a process share out of the bubbles of
// testing/synctest.
func TestMain(m *testing.M) {
	ats.Register()
	os.Exit(m.Run())
}

// scratch returns a folder in memory where there is such a thing.
func scratch(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "cluster-*")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// serve starts a NATS server within this process, which listens on loopback if it is to.
func serve(t testing.TB, listen bool, change ...func(*server.Options)) *server.Server {
	t.Helper()
	opt := &server.Options{DontListen: !listen, Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: scratch(t), NoSigs: true, NoLog: true}
	for _, f := range change {
		f(opt)
	}
	s, err := server.NewServer(opt)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server does not start")
	}
	return s
}

// within has a node connect to a server of this process without sockets.
func within(s *server.Server) []nats.Option { return []nats.Option{nats.InProcessServer(s)} }

func verbose() *slog.Logger {
	if os.Getenv("QUARRY_CLUSTER_LOG") == "" { // where the log of the nodes is to be seen
		return nil
	}
	return slog.New(slog.NewTextHandler(os.Stderr, nil))
}

// alone is a node with a server of its own.
type alone struct {
	*cluster.Node
	server *server.Server
}

func (a *alone) Close() error {
	err := a.Node.Close()
	a.server.Shutdown()
	a.server.WaitForShutdown()
	return err
}

func openAlone(t *testing.T, opt frontier.Options) frontier.Frontier {
	s := serve(t, false)
	n, err := cluster.Open(t.Context(), cluster.Options{NATS: within(s), Dir: scratch(t), Partitions: 1, LeaseFor: 10000 * time.Hour, Frontier: opt, Log: verbose()})
	if err != nil {
		t.Fatal(err)
	}
	return &alone{n, s}
}

// TestOneNode: a cluster of one node and one partition keeps the contract of a frontier. With -short
// it is looked at with options alone.
func TestOneNode(t *testing.T) {
	t.Parallel()
	if !testing.Short() {
		frontiertest.Test(t, func(t *testing.T) frontier.Frontier { return openAlone(t, frontier.Options{}) })
	}
	frontiertest.TestOptions(t, openAlone)
}

// trio is three nodes as one frontier: what is added and asked goes to one after the other.
type trio struct {
	nodes  []*cluster.Node
	server *server.Server
	turn   int
}

func openTrio(t *testing.T, opt frontier.Options) frontier.Frontier {
	x := &trio{server: serve(t, false)}
	for i := range 3 {
		n, err := cluster.Open(t.Context(), cluster.Options{NATS: within(x.server), Name: fmt.Sprint("node", i), Dir: scratch(t), Partitions: 1, LeaseFor: 10000 * time.Hour, Frontier: opt, Log: verbose()})
		if err != nil {
			t.Fatal(err)
		}
		x.nodes = append(x.nodes, n)
	}
	time.Sleep(time.Second) // of a bubble: the partition is with the node that keeps it
	return x
}

func (x *trio) any() *cluster.Node {
	x.turn++
	return x.nodes[x.turn%len(x.nodes)]
}

func (x *trio) Add(ctx context.Context, reqs ...frontier.Request) (int, error) {
	return x.any().Add(ctx, reqs...)
}

func (x *trio) Rescore(ctx context.Context, reqs ...frontier.Request) (int, error) {
	return x.any().Rescore(ctx, reqs...)
}

func (x *trio) Stats(ctx context.Context) (frontier.Stats, error) { return x.any().Stats(ctx) }

func (x *trio) Park(ctx context.Context, url string, until time.Time) error {
	return x.any().Park(ctx, url, until)
}
func (x *trio) Block(ctx context.Context, url string) error       { return x.any().Block(ctx, url) }
func (x *trio) Drop(ctx context.Context, url string) (int, error) { return x.any().Drop(ctx, url) }
func (x *trio) Resume(ctx context.Context, url string) error      { return x.any().Resume(ctx, url) }

// Next asks the node that has the partition: the others would ask it time and again, and the time
// of a bubble passes by hours.
func (x *trio) Next(ctx context.Context) (frontier.Lease, error) {
	for _, n := range x.nodes {
		if len(n.Partitions()) > 0 {
			return n.Next(ctx)
		}
	}
	return x.nodes[0].Next(ctx) // they are closed
}

func (x *trio) Done(ctx context.Context, l frontier.Lease, out frontier.Outcome) error {
	for _, n := range x.nodes {
		if err := n.Done(ctx, l, out); !errors.Is(err, frontier.ErrLeaseExpired) {
			return err
		}
	}
	return frontier.ErrLeaseExpired
}

func (x *trio) Close() (err error) {
	for _, n := range x.nodes {
		err = errors.Join(err, n.Close())
	}
	x.server.Shutdown()
	x.server.WaitForShutdown()
	return err
}

// TestThreeNodes: so does one of three nodes, whichever is asked.
func TestThreeNodes(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes a minute")
	}
	frontiertest.Test(t, func(t *testing.T) frontier.Frontier { return openTrio(t, frontier.Options{}) })
}
