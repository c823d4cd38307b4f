package crawler

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// slowToAccept is the listener of a server that is slow to begin the TLS handshake, as one
// that is far away is.
type slowToAccept struct {
	net.Listener
	wait time.Duration
}

func (l slowToAccept) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	time.Sleep(l.wait)
	return conn, err
}

// TestGapsAreOfRequests checks that the gap between two visits is kept as the server sees
// it: from one request to the next, however long the connection of the first one took.
func TestGapsAreOfRequests(t *testing.T) {
	t.Parallel()
	const gap, accept = 600 * time.Millisecond, 400 * time.Millisecond
	var mu sync.Mutex
	var asked []time.Time
	base, trust, _ := secure(t, false, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, time.Now())
		n := len(asked)
		mu.Unlock()
		if n%2 == 0 {
			w.Header().Set("Connection", "close") // the next one needs a new connection
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<a href="/%d">next</a>`, n)
	}, func(s *httptest.Server) { s.Listener = slowToAccept{s.Listener, accept} })
	c := Crawler{UserAgent: testAgent, Budget: Budget{Pages: 5}, IgnoreRobots: true,
		Fetcher:  &HTTP{UserAgent: testAgent, AllowPrivate: true, Network: Network{TLS: trust}},
		Frontier: frontier.New(frontier.Options{Limits: frontier.Limits{Delay: gap, Factor: -1}})}
	if err := c.Run(context.Background(), base); err != nil {
		t.Fatal(err)
	}
	for i, at := range asked[1:] {
		if d := at.Sub(asked[i]); d < gap*9/10 {
			t.Errorf("request %d came %v after the one before, want %v", i+2, d, gap)
		}
	}
}
