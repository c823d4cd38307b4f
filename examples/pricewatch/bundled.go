package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"

	"github.com/webquarry/quarry/examples/pricewatch/mall"
	"github.com/webquarry/quarry/index/serve"
)

// hosts are what the bundled shops are called in shops.yaml, in the order of
// the mall.
var hosts = [...]string{"lindner.test", "beanworks.test", "fell.test", "depot.test"}

// serveBundled serves the bundled shops until ctx ends, and makes their list.
// Their ports are free to choose the first time; after that they are part of the
// addresses in the ledger.
func (j *job) serveBundled(ctx context.Context, stop context.CancelCauseFunc) (err error) {
	j.mall = mall.New()
	j.mall.SetDay(max(j.place.state.Round-1, 0))
	text := bundledShops
	for i, shop := range j.mall.Shops() {
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", j.place.state.Bundled[i])
		if err != nil {
			return fmt.Errorf("the bundled shops: %w", err)
		}
		j.place.state.Bundled[i] = l.Addr().String()
		text = bytes.ReplaceAll(text, []byte(hosts[i]), []byte(l.Addr().String()))
		j.bundled.Go(func() {
			if err := serve.Run(ctx, l, shop.Handler); err != nil {
				stop(err)
			}
		})
	}
	j.list, err = parseShops(text)
	return err
}

// lookup knows what the chains of the bundled shops ask the environment for.
func (j *job) lookup(name string) (string, bool) {
	switch {
	case j.mall == nil:
	case name == "DEPOT_USER":
		return mall.DepotUser, true
	case name == "DEPOT_PASSWORD":
		return mall.DepotPassword, true
	}
	return os.LookupEnv(name)
}
