package crawlertest

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Web is a web in memory. It is an http.RoundTripper, and may be used in a
// synctest bubble: it waits for nothing but the clock. All methods may be
// called from many goroutines.
type Web struct {
	mu       sync.Mutex
	pages    map[string][]answer
	first    string // URL of the first page
	requests []Request
	asked    map[string]int // requests by URL
	unknown  []string
}

// Request is one that a Web has seen.
type Request struct {
	URL    string
	At     time.Time // when it began
	Header http.Header
	Method string
	Body   string
}

// answer is one of a page's answers.
type answer struct {
	status int
	header http.Header
	body   string
	wait   time.Duration
	err    string
}

var _ http.RoundTripper = (*Web)(nil)

// Parse reads a web from the text of a file. The error names the line.
func Parse(text string) (*Web, error) {
	w := &Web{pages: make(map[string][]answer), asked: make(map[string]int)}
	var at string
	var page strings.Builder
	line, began := 0, 0
	end := func() error {
		if at == "" {
			return nil
		}
		a, err := parseAnswer(page.String())
		if err != nil {
			return fmt.Errorf("crawlertest: line %d: %s: %w", began, at, err)
		}
		w.pages[at] = append(w.pages[at], a)
		return nil
	}
	for s := range strings.Lines(text) {
		line++
		u, ok := marker(s)
		if !ok {
			page.WriteString(s)
			continue
		}
		if err := end(); err != nil {
			return nil, err
		}
		if p, err := url.Parse(u); err != nil || p.Host == "" || p.Scheme != "http" && p.Scheme != "https" {
			return nil, fmt.Errorf("crawlertest: line %d: %q is no absolute http or https URL", line, u)
		}
		at, began = u, line
		w.first = cmp.Or(w.first, u)
		page.Reset()
	}
	return w, end()
}

func marker(line string) (url string, ok bool) {
	s, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "-- ")
	if !ok {
		return "", false
	}
	s, ok = strings.CutSuffix(s, " --")
	return strings.TrimSpace(s), ok
}

func parseAnswer(page string) (answer, error) {
	a := answer{status: http.StatusOK, header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, body: page}
	first, rest, _ := strings.Cut(page, "\n")
	status, ok := strings.CutPrefix(strings.TrimSpace(first), "HTTP ")
	if !ok {
		return a, nil
	}
	n, err := strconv.Atoi(strings.TrimSpace(status))
	if err != nil || n < 100 || n > 999 {
		return a, fmt.Errorf("status %q", status)
	}
	a.status = n
	r := bufio.NewReader(strings.NewReader(rest))
	head, err := textproto.NewReader(r).ReadMIMEHeader()
	if err != nil && !errors.Is(err, io.EOF) {
		return a, err
	}
	body, _ := io.ReadAll(r)
	a.body = string(body)
	for k, v := range head {
		a.header[k] = v
	}
	return a.directives()
}

// directives takes out the header lines that are for us.
func (a answer) directives() (answer, error) {
	a.err = a.header.Get("Test-Error")
	a.header.Del("Test-Error")
	if s := a.header.Get("Test-Wait"); s != "" {
		a.header.Del("Test-Wait")
		var err error
		if a.wait, err = time.ParseDuration(s); err != nil {
			return a, err
		}
	}
	return a, nil
}

// Add puts a page into the web: text is what would stand below its URL in a
// file. Where the URL is known it is one more answer. A text that cannot be
// read panics, as it stands in a test.
func (w *Web) Add(url, text string) {
	a, err := parseAnswer(text)
	if err != nil {
		panic(fmt.Sprintf("crawlertest: %s: %v", url, err))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.first = cmp.Or(w.first, url)
	w.pages[url] = append(w.pages[url], a)
}

// URLs returns the URLs of all pages, sorted.
func (w *Web) URLs() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	urls := make([]string, 0, len(w.pages))
	for u := range w.pages {
		urls = append(urls, u)
	}
	slices.Sort(urls)
	return urls
}

// Requests returns what was asked for so far, in order.
func (w *Web) Requests() []Request {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.requests)
}

// RoundTrip answers a request. A URL that is not in the web is an error.
func (w *Web) RoundTrip(r *http.Request) (*http.Response, error) {
	a, err := w.take(r)
	if err != nil {
		return nil, err
	}
	if a.wait > 0 {
		t := time.NewTimer(a.wait)
		defer t.Stop()
		select {
		case <-t.C:
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	if a.err != "" {
		return nil, a.failure()
	}
	return &http.Response{
		Status: fmt.Sprintf("%d %s", a.status, http.StatusText(a.status)), StatusCode: a.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: a.header.Clone(), Request: r,
		Body: io.NopCloser(strings.NewReader(a.body)), ContentLength: int64(len(a.body)),
	}, nil
}

// take notes a request and takes the answer that is next.
func (w *Web) take(r *http.Request) (answer, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	u := *r.URL
	u.Fragment = ""
	at := u.String()
	n := w.asked[at]
	w.asked[at]++
	seen := Request{URL: at, At: time.Now(), Header: r.Header.Clone(), Method: cmp.Or(r.Method, http.MethodGet)}
	if r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return answer{}, err
		}
		seen.Body = string(body)
	}
	w.requests = append(w.requests, seen)
	answers := w.pages[at]
	switch {
	case len(answers) > 0:
		return answers[min(n, len(answers)-1)], nil
	case u.Path == "/robots.txt":
		return answer{status: http.StatusNotFound, header: http.Header{}}, nil
	}
	w.unknown = append(w.unknown, at)
	return answer{}, fmt.Errorf("crawlertest: no page %s", at)
}

// failure is the error that a Test-Error stands for.
func (a answer) failure() error {
	switch a.err {
	case "no such host":
		return &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: a.err, IsNotFound: true}}
	case "connection refused":
		return &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	}
	return errors.New(a.err)
}
