package warc

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/urlnorm"
	"github.com/webquarry/quarry/frontier"
)

// failedField is a field of ours: why the crawler took no page from an answer,
// one of the kinds of crawler.FetchError.
const failedField = "Quarry-Failed"

// secrets are the header fields that are not for everybody to read.
var secrets = []string{"Authorization", "Cookie", "Proxy-Authorization", "Set-Cookie"}

// drafts makes the records of an exchange: response or revisit, request,
// metadata. remember is to be called once they are written.
func (w *Writer) drafts(x *exchange, req frontier.Request, addr netip.Addr, failed string) (all []*draft, remember func()) {
	sum := newHash(w.opt.SHA256)
	io.Copy(sum, x.body.reader())
	digest := label(sum)
	head := w.answerHead(x.resp)
	id := newID()
	kind, profile, earlier := w.earlier(x, digest)
	d := newDraft(kind, id, x.url, x.at)
	d.addAddr(addr)
	if x.resp.ProtoMajor == 2 {
		d.add("WARC-Protocol", "h2")
	}
	d.add("WARC-Payload-Digest", digest)
	if kind == Revisit {
		d.add("WARC-Profile", profile)
		d.add("WARC-Refers-To", earlier.id)
		d.add("WARC-Refers-To-Target-URI", earlier.url)
		d.add("WARC-Refers-To-Date", formatDate(earlier.at))
	} else {
		d.body = x.body
	}
	d.add("WARC-Truncated", x.truncated)
	d.add(failedField, failed)
	d.add("Content-Type", httpAnswer)
	d.head = head
	d.entry = &Entry{Key: urlnorm.SURT(x.url), Time: x.at, URL: x.url, Status: x.resp.StatusCode,
		MIME: mediaType(x.resp.Header.Get("Content-Type")), Digest: digest}
	if kind == Revisit {
		d.entry.MIME = revisitMIME
	}
	remember = func() {
		if kind == Revisit || x.truncated != "" || failed != "" || x.resp.StatusCode != http.StatusOK || x.body.n == 0 {
			return
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.seen.add(digest, capture{id, x.url, x.at, d.entry.File})
	}
	all = []*draft{d}
	if x.req != nil {
		all = append(all, w.asked(x, id))
	}
	return append(all, told(x, id, req)), remember
}

// earlier decides whether a record refers to one that was written before.
func (w *Writer) earlier(x *exchange, digest string) (kind, profile string, of capture) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if x.resp.StatusCode == http.StatusNotModified {
		if c, ok := w.seen.pages[pageKey(x.url)]; ok {
			return Revisit, profileNotModified, c
		}
	}
	if c, ok := w.seen.payloads[digest]; ok && x.truncated == "" && x.body.n > 0 {
		return Revisit, profileDigest, c
	}
	return Response, "", capture{}
}

// asked is the record of a request.
func (w *Writer) asked(x *exchange, concurrent string) *draft {
	d := newDraft(Request, newID(), x.url, x.at)
	d.add("WARC-Concurrent-To", concurrent)
	d.add("Content-Type", httpAsked)
	target := x.req.URL.RequestURI()
	if u := x.req.URL; u.Opaque != "" { // a path that net/url does not take
		target = strings.TrimPrefix(u.Opaque, "//"+u.Host)
	}
	h := x.req.Header.Clone()
	h.Del("Host")
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n", x.req.Method, target, cmp.Or(x.req.Host, x.req.URL.Host))
	w.fields(&b, h)
	if x.req.GetBody != nil && w.opt.Secrets { // the body of a login, most likely
		if body, err := x.req.GetBody(); err == nil {
			io.Copy(&b, body)
			body.Close()
		}
	}
	d.head = b.Bytes()
	return d
}

// told is the record of what else is known of a visit, in the words of
// Heritrix.
func told(x *exchange, concurrent string, req frontier.Request) *draft {
	d := newDraft(Metadata, newID(), x.url, x.at)
	d.add("WARC-Concurrent-To", concurrent)
	d.add("Content-Type", fieldsType)
	h := Header{{"fetchTimeMs", strconv.FormatInt(x.took.Milliseconds(), 10)}}
	if req.Via != "" {
		h = append(h, Field{"via", req.Via})
	}
	if req.Depth > 0 {
		h = append(h, Field{"hopsFromSeed", strings.Repeat("L", min(req.Depth, 1000))})
	}
	if req.URL != x.url {
		h = append(h, Field{"redirectedFrom", req.URL})
	}
	d.head = h.bytes()
	return d
}

// answerHead is a status line and header as they stand in an archive.
func (w *Writer) answerHead(resp *http.Response) []byte {
	proto := "HTTP/1.1"
	if resp.ProtoMajor == 1 && resp.ProtoMinor == 0 {
		proto = "HTTP/1.0"
	}
	status := resp.Status
	if !strings.HasPrefix(status, strconv.Itoa(resp.StatusCode)) {
		status = strconv.Itoa(resp.StatusCode) + " " + http.StatusText(resp.StatusCode)
	}
	var b bytes.Buffer
	b.WriteString(proto + " " + oneLine(status) + "\r\n")
	w.fields(&b, resp.Header)
	return b.Bytes()
}

// fields writes header fields and the empty line behind them.
func (w *Writer) fields(b *bytes.Buffer, h http.Header) {
	names := make([]string, 0, len(h))
	for name := range h {
		if w.opt.Secrets || !slices.Contains(secrets, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		for _, value := range h[name] {
			b.WriteString(name + ": " + oneLine(value) + "\r\n")
		}
	}
	b.WriteString("\r\n")
}

// Put writes the response of a page, for a Fetcher that Capture cannot look
// into: one that drives a browser, say. The body is decoded; fields of its header
// that are no longer true of it get "X-Crawler-" before their name.
func (w *Writer) Put(_ context.Context, r *crawler.Result) error {
	if r.Page == nil {
		return nil
	}
	return w.write(w.page(r.Page.Response)...)
}

func (w *Writer) page(resp *crawler.Response) []*draft {
	h := resp.Header.Clone()
	for _, name := range [...]string{"Content-Encoding", "Content-Length", "Transfer-Encoding"} {
		if v, ok := h[name]; ok {
			h["X-Crawler-"+name] = v
			delete(h, name)
		}
	}
	x := &exchange{url: resp.URL, at: resp.Fetched, took: resp.Took, body: new(spool),
		resp: &http.Response{StatusCode: resp.Status, ProtoMajor: 1, ProtoMinor: 1, Header: h}}
	if x.at.IsZero() {
		x.at = time.Now()
	}
	if resp.Truncated {
		x.truncated = "length"
	}
	x.body.mem = *bytes.NewBuffer(resp.Body)
	x.body.n = int64(len(resp.Body))
	all, _ := w.drafts(x, resp.Request, resp.Addr, "")
	return all
}
