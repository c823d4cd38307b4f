package warc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/frontier"
)

// Fetcher is a [crawler.Fetcher] that answers from an archive, without network.
// A crawl with it goes the way of the one that was archived, and redirects,
// robots.txt and content codings are treated by [crawler.HTTP] as they were
// then. Responses bear the time and address of the capture.
//
// Of several captures the newest counts, or the newest that is not after At. A
// URL that the archive does not hold is answered by status 404.
type Fetcher struct {
	Archive *Archive
	At      time.Time // zero: now

	once sync.Once
	http *crawler.HTTP
}

var _ crawler.Fetcher = (*Fetcher)(nil)

// Fetch answers a request.
func (f *Fetcher) Fetch(ctx context.Context, req frontier.Request) (*crawler.Response, error) {
	f.once.Do(func() { f.http = player(f.Archive.MaxBody, f.Archive.answer) })
	p := &playing{at: f.At}
	defer p.close()
	return p.fetch(ctx, f.http, req)
}

// Responses walks the answers in all files that a Parser could read, in order:
// those of HTTP by any status, decoded; resources; the texts of WET files. A
// payload that a revisit record does not repeat is taken from the record that
// it refers to. Damage is told as by [Archive.Records], an answer from which no
// Response can be made as a *[crawler.FetchError].
func (a *Archive) Responses(ctx context.Context) iter.Seq2[*crawler.Response, error] {
	return func(yield func(*crawler.Response, error) bool) {
		h := player(a.MaxBody, nil)
		for rec, err := range a.Records() {
			if ctx.Err() != nil {
				yield(nil, context.Cause(ctx))
				return
			}
			if err != nil {
				if !yield(nil, err) {
					return
				}
				continue
			}
			if !rec.isAnswer() {
				continue
			}
			resp, err := a.play(ctx, h, rec)
			if errors.Is(err, errAgain) { // a redirect to itself
				continue
			}
			if !yield(resp, err) {
				return
			}
		}
	}
}

// isAnswer reports whether a record holds what a Fetcher could have brought.
func (r *Record) isAnswer() bool {
	if !strings.HasPrefix(r.URL, "http://") && !strings.HasPrefix(r.URL, "https://") {
		return false
	}
	return r.Type == Response || r.Type == Resource || r.Type == Conversion || r.Type == Revisit
}

func (a *Archive) play(ctx context.Context, h *crawler.HTTP, rec *Record) (*crawler.Response, error) {
	if why := rec.Header.Get(failedField); why != "" {
		return nil, &crawler.FetchError{URL: rec.URL, Kind: crawler.Kind(why), Err: errors.New("when it was archived")}
	}
	p := &playing{archive: a, record: rec}
	defer p.close()
	return p.fetch(ctx, h, frontier.Request{URL: rec.URL})
}

// errAgain ends a fetch that asks for one record twice.
var errAgain = errors.New("warc: the record was played already")

// player is an HTTP whose network is an archive.
func player(maxBody int64, answer func(*http.Request) (*http.Response, error)) *crawler.HTTP {
	return &crawler.HTTP{UserAgent: "quarry-replay/1.0 (+https://github.com/webquarry/quarry)", AllowPrivate: true,
		MaxBody: maxBody, MinRate: -1, Transport: playback(answer)}
}

type playback func(*http.Request) (*http.Response, error)

// RoundTrip plays the record that the fetch brings along, or the one that
// answers the request.
func (p playback) RoundTrip(req *http.Request) (*http.Response, error) {
	now := req.Context().Value(playingKey{}).(*playing)
	switch {
	case now.record == nil:
		return p(req)
	case now.played:
		return nil, errAgain
	}
	now.played = true
	return now.open(req, now.record)
}

type playingKey struct{}

// playing is one fetch from an archive.
type playing struct {
	archive *Archive
	record  *Record // nil: to be found by URL
	at      time.Time
	played  bool
	date    time.Time
	addr    netip.Addr
	cut     bool // the body is not all that the server sent
	files   []io.Closer
}

func (p *playing) close() {
	for _, f := range p.files {
		f.Close()
	}
}

