package chrome

import (
	"cmp"
	"context"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/chrome/action"
	"github.com/webquarry/quarry/frontier"
)

// maxUpload is how much a page may send with a request.
const maxUpload = 8 << 20

// serve answers a request of the page by way of Via.
func (l *load) serve(w http.ResponseWriter, r *http.Request, url string) {
	main, ok := l.enter(r, url)
	if !ok {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	defer l.leave()
	ctx, cancel := context.WithCancelCause(l.ctx)
	defer cancel(nil)
	defer context.AfterFunc(r.Context(), func() { cancel(context.Cause(r.Context())) })()
	if main {
		l.serveDocument(ctx, w, r)
		return
	}
	if !l.tab.pool.fetcher.state.gate.allows(ctx, r.Method, url, l.req) {
		l.update(func() { l.refused++ })
		refuse(w, r)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxUpload))
	if err != nil {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	known := l.tab.mark.take(r)
	ask := askOf(ctx, r, false)
	ask.Anonymous = !known && !l.opens(r, url)
	if ask.Method = r.Method; len(body) > 0 {
		ask.Body = body
	}
	resp, err := l.tab.pool.fetcher.state.via.Fetch(ask.Within(ctx), frontier.Request{URL: url, Via: l.req.URL, Depth: l.req.Depth, Label: l.req.Label, Meta: l.req.Meta})
	if err != nil {
		w.Header().Set(action.ErrorHeader, oneLine(strings.TrimPrefix(err.Error(), "crawler: "+url+": ")))
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	l.update(func() { l.bytes += int64(len(resp.Body)); l.wire += resp.Wire })
	if isNavigation(r) {
		l.tab.mark.leave(w, url)
	}
	answer(w, resp)
}

// enter begins a request, or refuses it. main is true for the document itself.
func (l *load) enter(r *http.Request, url string) (main, ok bool) {
	l.update(func() {
		main = l.due && isNavigation(r) && url == l.wanted && !l.free // otherwise it is of a window
		if ok = l.admits(r, url, main); !ok {
			l.refused++
			return
		}
		l.busy.Add(1)
		l.started++
		l.open++
		if main && l.lag == 0 {
			l.lag = time.Since(l.sent)
		}
	})
	return main, ok
}

func (l *load) leave() {
	l.update(func() { l.open-- })
	l.busy.Done()
}

func (l *load) admits(r *http.Request, url string, main bool) bool {
	limits := l.tab.pool.fetcher.Limits
	switch {
	case l.ctx.Err() != nil, l.started >= cmp.Or(limits.Requests, 1000), l.bytes >= cmp.Or(limits.Bytes, 64<<20):
	case r.Header.Get("Upgrade") != "": // a WebSocket has no end
	case r.Header.Get("Service-Worker") != "": // it would answer later pages in our place
	case strings.HasPrefix(r.Header.Get("Sec-Purpose"), "prefetch"):
	case isNavigation(r) && !main && !l.free && l.frames[url] == 0: // of a window that the page opened
	default:
		return true
	}
	return false
}

// isNavigation reports whether a request is for a document, of the page or of a
// frame.
func isNavigation(r *http.Request) bool { return r.Header.Get("Upgrade-Insecure-Requests") != "" }

// serveDocument answers the request for the page itself. What is no document to
// show never reaches Chrome, which stays where it is.
func (l *load) serveDocument(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	l.tab.mark.take(r)
	l.mu.Lock()
	resp, wanted, again := l.given, l.wanted, l.loads > 0
	l.mu.Unlock()
	var err error
	if resp == nil {
		req := l.req
		if again { // with a parameter, it may be, that is none to a crawl
			req.URL = wanted
		}
		if resp, err = l.tab.pool.fetcher.state.via.Fetch(askOf(ctx, r, true).Within(ctx), req); err == nil {
			resp.Request = l.req
		}
	}
	if err == nil && isDocument(resp) && resp.URL != "" && resp.URL != l.req.URL && !same(resp.URL, wanted) { // Via followed redirects
		l.update(func() { l.given, l.wanted = resp, withoutFragment(resp.URL) })
		w.Header().Set("Location", resp.URL)
		w.WriteHeader(http.StatusFound)
		return
	}
	if err != nil || !isDocument(resp) {
		w.WriteHeader(http.StatusNoContent)
	} else {
		l.tab.mark.leave(w, wanted)
		defer answer(w, resp)
	}
	l.update(func() {
		if l.came, l.due = resp, false; err != nil {
			l.err = cmp.Or(l.err, err)
		}
	})
}

func withoutFragment(url string) string {
	url, _, _ = strings.Cut(url, "#")
	return url
}

// ours are the headers that Via sends by itself, and those that speak of the
// connection to us.
const ours = "User-Agent Accept-Encoding Connection Proxy-Connection Proxy-Authorization Keep-Alive Te Upgrade Host Content-Length Transfer-Encoding Priority"

// validators are what a crawl knows of a page. A browser shows what the document
// makes of data that may have changed although the document did not.
const validators = "If-None-Match If-Modified-Since"

// fromCaches are what the browser asks for when it reloads a page, or when we
// have it leave out its cache.
const fromCaches = "Cache-Control Pragma"

// askOf is what the browser says of a request. What an Ask of the crawl says is
// for the document, and for nothing that it loads.
func askOf(ctx context.Context, r *http.Request, document bool) crawler.Ask {
	ask := crawler.Ask{Header: make(http.Header, len(r.Header)+4)}
	for k := range crawler.Asked(ctx).Header {
		if !document || strings.Contains(validators, k) {
			ask.Header[k] = nil
		}
	}
	for k, v := range r.Header {
		if contains(ours, k) || strings.HasPrefix(k, "Sec-Ch-") || document && (contains(validators, k) || contains(fromCaches, k) || k == "Accept" || k == "Accept-Language") {
			continue
		}
		ask.Header[k] = v
	}
	return ask
}

func contains(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if w == word {
			return true
		}
	}
	return false
}

// notForChrome are headers of a response that are about the connection, or would
// have Chrome remember more of a host than its cookies.
const notForChrome = "Content-Encoding Content-Length Transfer-Encoding Connection Keep-Alive Proxy-Authenticate Trailer Upgrade " +
	"Strict-Transport-Security X-Quarry-Error Alt-Svc Public-Key-Pins Expect-Ct Nel Report-To Reporting-Endpoints Content-Security-Policy-Report-Only Link"

// oneLine is a text as a header can have it.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return ' '
		}
		return r
	}, s)
}

// answer hands a response to Chrome.
func answer(w http.ResponseWriter, resp *crawler.Response) {
	h := w.Header()
	for k, v := range resp.Header {
		if !contains(notForChrome, k) {
			h[k] = append(h[k], v...)
		}
	}
	if h.Get("Content-Type") == "" {
		h["Content-Type"] = nil // Chrome looks for itself
	}
	w.WriteHeader(resp.Status)
	w.Write(resp.Body)
}

// isDocument reports whether a response is one that a browser makes something of
// that is not there already.
func isDocument(resp *crawler.Response) bool {
	if resp.Status < 200 || resp.Status > 299 || resp.Status == http.StatusNoContent || resp.Status == http.StatusResetContent {
		return false
	}
	if d, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Disposition")); d == "attachment" {
		return false
	}
	t, _, _ := mime.ParseMediaType(cmp.Or(resp.Header.Get("Content-Type"), http.DetectContentType(resp.Body)))
	return t == "text/html" || t == "application/xhtml+xml"
}
