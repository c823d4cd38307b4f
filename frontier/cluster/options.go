package cluster

import (
	"cmp"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/webquarry/quarry/frontier"
	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/zeebo/xxh3"
)

// Mode says what becomes of links to pages of other partitions.
type Mode string

// The modes.
const (
	// Exchange sends links to the owner of their partition: all is found and nothing visited
	// twice. It is the default.
	Exchange Mode = "exchange"

	// Firewall drops them: nothing is sent and nothing visited twice, but what only such links
	// lead to is not found.
	Firewall Mode = "firewall"

	// CrossOver visits them where they were found: nothing is sent and all is found, but pages
	// are visited once in each partition that finds them, and each keeps clocks of its own
	// for the host. It is for comparisons on servers of one's own: politeness does not hold.
	CrossOver Mode = "cross-over"
)

// Options configure a node. All nodes of a cluster have the same Prefix, Partitions, Mode and LeaseFor.
type Options struct {
	URL  string        // of the servers, as [nats.Connect] takes it; nats://127.0.0.1:4222
	NATS []nats.Option // such as nats.UserCredentials, nats.RootCAs, nats.InProcessServer

	// Prefix begins the names of all subjects, streams and buckets, so that several clusters can
	// share a server: letters, digits, - and _; quarry.
	Prefix string

	// Name is that of the node, of which there is one at a time; a random one.
	Name string

	// Dir is the folder for the partitions that the node owns. They are removed when it no
	// longer does, as all is on the server; only one node has it at a time. It is needed.
	Dir string

	Partitions int  // into how many the URLs are parted, once and for all; 16
	Mode       Mode // Exchange
	Replicas   int  // servers that keep each stream; 1

	// LeaseFor is how long a node owns its partitions without saying that it is alive: so much
	// later, and the time that a fifth of it and reading the partition take, another node
	// takes over. A node that cannot reach the server for that long gives all up; 5 s, at least 1 s.
	LeaseFor time.Duration

	// ExportEvery is how many bytes of the log of a partition there are when it is exported, after
	// which what is older is removed from the stream; 32 MiB.
	ExportEvery int64

	Frontier frontier.Options // of each partition; SyncEvery and Copy do not count
	Log      *slog.Logger     // of partitions taken over and given up; nil: none
}

// withDefaults fills in what is not set, or says what is wrong.
func (o Options) withDefaults() (Options, error) {
	o.URL = cmp.Or(o.URL, nats.DefaultURL)
	o.Prefix = cmp.Or(o.Prefix, "quarry")
	o.Mode = cmp.Or(o.Mode, Exchange)
	o.Partitions, o.Replicas = cmp.Or(o.Partitions, 16), cmp.Or(o.Replicas, 1)
	o.LeaseFor = max(cmp.Or(o.LeaseFor, 5*time.Second), time.Second)
	o.ExportEvery = cmp.Or(o.ExportEvery, 32<<20)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	for what, name := range map[string]string{"prefix": o.Prefix, "name": cmp.Or(o.Name, "x")} {
		if strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "" {
			return o, fmt.Errorf("cluster: %s %q: only letters, digits, - and _", what, name)
		}
	}
	switch {
	case o.Mode != Exchange && o.Mode != Firewall && o.Mode != CrossOver:
		return o, fmt.Errorf("cluster: mode %q: not known", o.Mode)
	case o.Partitions < 1 || o.Partitions > 4096:
		return o, fmt.Errorf("cluster: %d partitions, want 1 to 4096", o.Partitions)
	case o.Dir == "":
		return o, fmt.Errorf("cluster: no folder")
	}
	return o, nil
}

// partitionOf is where a URL belongs, by its registrable domain; ok: it is a URL.
func partitionOf(url string, partitions int) (n int, ok bool) {
	_, name, msg := request.SplitHost(url)
	if msg != "" {
		return 0, false
	}
	return int(xxh3.HashString(request.DomainOf(name)) % uint64(partitions)), true
}
