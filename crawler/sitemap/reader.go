package sitemap

import (
	"cmp"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/webquarry/quarry/crawler/urlnorm"
)

// Reader says how sitemaps are read. The zero value is ready. It may be used by
// many goroutines as long as it is not changed.
type Reader struct {
	MaxEntries int   // of one sitemap; 50,000, as the protocol has it
	MaxBytes   int64 // of one sitemap, unpacked; 50 MiB, as the protocol has it

	// Hosts are those whose URLs count beside those of the sitemap's own host,
	// such as the ones whose robots.txt names the sitemap; "*" stands for all.
	// Scheme, port and a leading "www." do not matter. Feeds may list any.
	Hosts []string
}

const (
	defaultEntries = 50_000
	defaultBytes   = 50 << 20

	longestURL = 8 << 10 // bytes; the protocol has 2,048
	maxToken   = 1 << 20 // bytes of a tag, a comment or a run of text
)

// Read walks the entries of the sitemap at a URL, by a Reader with defaults.
func Read(body io.Reader, url string) iter.Seq2[Entry, error] { return new(Reader).Read(body, url) }

// Read walks the entries of the sitemap, index or feed that came from a URL, in
// the order they stand in. Packing, encoding and kind are told by the bytes.
//
// The last pair may be no entry but an error: one or several [*Error] joined.
// What was read before is good. Time is linear in the size of the body, some
// 20 ms a MiB; memory does not depend on it.
func (r *Reader) Read(body io.Reader, url string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		w := walk{opt: r, url: url, host: host(url), yield: yield}
		w.read(body)
		if err := w.trouble.err(); err != nil && !w.stopped {
			yield(Entry{}, err)
		}
	}
}

// Collect reads all that entries holds. The error is that of its last pair.
func Collect(entries iter.Seq2[Entry, error]) (all []Entry, err error) {
	for e, bad := range entries {
		if bad != nil {
			err = errors.Join(err, bad)
			continue
		}
		all = append(all, e)
	}
	return all, err
}

// walk is one sitemap being read.
type walk struct {
	opt     *Reader
	url     string
	host    string
	yield   func(Entry, error) bool
	in      *source
	count   int // entries given
	feed    bool
	stopped bool // nobody wants more
	trouble troubles
}

func (w *walk) read(body io.Reader) {
	src, err := open(body, cmp.Or(w.opt.MaxBytes, defaultBytes))
	w.in = src
	if err != nil {
		w.failed(err)
		return
	}
	head, _ := src.Peek(sniffed)
	switch kind := format(head); kind {
	case NotSitemap:
		w.note(ErrNotSitemap, notOne(head))
	case Text:
		w.readText()
	case JSONFeed:
		w.feed = true
		w.readJSON()
	default:
		w.feed = kind == RSS || kind == Atom
		m := machine{walk: w, z: html.NewTokenizer(src)}
		m.read()
	}
}

// give hands on an entry, and reports whether more are wanted. Its URL is still
// as it was written.
func (w *walk) give(e Entry) bool {
	at, ok := w.absolute(e.URL)
	switch {
	case !ok:
		if e.URL != "" {
			w.note(ErrMalformed, errors.New("no URL: "+clip(e.URL, 80)))
		}
		return true
	case !w.feed && !w.mayList(at):
		w.note(ErrOtherHost, nil)
		return true
	case w.count == cmp.Or(w.opt.MaxEntries, defaultEntries):
		w.note(ErrTooMany, nil)
		return false
	}
	e.URL = at
	w.count++
	if !w.yield(e, nil) {
		w.stopped = true
	}
	return !w.stopped
}

// absolute resolves a URL. Those of sitemaps must be absolute, or begin with a
// slash, which happens.
func (w *walk) absolute(ref string) (string, bool) {
	if ref == "" || len(ref) > longestURL {
		return "", false
	}
	if hasScheme(ref) && !strings.ContainsAny(ref, " \t\n") {
		return ref, host(ref) != ""
	}
	if !hasScheme(ref) && !w.feed && ref[0] != '/' {
		return "", false
	}
	u, err := verbatim(w.url, ref)
	return u, err == nil
}

func hasScheme(s string) bool {
	return len(s) > 8 && (strings.EqualFold(s[:7], "http://") || strings.EqualFold(s[:8], "https://"))
}

// verbatim resolves a reference and changes as little as can be about it.
func verbatim(base, ref string) (string, error) {
	p := urlnorm.Profile{KeepEscapes: true, KeepRootDot: true, KeepEmpty: true, KeepDuplicates: true, KeepSessions: true, KeepTracking: true}
	return p.URL(base, ref)
}

func (w *walk) mayList(url string) bool {
	h := host(url)
	return h == w.host || slices.ContainsFunc(w.opt.Hosts, func(s string) bool { return s == "*" || bare(s) == h })
}

// host returns the host of an http URL in lower case, without "www." and port.
func host(url string) string {
	_, rest, ok := strings.Cut(url, "://")
	if !ok {
		return ""
	}
	if i := strings.IndexAny(rest, "/?#\\"); i >= 0 {
		rest = rest[:i]
	}
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		rest = rest[i+1:]
	}
	return bare(rest)
}

func bare(host string) string {
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		host = host[:i]
	}
	return strings.TrimPrefix(strings.ToLower(host), "www.")
}

func clip(s string, n int) string {
	if len(s) > n {
		return strings.ToValidUTF8(s[:n], "") + "..."
	}
	return s
}

// note records trouble.
func (w *walk) note(kind Kind, cause error) {
	w.trouble.add(&Error{URL: w.url, Kind: kind, Offset: w.in.offset(), Count: 1, Err: cause})
}

// failed records what ended the reading.
func (w *walk) failed(err error) {
	kind := kindOf(err)
	if kind == ErrTooLarge {
		err = nil
	}
	w.note(kind, err)
}

// troubles are errors, one of each kind.
type troubles []*Error

func (t *troubles) add(e *Error) {
	for _, old := range *t {
		if old.Kind == e.Kind {
			old.Count++
			return
		}
	}
	*t = append(*t, e)
}

func (t troubles) err() error {
	all := make([]error, len(t))
	for i, e := range t {
		all[i] = e
	}
	return errors.Join(all...)
}
