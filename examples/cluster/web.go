package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// serve starts a NATS server with JetStream within the program, which listens nowhere.
func serve(dir string) (*server.Server, error) {
	s, err := server.NewServer(&server.Options{DontListen: true, JetStream: true, StoreDir: dir, NoSigs: true, NoLog: true})
	if err != nil {
		return nil, err
	}
	s.Start()
	if !s.ReadyForConnections(10 * time.Second) {
		s.Shutdown()
		return nil, errors.New("the NATS server does not start")
	}
	return s, nil
}

// The web of the demonstration: so many hosts of so many pages, each of which links to the next
// of its host and to one of another host.
const (
	hosts   = 24
	perHost = 25
)

// web answers in memory, and notes what was visited.
type web struct {
	mu   sync.Mutex
	seen map[string]bool
}

func newWeb() *web { return &web{seen: map[string]bool{}} }

// seeds are pages of three hosts.
func (*web) seeds() []string {
	return []string{address(0, 0), address(hosts/3, 0), address(2*hosts/3, 0)}
}

func (*web) size() int { return hosts * perHost }

func (w *web) visited() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.seen)
}

func address(host, page int) string { return fmt.Sprintf("http://www.site%d.example/%d", host, page) }

// RoundTrip implements [http.RoundTripper].
func (w *web) RoundTrip(r *http.Request) (*http.Response, error) {
	var host, page int
	status, body := http.StatusNotFound, ""
	if _, err := fmt.Sscanf(r.URL.String(), "http://www.site%d.example/%d", &host, &page); err == nil {
		status = http.StatusOK
		body = fmt.Sprintf(`<title>Page %d of site %d</title><a href="%s">next</a> <a href="%s">elsewhere</a>`,
			page, host, address(host, (page+1)%perHost), address((host+page+1)%hosts, page))
		w.mu.Lock()
		w.seen[r.URL.String()] = true
		w.mu.Unlock()
	}
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"text/html"}}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}
