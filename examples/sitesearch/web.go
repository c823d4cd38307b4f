package main

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

//go:embed web
var webFiles embed.FS

// web is the search page and its JSON twin.
type web struct {
	engine      *engine
	status      func() status // of the crawl
	suggestions []string      // queries to begin with
	limit       limit         // of searches at a time
	log         *slog.Logger
	page        *template.Template
}

// handler routes what a browser or a program may ask.
func (s *web) handler() http.Handler {
	files, err := fs.Sub(webFiles, "web")
	if err != nil {
		panic(err) // only for a malformed path
	}
	s.limit = newLimit()
	s.page = template.Must(template.New("page.html").Funcs(template.FuncMap{"count": grouped}).ParseFS(files, "page.html"))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.search)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			w.Header().Set("Allow", "GET, HEAD")
			s.show(w, view{Status: s.status(), Error: "This page can only be read.", code: http.StatusMethodNotAllowed})
			return
		}
		s.show(w, view{Status: s.status(), Error: "There is no page at this address.", code: http.StatusNotFound})
	})
	for _, name := range []string{"style.css", "search.js", "icon.svg"} {
		mux.HandleFunc("GET /static/"+name, func(w http.ResponseWriter, r *http.Request) {
			http.ServeFileFS(w, r, files, "static/"+name)
		})
	}
	mux.HandleFunc("/api/search", s.apiSearch)
	mux.HandleFunc("/api/status", s.apiStatus)
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		writeError(w, &apiError{http.StatusNotFound, "not_found", "there is /api/search and /api/status"})
	})
	return secure(mux)
}

// secure adds what tells a browser to run nothing but our own files, to guess
// no types and to tell other sites nothing. Hits lead to pages of others, and
// titles and snippets were written by others.
func secure(next http.Handler) http.Handler {
	const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}

// view is what web/page.html shows.
type view struct {
	*answer
	Status      status
	Suggestions []string
	Pages       []pageLink
	Error       string
	code        int
}

// search is the page itself: empty, with hits, or with what went wrong.
func (s *web) search(w http.ResponseWriter, r *http.Request) {
	v := view{answer: &answer{}, Status: s.status(), Suggestions: s.suggestions}
	q, page, size, err := readQuery(r.URL.Query())
	switch bad, isBad := errors.AsType[*apiError](err); {
	case isBad:
		v.Error, v.code = bad.Message, bad.status
	case strings.TrimSpace(q) != "":
		a, err := s.ask(r, q, page, size)
		if bad, isBad := errors.AsType[*apiError](err); isBad {
			v.Query, v.Error, v.code = q, bad.Message, bad.status
			break
		}
		if err != nil {
			s.log.Error("search", "query", q, "err", err)
			v.Query, v.Error, v.code = q, "The index could not answer. The log of the program says why.", http.StatusInternalServerError
			break
		}
		v.answer, v.Pages = a, a.pages()
	}
	s.show(w, v)
}

// ask has the engine answer, when it is this request's turn. The error is an
// *apiError where the request is to blame, or too many others.
func (s *web) ask(r *http.Request, q string, page, size int) (*answer, error) {
	done, err := s.limit.wait(r)
	if err != nil {
		return nil, err
	}
	defer done()
	return s.engine.search(r.Context(), q, page, size)
}

func (s *web) show(w http.ResponseWriter, v view) {
	if v.answer == nil {
		v.answer = &answer{}
	}
	var buf bytes.Buffer
	if err := s.page.Execute(&buf, v); err != nil {
		s.log.Error("page", "err", err)
		http.Error(w, "the page could not be made", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if v.code == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	if v.code != 0 {
		w.WriteHeader(v.code)
	}
	w.Write(buf.Bytes()) // an error means that the browser went away
}

// The size and depth of pages that can be asked for.
const (
	defaultSize = 10
	maxSize     = 100
	maxDepth    = 10_000 // hits counted from the first
	maxQuery    = 16_384 // bytes
)

// readQuery reads q, page and size; errors are *apiError.
func readQuery(v url.Values) (q string, page, size int, err error) {
	q = v.Get("q")
	if len(q) > maxQuery {
		return "", 0, 0, &apiError{http.StatusBadRequest, "bad_query", fmt.Sprintf("q: at most %s bytes", grouped(maxQuery))}
	}
	if size, err = wholeNumber(v, "size", defaultSize, maxSize); err != nil {
		return "", 0, 0, err
	}
	page, err = wholeNumber(v, "page", 1, maxDepth/size)
	return q, page, size, err
}

func wholeNumber(v url.Values, name string, unset, most int) (int, error) {
	text := v.Get(name)
	if text == "" {
		return unset, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return 0, &apiError{http.StatusBadRequest, "bad_" + name, fmt.Sprintf("%s: want a whole number from 1 to %s", name, grouped(most))}
	}
	return n, nil
}

// serve answers on l until ctx ends, and then lets answers under way finish.
func serve(ctx context.Context, l net.Listener, h http.Handler) error {
	srv := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
	defer cancel()
	if err := srv.Shutdown(last); err != nil {
		return srv.Close()
	}
	return nil
}

// listen opens addr. When it is taken and was not asked for, any other port of
// the host will do.
func listen(ctx context.Context, addr string, asked bool) (net.Listener, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", addr)
	if err == nil || asked {
		return l, err
	}
	host, _, _ := net.SplitHostPort(addr)
	return config.Listen(ctx, "tcp", net.JoinHostPort(host, "0"))
}
