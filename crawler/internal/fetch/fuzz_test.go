package fetch

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/webquarry/quarry/crawler/urlnorm"
)

// canned is a connection whose other end has sent all that it will.
type canned struct{ io.Reader }

func (canned) Write(p []byte) (int, error)        { return len(p), nil }
func (canned) Close() error                       { return nil }
func (canned) LocalAddr() net.Addr                { return &net.TCPAddr{} }
func (canned) RemoteAddr() net.Addr               { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1)} }
func (canned) SetDeadline(time.Time) error        { return nil }
func (canned) SetReadDeadline(time.Time) error    { return nil }
func (canned) SetWriteDeadline(t time.Time) error { return nil }

// FuzzAnswer: whatever a server sends is a response within the limits, or an
// error of a kind.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 8\r\n\r\n<a href>"), 0)
	f.Add([]byte("HTTP/1.1 302 Found\r\nLocation: /caf\xe9 #x\r\nSet-Cookie: a=b; Domain=test\r\n\r\n"), 1)
	f.Add([]byte("HTTP/1.1 302 Found\r\nLocation: ?\r\nSet-Cookie: \xff\r\n\r\n"), 0)
	f.Add([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n3\r\n\x1f\x8b\x08\r\n0\r\n\r\n"), 1)
	f.Add([]byte("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.0 200\r\nRefresh: 0;url=//[\r\nX-Robots-Tag: a:b:noindex\r\n\r\n<p>"), 0)
	f.Add([]byte("\r\nhttp/1 200\r\nno colon\r\n more\r\nX Y: z\r\nX :\x00\rz\r\nTransfer-Encoding: gzip, chunked\r\nContent-Length: 5, 5\r\n\r\n0\r\nx"), 0)
	f.Fuzz(func(t *testing.T, answer []byte, attempt int) {
		const limit = 1000
		h := &HTTP{UserAgent: "quarry-test/1.0", Redirects: 2, Timeout: 10 * time.Second, Transport: &http.Transport{
			DisableCompression: true, DisableKeepAlives: true, MaxResponseHeaderBytes: maxHeader,
			DialContext: func(context.Context, string, string) (net.Conn, error) {
				return &lenient{Conn: canned{bytes.NewReader(answer)}}, nil
			},
		}}
		sameAsBefore(t, answer)
		resp, err := h.Fetch(t.Context(), &Request{URL: "http://a.test/d/p?q", Attempt: attempt, MaxBody: limit, Canon: new(urlnorm.Profile)})
		if err != nil {
			if e, ok := err.(*Error); !ok || e.Kind == "" {
				t.Fatalf("error %v", err)
			}
			return
		}
		if len(resp.Body) > limit || resp.Status < 200 || resp.Status > 999 {
			t.Errorf("status %d, %d bytes", resp.Status, len(resp.Body))
		}
		if l := resp.Location; l != "" {
			if u, err := urlnorm.URL("", l); err != nil || u != l {
				t.Errorf("Location %q is not canonical: %q, %v", l, u, err)
			}
		}
	})
}

// sameAsBefore checks that a header that net/http reads says the same when it was
// put right. Names with spaces, which it keeps, and fields of several lines aside.
func sameAsBefore(t *testing.T, answer []byte) {
	was, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(answer)), nil)
	if err != nil || was.StatusCode < 200 || bytes.Contains(answer, []byte("\n ")) || bytes.Contains(answer, []byte("\n\t")) {
		return
	}
	for name := range was.Header {
		if strings.Contains(name, " ") {
			return
		}
	}
	l := &lenient{Conn: canned{bytes.NewReader(answer)}}
	l.asked.Store(true)
	is, err := http.ReadResponse(bufio.NewReader(l), nil)
	if err != nil || is.StatusCode != was.StatusCode || is.ContentLength != was.ContentLength {
		t.Fatalf("%+v became %+v, %v", was, is, err)
	}
	for name, values := range was.Header {
		if !slices.Equal(is.Header[name], values) {
			t.Errorf("%s: %q became %q", name, values, is.Header[name])
		}
	}
	a, _ := io.ReadAll(was.Body)
	if b, _ := io.ReadAll(is.Body); !bytes.Equal(a, b) {
		t.Errorf("body %q became %q", a, b)
	}
}
