package main

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/sink"
	"github.com/webquarry/quarry/frontier/cluster"
)

// node is one machine of the cluster.
type node struct {
	options cluster.Options
	crawler crawler.Crawler

	queue *cluster.Node // its part of the frontier
	pages atomic.Int64
}

// open makes the node a part of the cluster.
func (n *node) open(ctx context.Context) (err error) {
	n.queue, err = cluster.Open(ctx, n.options)
	return err
}

// crawl visits what the partitions of the node hold, until nothing waits in any partition of the
// cluster. Pages go to a file, unless that is empty.
func (n *node) crawl(ctx context.Context, file string, seeds []string) (err error) {
	count := crawler.Pages(func(context.Context, *crawler.Page) error {
		n.pages.Add(1)
		return nil
	})
	c := n.crawler
	c.Frontier, c.Sink = n.queue, count
	if file != "" {
		lines, err := sink.OpenJSONL(file, sink.JSONLOptions{})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, lines.Close()) }()
		c.Sink = sink.Tee(lines, count)
	}
	return c.Run(ctx, seeds...)
}