func (p *playing) fetch(ctx context.Context, h *crawler.HTTP, req frontier.Request) (*crawler.Response, error) {
	once := req
	once.Attempt++ // what broke off then will not come whole now
	resp, err := h.Fetch(context.WithValue(ctx, playingKey{}, p), once)
	if err != nil {
		return nil, err
	}
	resp.Request, resp.Fetched, resp.Addr = req, p.date, p.addr
	resp.Truncated = resp.Truncated || p.cut
	return resp, nil
}

// open makes the answer of a record.
func (p *playing) open(req *http.Request, rec *Record) (*http.Response, error) {
	p.date = rec.Date
	p.addr, _ = netip.ParseAddr(rec.Header.Get("WARC-IP-Address"))
	resp, err := p.message(rec)
	if err != nil {
		return nil, err
	}
	why := rec.Header.Get("WARC-Truncated")
	if p.cut = why != ""; p.cut {
		resp.ContentLength = -1
		if why != "length" {
			resp.Body = io.NopCloser(io.MultiReader(resp.Body, broken{}))
		}
	}
	resp.Request = req
	return resp, nil
}

// broken is the end of a body that has none.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// message reads a record; a revisit gets the body of the record that it refers
// to, and the header too if it has none. What a 304 says is for whoever asked.
func (p *playing) message(rec *Record) (*http.Response, error) {
	if rec.Type != Revisit || strings.HasSuffix(rec.Header.Get("WARC-Profile"), "/server-not-modified") {
		return rec.HTTP()
	}
	of, err := p.archive.original(rec)
	if err != nil {
		return nil, err
	}
	full, file, err := p.archive.Load(of)
	if err != nil {
		return nil, err
	}
	p.files = append(p.files, file)
	payload, err := full.HTTP()
	if err != nil || rec.Size == 0 {
		return payload, err
	}
	resp, err := rec.HTTP()
	if err != nil {
		return nil, err
	}
	resp.Body, resp.ContentLength = payload.Body, payload.ContentLength
	return resp, nil
}

// original finds the record that a revisit refers to.
func (a *Archive) original(rec *Record) (Entry, error) {
	url := strings.Trim(rec.Header.Get("WARC-Refers-To-Target-URI"), "<>")
	if url == "" {
		url = rec.URL
	}
	at := parseDate(rec.Header.Get("WARC-Refers-To-Date")).Truncate(time.Second)
	digest := bare(rec.Header.Get("WARC-Payload-Digest"))
	all, err := a.Find(url)
	if err != nil {
		return Entry{}, err
	}
	best := -1
	for i, e := range all {
		if e.MIME == revisitMIME || digest != "" && e.Digest != "" && bare(e.Digest) != digest {
			continue
		}
		if best < 0 || e.Time.Equal(at) {
			best = i
		}
	}
	if best < 0 {
		return Entry{}, fmt.Errorf("%w: %s, to which a revisit refers", ErrNoCapture, url)
	}
	return all[best], nil
}

// bare is a digest without the name of its algorithm, which some indexes leave
// out.
func bare(digest string) string {
	_, value, ok := strings.Cut(digest, ":")
	if !ok {
		return digest
	}
	return value
}

// answer plays the newest capture that the request may see.
func (a *Archive) answer(req *http.Request) (*http.Response, error) {
	p := req.Context().Value(playingKey{}).(*playing)
	p.archive = a
	all, err := a.Find(req.URL.String())
	if err != nil {
		return nil, &archiveError{err}
	}
	for i := len(all) - 1; i >= 0; i-- {
		if e := all[i]; e.Status == http.StatusNotModified || !p.at.IsZero() && e.Time.After(p.at) {
			continue
		}
		rec, file, err := a.Load(all[i])
		if err != nil {
			return nil, err
		}
		p.files = append(p.files, file)
		if rec.Header.Get(failedField) != "" && i > 0 {
			continue
		}
		return p.open(req, rec)
	}
	return &http.Response{Status: "404 Not in the archive", StatusCode: http.StatusNotFound, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(nil)), Request: req}, nil
}

// archiveError is an archive that cannot be read at all, with which a crawl from
// it ends.
type archiveError struct{ error }

func (e *archiveError) Unwrap() error { return e.error }

// Fatal reports true.
func (e *archiveError) Fatal() bool { return true }
