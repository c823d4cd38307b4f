package chrome

import (
	"bufio"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"time"
)

// proxy is what a tab has in the place of a network. It listens on loopback, for
// that tab alone, so that whoever asks is known. Requests to https come by
// CONNECT and are read with certificates of the authority.
type proxy struct {
	listener net.Listener
	server   *http.Server
	tunnels  *tunnels
	secrets  *authority
}

// newProxy listens, and hands each request to serve with its absolute URL.
func newProxy(secrets *authority, serve func(w http.ResponseWriter, r *http.Request, url string)) (*proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{listener: l, secrets: secrets, tunnels: &tunnels{addr: l.Addr(), conns: make(chan net.Conn), end: make(chan struct{})}}
	p.server = &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodConnect {
				p.connect(w, r)
				return
			}
			serve(w, r, absolute(r))
		}),
		ReadHeaderTimeout: time.Minute,
		MaxHeaderBytes:    1 << 20,
		ErrorLog:          log.New(io.Discard, "", 0),
		TLSNextProto:      map[string]func(*http.Server, *tls.Conn, http.Handler){},
	}
	go p.server.Serve(l)
	go p.server.Serve(p.tunnels)
	return p, nil
}

// absolute is the URL of a request, which has no host when it came by a tunnel.
func absolute(r *http.Request) string {
	switch {
	case r.URL.Host != "":
		return r.URL.String()
	case r.TLS != nil:
		return "https://" + r.Host + r.RequestURI
	}
	return "http://" + r.Host + r.RequestURI
}

func (p *proxy) addr() string { return "http://" + p.listener.Addr().String() }

func (p *proxy) close() {
	p.tunnels.Close()
	p.server.Close()
}

// connect opens a tunnel that ends here. What Chrome sends into it tells whether
// it is TLS; a WebSocket without TLS comes this way, too.
func (p *proxy) connect(w http.ResponseWriter, r *http.Request) {
	conn, buf, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	if _, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		conn.Close()
		return
	}
	in := &peeked{conn, buf.Reader}
	first, err := buf.Peek(1)
	if err != nil {
		conn.Close()
		return
	}
	if first[0] != 0x16 { // a handshake record (RFC 8446, 5.1)
		p.tunnels.add(in)
		return
	}
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	p.tunnels.add(tls.Server(in, p.secrets.config(strings.Trim(host, "[]"))))
}

// peeked is a connection of which the beginning was read.
type peeked struct {
	net.Conn
	r *bufio.Reader
}

func (p *peeked) Read(b []byte) (int, error) { return p.r.Read(b) }

// tunnels is a listener for connections within connections.
type tunnels struct {
	addr  net.Addr
	conns chan net.Conn
	end   chan struct{}
}

func (t *tunnels) add(c net.Conn) {
	select {
	case t.conns <- c:
	case <-t.end:
		c.Close()
	}
}

func (t *tunnels) Accept() (net.Conn, error) {
	select {
	case c := <-t.conns:
		return c, nil
	case <-t.end:
		return nil, net.ErrClosed
	}
}

// Close may be called once by us, and again by the server.
func (t *tunnels) Close() error {
	select {
	case <-t.end:
	default:
		close(t.end)
	}
	return nil
}

func (t *tunnels) Addr() net.Addr { return t.addr }
