package warc

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/internal/around"
	"github.com/webquarry/quarry/frontier"
)

// exchange is a request and what came back.
type exchange struct {
	req       *http.Request // nil: not known
	url       string
	at        time.Time
	took      time.Duration
	resp      *http.Response // nil: no answer
	body      *spool
	truncated string // WARC-Truncated
	spoolErr  error
}

// Capture is a [crawler.Middleware] that writes every exchange of next before
// its Response is handed on: redirects, robots.txt, answers that are too large or
// break off, and all tries. Bodies are as the server sent them, content coding on
// and transfer coding off; names of header fields are in their usual spelling and
// in alphabetical order, and a status line is that of HTTP/1.1 whatever version
// was spoken, for that is all that net/http gives. An exchange without an answer
// is not written.
//
// Where next is no [crawler.HTTP], and goes to the network by another way, the
// Response itself is written, as by Put.
//
// An error is that of next, or a *[WriteError], with which a crawl ends.
func (w *Writer) Capture(next crawler.Fetcher) crawler.Fetcher {
	return around.Of(next, func(ctx context.Context, req frontier.Request) (*crawler.Response, error) {
		rec := &recorder{}
		resp, err := next.Fetch(crawler.WithTransport(ctx, rec.around), req)
		defer rec.close()
		if werr := w.record(rec.exchanges, req, resp, err); werr != nil {
			return nil, werr
		}
		return resp, err
	})
}

// record writes the exchanges of one fetch.
func (w *Writer) record(all []*exchange, req frontier.Request, resp *crawler.Response, failed error) error {
	if len(all) == 0 && failed == nil && resp != nil {
		return w.write(w.page(resp)...)
	}
	for i, x := range all {
		if x.resp == nil {
			continue
		}
		if x.spoolErr != nil {
			return w.fail(x.spoolErr)
		}
		why := ""
		if i == len(all)-1 && failed != nil {
			why = kindOf(failed)
		}
		var addr netip.Addr
		if resp != nil {
			addr = resp.Addr
		}
		drafts, remember := w.drafts(x, req, addr, why)
		if err := w.write(drafts...); err != nil {
			return err
		}
		remember()
	}
	return nil
}

// kindOf names an error of a Fetcher.
func kindOf(err error) string {
	if fe, ok := errors.AsType[*crawler.FetchError](err); ok {
		return string(fe.Kind)
	}
	return string(crawler.ErrOther)
}

// recorder sees the exchanges of one fetch.
type recorder struct {
	mu        sync.Mutex
	exchanges []*exchange
}

func (r *recorder) close() {
	for _, x := range r.exchanges {
		x.body.close()
	}
}

func (r *recorder) around(next http.RoundTripper) http.RoundTripper { return tripper{next, r} }

type tripper struct {
	next http.RoundTripper
	*recorder
}

func (t tripper) RoundTrip(req *http.Request) (*http.Response, error) {
	x := &exchange{url: req.URL.String(), at: time.Now(), body: new(spool)}
	var sent sentHeader
	trace := &httptrace.ClientTrace{WroteHeaderField: sent.add}
	resp, err := t.next.RoundTrip(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
	if err != nil {
		return nil, err
	}
	x.req = &http.Request{Method: cmp.Or(req.Method, http.MethodGet), URL: req.URL, Host: req.Host, Header: sent.or(req.Header), GetBody: req.GetBody}
	x.resp = &http.Response{Status: resp.Status, StatusCode: resp.StatusCode, Proto: resp.Proto, ProtoMajor: resp.ProtoMajor, ProtoMinor: resp.ProtoMinor,
		Header: resp.Header.Clone()}
	resp.Body = &tee{in: resp.Body, x: x, length: resp.ContentLength}
	t.mu.Lock()
	t.exchanges = append(t.exchanges, x)
	t.mu.Unlock()
	return resp, nil
}

// sentHeader is the header of a request with what the transport adds to it.
type sentHeader struct {
	mu     sync.Mutex
	fields http.Header
}

func (s *sentHeader) add(name string, values []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fields == nil {
		s.fields = http.Header{}
	}
	if !strings.HasPrefix(name, ":") { // of HTTP/2
		s.fields[http.CanonicalHeaderKey(name)] = values
	}
}

// or returns the header, or h where the transport is none of net/http.
func (s *sentHeader) or(h http.Header) http.Header {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fields == nil {
		return h
	}
	return s.fields.Clone()
}

// tee keeps what is read of a body.
type tee struct {
	in     io.ReadCloser
	x      *exchange
	length int64 // announced; negative: not
	over   bool  // the end was seen, or the trouble
}

func (t *tee) Read(p []byte) (int, error) {
	n, err := t.in.Read(p)
	t.keep(p[:n])
	if err != nil && !t.over {
		t.end(err)
	}
	return n, err
}

func (t *tee) keep(p []byte) {
	if t.x.spoolErr == nil {
		_, t.x.spoolErr = t.x.body.Write(p)
	}
}

func (t *tee) end(err error) {
	t.over = true
	t.x.took = time.Since(t.x.at)
	switch {
	case err == io.EOF:
	case isTimeout(err):
		t.x.truncated = "time"
	default:
		t.x.truncated = "disconnect"
	}
}

func isTimeout(err error) bool {
	ne, ok := errors.AsType[net.Error](err)
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || ok && ne.Timeout()
}

// Close looks whether all was read: a decoder may have had enough before the
// end.
func (t *tee) Close() error {
	if !t.over && t.x.body.n != t.length {
		var p [1]byte
		if n, err := t.in.Read(p[:]); n > 0 {
			t.keep(p[:])
			t.x.truncated = "length"
		} else if err != nil {
			t.end(err)
		}
	}
	t.over = true
	t.x.took = cmp.Or(t.x.took, time.Since(t.x.at))
	return t.in.Close()
}
