package cluster_test

import (
	"errors"
	"net"
	"sync"
)

// cable is a dialer whose connections can all be cut for good, or held up for a while, so that
// what is written meanwhile arrives late.
type cable struct {
	mu    sync.Mutex
	conns []net.Conn
	gone  bool
	hold  sync.RWMutex // held while nothing goes through
}

func (c *cable) Dial(network, address string) (net.Conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return nil, errors.New("the cable is cut")
	}
	conn, err := net.Dial(network, address)
	if err != nil {
		return nil, err
	}
	c.conns = append(c.conns, conn)
	return slow{conn, c}, nil
}

func (c *cable) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone = true
	for _, conn := range c.conns {
		conn.Close()
	}
}

type slow struct {
	net.Conn
	cable *cable
}

func (s slow) Write(b []byte) (int, error) {
	s.cable.hold.RLock()
	defer s.cable.hold.RUnlock()
	return s.Conn.Write(b)
}

func (s slow) Read(b []byte) (int, error) {
	n, err := s.Conn.Read(b)
	s.cable.hold.RLock()
	defer s.cable.hold.RUnlock()
	return n, err
}
