package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// bombRatio is how many times a body over the limit must have grown in decoding
// to be called a bomb. Text shrinks to a twentieth at best.
const bombRatio = 100

// drainLimit is how much of a redirect's body is read for the sake of its connection.
const drainLimit = 64 << 10

// exchange asks for one URL, without following. location is the header of that
// name when the answer is a redirect. What a proxy that cannot be reached was to
// do another one does.
func (c *chain) exchange(ctx context.Context, at string) (resp *Response, location string, err error) {
	u, err := requestURL(at)
	if err != nil {
		return nil, "", c.fail(ErrProtocol, err)
	}
	if err := c.http.checkTarget(u); err != nil {
		return nil, "", c.fail(ErrBlockedAddr, err)
	}
	ways := &c.http.state.proxies
	for try := 1; ; try++ {
		via := ways.pick(u.Hostname())
		resp, location, err = c.try(ctx, at, u, via)
		if !ways.note(via, err) || try >= len(ways.all) || ctx.Err() != nil {
			return resp, location, err
		}
	}
}

// try is an exchange by way of one proxy, or of none.
func (c *chain) try(ctx context.Context, at string, u *url.URL, via *proxy) (resp *Response, location string, err error) {
	ctx, cancel := context.WithCancelCause(via.within(ctx))
	defer cancel(nil)
	watch := c.http.newWatch(cancel)
	defer watch.stop()
	var addr atomic.Pointer[netip.Addr]
	var sent atomic.Pointer[time.Time]
	var conns atomic.Int32 // connections that the request had
	trace := &httptrace.ClientTrace{TLSHandshakeStart: watch.handshake, GotConn: func(got httptrace.GotConnInfo) {
		if l, ok := got.Conn.(*lenient); ok {
			if conns.Add(1) > 1 && got.Reused {
				l.Close() // net/http would ask again by all that lie idle: the next is a new one
				return
			}
			l.asked.Store(true)
		}
		addr.Store(c.http.remote(got.Conn))
		sent.Store(new(time.Now()))
		watch.connected()
	}}
	sent.Store(new(time.Now())) // by a Transport that tells nothing of its connections
	way := c.http.state.to(u)
	if c.req.Wrap != nil {
		way = c.req.Wrap(way)
	}
	answer, err := way.RoundTrip(c.request(u).WithContext(httptrace.WithClientTrace(ctx, trace)))
	if err != nil {
		return nil, "", c.classify(ctx, err, watch.reached())
	}
	defer answer.Body.Close()
	watch.body()
	if err := c.unusable(u, answer, via); err != nil {
		return nil, "", err
	}
	resp = &Response{URL: at, Status: answer.StatusCode, Header: answer.Header, Fetched: *sent.Load()}
	if a := addr.Load(); a != nil {
		resp.Addr = *a
	}
	if location = Location(answer.Header); !IsRedirect(answer.StatusCode) {
		location = ""
	}
	if location != "" || c.jar != nil {
		c.keepCookies(u, answer.Header)
	}
	if location != "" {
		resp.Wire, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, drainLimit))
	} else if err = c.read(ctx, answer, resp, watch); err != nil {
		return nil, "", err
	}
	resp.Took = time.Since(resp.Fetched)
	return resp, location, nil
}

// unusable returns an error for answers that are none.
func (c *chain) unusable(u *url.URL, answer *http.Response, via *proxy) error {
	if answer.StatusCode < 200 {
		return c.fail(ErrProtocol, errors.New("status "+answer.Status))
	}
	if err := c.http.proxyRefusal(u, answer, via); err != nil {
		return c.classify(context.Background(), err, inHeader)
	}
	return nil
}

// requestURL parses a URL for net/http. A path that net/url does not take, such
// as /100%, goes out as it is.
func requestURL(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	if err == nil {
		return u, nil
	}
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok {
		return nil, err
	}
	end := strings.IndexAny(rest, "/?")
	if end < 0 {
		return nil, err
	}
	if u, err = url.Parse(scheme + "://" + rest[:end] + "/"); err != nil {
		return nil, err
	}
	u.Opaque = "//" + rest
	return u, nil
}

// read reads the body of answer into resp.
func (c *chain) read(ctx context.Context, answer *http.Response, resp *Response, watch *watch) error {
	limit := c.req.MaxBody
	if answer.ContentLength > limit && !isText(answer.Header.Get("Content-Type")) {
		return c.fail(ErrTooLarge, errors.New("length "+answer.Header.Get("Content-Length")))
	}
	in := &wire{r: answer.Body, watch: watch, limit: limit + limit/8 + drainLimit}
	body := pieces{pool: &c.http.state.pieces}
	defer body.free()
	ended, err := c.http.state.decoders.decode(&body, in, answer.Header["Content-Encoding"], limit)
	resp.Wire = in.n
	n := body.n
	half := ended || c.req.Attempt > 0 && n > 0 // it came no further the last time either, so take what there is
	switch kind, late := context.Cause(ctx).(Kind); {
	case in.err != nil && !late && ctx.Err() != nil: // it was us who gave up
		return context.Cause(ctx)
	case late && in.err != nil && !half:
		return c.fail(kind, nil)
	case errors.Is(err, errLayerLimit), n > limit && n > bombRatio*in.n:
		return c.fail(ErrBomb, bombError{in.n, n, limit})
	case in.err != nil && !half:
		return c.fail(ErrBroken, in.err)
	case err != nil && !errors.Is(err, errOverLimit) && !half:
		return c.fail(ErrDecode, err)
	}
	if n > limit && !isText(answer.Header.Get("Content-Type")) {
		return c.fail(ErrTooLarge, fmt.Errorf("over %d bytes", limit))
	}
	resp.Truncated = err != nil || in.err != nil && !ended || n > limit
	resp.Body = body.bytes(limit)
	return nil
}

// isText reports whether the beginning of a body of this type is worth having.
func isText(contentType string) bool {
	t, _, _ := mime.ParseMediaType(contentType)
	return t == "" || strings.HasPrefix(t, "text/") || strings.HasSuffix(t, "xml") || strings.HasSuffix(t, "json")
}
