// Command cluster crawls with several nodes that share one frontier over NATS JetStream.
//
//	go run ./examples/cluster                                     three nodes and a server in one process, over a bundled web
//	go run ./examples/cluster -nats nats://10.0.0.1:4222 \
//	    -dir node -out pages.jsonl https://a.example/             one node of a cluster, on each machine
//
// Where to look:
//
//	main.go  from flags to nodes, and what they came to
//	node.go  a node: its part of the frontier, and its crawler
//	web.go   the server and the web of the demonstration
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/live"
	"github.com/webquarry/quarry/frontier"
	"github.com/webquarry/quarry/frontier/cluster"
)

func main() {
	os.Exit(live.Main(func(ctx context.Context) int { return run(ctx, os.Args[1:], os.Stdout, os.Stderr) }))
}

// options are the command line.
type options struct {
	nats, dir, out, userAgent string
	nodes, partitions         int
	mode                      string
	delay                     time.Duration
	seeds                     []string
}

func parse(args []string, stderr io.Writer) (opt options, err error) {
	fs := flag.NewFlagSet("cluster", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Usage = func() {
		fmt.Fprint(stderr, "Crawl with several nodes that share one frontier over NATS JetStream.\n\n"+
			"  go run ./examples/cluster                                    a demonstration in one process\n"+
			"  go run ./examples/cluster -nats nats://10.0.0.1:4222 -dir node -out pages.jsonl https://a.example/\n\n")
		fs.PrintDefaults()
	}
	fs.StringVar(&opt.nats, "nats", "", "`URL` of a NATS server with JetStream (default: one within the program, and a bundled web)")
	fs.StringVar(&opt.dir, "dir", "", "with -nats: `folder` of this node, which may be lost")
	fs.StringVar(&opt.out, "out", "", "with -nats: `file` to which this node writes its pages, a line of JSON each")
	fs.StringVar(&opt.userAgent, "user-agent", "quarry-cluster/1.0 (+https://github.com/webquarry/quarry)", "how to introduce yourself: `product/version (contact)`")
	fs.IntVar(&opt.nodes, "nodes", 3, "nodes of the demonstration")
	fs.IntVar(&opt.partitions, "partitions", 16, "into how many parts the URLs are parted, the same for all nodes")
	fs.StringVar(&opt.mode, "mode", string(cluster.Exchange), "what becomes of links to other parts: exchange, firewall or cross-over")
	fs.DurationVar(&opt.delay, "delay", time.Second, "time from one visit of a host to the next; 0: none (demonstration: none)")
	if err := live.ParseFlags(fs, args); err != nil {
		return opt, err
	}
	opt.seeds = fs.Args()
	switch {
	case opt.nats == "" && (opt.dir != "" || opt.out != "" || len(opt.seeds) > 0):
		return opt, errors.New("-dir, -out and seeds are for a node with -nats")
	case opt.nats != "" && (opt.dir == "" || opt.out == ""):
		return opt, errors.New("-nats wants -dir and -out")
	case opt.nodes < 1 || opt.nodes > 16:
		return opt, fmt.Errorf("%d nodes: want 1 to 16", opt.nodes)
	case opt.mode == string(cluster.CrossOver) && opt.nats != "":
		return opt, errors.New("cross-over is not polite, and for the demonstration only")
	}
	return opt, nil
}

// run is main with everything passed in. It returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	opt, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(stderr, "cluster:", err)
		return 2
	}
	if opt.nats == "" {
		err = demonstrate(ctx, opt, stdout)
	} else {
		err = join(ctx, opt, stdout)
	}
	if code, stopped := live.ExitCode(ctx, err); stopped {
		return code
	}
	if err != nil {
		fmt.Fprintln(stderr, "cluster:", err)
		return 1
	}
	return 0
}

// join crawls as one node of a cluster until nothing is left in any.
func join(ctx context.Context, opt options, stdout io.Writer) error {
	n := node{
		options: cluster.Options{URL: opt.nats, Dir: opt.dir, Partitions: opt.partitions, Mode: cluster.Mode(opt.mode), Frontier: frontier.Options{Limits: frontier.Limits{Delay: pause(opt.delay)}}},
		crawler: crawler.Crawler{UserAgent: opt.userAgent, Follow: crawler.SameSite(opt.seeds...)},
	}
	if err := n.open(ctx); err != nil {
		return err
	}
	err := n.crawl(ctx, opt.out, opt.seeds)
	fmt.Fprintf(stdout, "%d pages, partitions %v\n", n.pages.Load(), n.queue.Partitions())
	return errors.Join(err, n.queue.Close())
}

// pause is a delay as frontier.Limits has it.
func pause(delay time.Duration) time.Duration {
	if delay == 0 {
		return -1
	}
	return delay
}

// demonstrate crawls the bundled web with several nodes, and tells how they shared the work.
func demonstrate(ctx context.Context, opt options, stdout io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "quarry-cluster-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	server, err := serve(filepath.Join(dir, "nats"))
	if err != nil {
		return err
	}
	defer server.Shutdown()
	w := newWeb()
	nodes := make([]*node, opt.nodes)
	for i := range nodes {
		name := fmt.Sprintf("node%d", i+1)
		nodes[i] = &node{
			options: cluster.Options{
				NATS: []nats.Option{nats.InProcessServer(server)}, Name: name, Dir: filepath.Join(dir, name),
				Partitions: opt.partitions, Mode: cluster.Mode(opt.mode), Frontier: frontier.Options{Limits: frontier.OwnHost(1)},
			},
			crawler: crawler.Crawler{UserAgent: opt.userAgent, Fetcher: &crawler.HTTP{UserAgent: opt.userAgent, Transport: w}, Follow: crawler.Any},
		}
		if err := nodes[i].open(ctx); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, nodes[i].queue.Close()) }()
	}
	awaitShares(ctx, nodes, opt.partitions)
	start := time.Now()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var crawls sync.WaitGroup
	for _, n := range nodes {
		crawls.Go(func() {
			if err := n.crawl(ctx, "", w.seeds()); err != nil {
				stop(err) // the others end, too
			}
		})
	}
	crawls.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	visits := int64(0)
	for _, n := range nodes {
		visits += n.pages.Load()
		fmt.Fprintf(stdout, "%-8s %4d pages   partitions %v\n", n.options.Name, n.pages.Load(), n.queue.Partitions())
	}
	fmt.Fprintf(stdout, "%d of %d pages were found on %d hosts, by %d visits, in %.1f s\n", w.visited(), w.size(), hosts, visits, time.Since(start).Seconds())
	return nil
}

// awaitShares waits for the nodes to have shared the partitions out, so that the demonstration is
// not over before all of them take part. Others need not: who joins later gets a share then.
func awaitShares(ctx context.Context, nodes []*node, partitions int) {
	for over := time.Now().Add(20 * time.Second); time.Now().Before(over) && ctx.Err() == nil; time.Sleep(50 * time.Millisecond) {
		all, least := 0, partitions
		for _, n := range nodes {
			owned := len(n.queue.Partitions())
			all, least = all+owned, min(least, owned)
		}
		if all == partitions && least > 0 {
			return
		}
	}
}
