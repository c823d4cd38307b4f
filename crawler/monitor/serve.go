package monitor

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"
)

//go:embed page
var files embed.FS

// policy allows the page nothing but what it came with.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// maxURL is how long a URL to be explained may be.
const maxURL = 64 << 10

func (m *Monitor) routes() http.Handler {
	page, err := fs.Sub(files, "page")
	if err != nil {
		panic(err) // the name is a constant
	}
	mux := http.NewServeMux()
	mux.Handle("GET /", http.FileServerFS(page))
	mux.HandleFunc("GET /api/state", func(w http.ResponseWriter, r *http.Request) {
		switch r.FormValue("range") {
		case "", "5m":
			answer(w, m.State(false))
		case "24h":
			answer(w, m.State(true))
		default:
			http.Error(w, "range: want 5m or 24h", http.StatusBadRequest)
		}
	})
	mux.HandleFunc("GET /api/explain", func(w http.ResponseWriter, r *http.Request) {
		url := strings.TrimSpace(r.FormValue("url"))
		if url == "" || len(url) > maxURL {
			http.Error(w, "url: want one", http.StatusBadRequest)
			return
		}
		answer(w, m.Explain(r.Context(), url))
	})
	mux.HandleFunc("POST /api/pause", func(w http.ResponseWriter, _ *http.Request) {
		m.control.Pause()
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("POST /api/resume", func(w http.ResponseWriter, _ *http.Request) {
		m.control.Resume()
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		m.metrics.WritePrometheus(w)
	})
	return http.NewCrossOriginProtection().Handler(mux)
}

// ServeHTTP answers a request.
func (m *Monitor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !m.known(r.Host) {
		http.Error(w, "this name is not among those of the monitor", http.StatusForbidden)
		return
	}
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	m.mux.ServeHTTP(w, r)
}

// known reports whether a request was for a name that is ours.
func (m *Monitor) known(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return true
	}
	host = strings.ToLower(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") ||
		slices.ContainsFunc(m.names, func(name string) bool { return strings.EqualFold(name, host) })
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // whoever asked is gone
}

// Listen serves the Monitor at an address, such as 127.0.0.1:8080, until ctx is
// done, and returns the URL of the page. Port 0 is one that is free.
func (m *Monitor) Listen(ctx context.Context, addr string) (url string, err error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return "", fmt.Errorf("monitor: %w", err)
	}
	s := &http.Server{Handler: m, ReadHeaderTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: maxURL + 16<<10}
	context.AfterFunc(ctx, func() { s.Close() })
	go func() {
		if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			l.Close() // which is how it may fail: the page is gone, the crawl goes on
		}
	}()
	return "http://" + l.Addr().String() + "/", nil
}
