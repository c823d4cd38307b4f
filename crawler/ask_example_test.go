package crawler_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/frontier"
)

// A request with a method, a header and a body of its own.
func ExampleAsk() {
	fetcher := web(shop)
	ask := crawler.Ask{
		Method: http.MethodHead,
		Header: http.Header{"If-None-Match": {`"v1"`}},
	}
	resp, err := fetcher.Fetch(ask.Within(context.Background()), frontier.Request{URL: "http://shop.example/"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.Status)
	// Output: 200
}

// Names that this machine's resolver does not know, and roots of one's own.
func ExampleNetwork() {
	fetcher := &crawler.HTTP{
		UserAgent:    agent,
		AllowPrivate: true, // the addresses below are private
		Network: crawler.Network{
			TLS: &tls.Config{MinVersion: tls.VersionTLS12},
			Resolve: func(_ context.Context, host string) ([]netip.Addr, error) {
				if addr, ok := map[string]string{"wiki.corp": "10.0.0.7"}[host]; ok {
					return []netip.Addr{netip.MustParseAddr(addr)}, nil
				}
				return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
			},
		},
	}
	_, err := fetcher.Fetch(context.Background(), frontier.Request{URL: "https://mail.corp/"})
	fmt.Println(errors.Is(err, crawler.ErrDNS))
	// Output: true
}
