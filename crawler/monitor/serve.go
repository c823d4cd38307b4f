package monitor

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/webquarry/quarry/frontier"
	"github.com/webquarry/quarry/internal/exposition"
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
	mux.HandleFunc("POST /api/pause", func(w http.ResponseWriter, _ *http.Request) { m.steer(w, m.control.Pause) })
	mux.HandleFunc("POST /api/resume", func(w http.ResponseWriter, _ *http.Request) { m.steer(w, m.control.Resume) })
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		exposition.Serve(w, m.metrics, m.opt.Folders...)
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) { healthy(w, m.health(r.Context())) })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) { healthy(w, m.ready(r.Context())) })
	return m.opt.Access.Wrap("/", http.NewCrossOriginProtection().Handler(mux))
}

// steer pauses or resumes, unless that is nobody's business.
func (m *Monitor) steer(w http.ResponseWriter, do func()) {
	if m.opt.ReadOnly {
		http.Error(w, "this monitor is read-only", http.StatusForbidden)
		return
	}
	do()
	w.WriteHeader(http.StatusNoContent)
}

// health says why the crawl cannot go on; nil: it can, or there is none.
func (m *Monitor) health(ctx context.Context) error {
	if m.crawl == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if _, err := m.crawl.Stats(ctx); err != nil && !errors.Is(err, frontier.ErrClosed) {
		return err
	}
	return nil
}

// patience is how long a frontier may take to answer a probe.
const patience = 5 * time.Second

// ready says why no visits are made; nil: they are.
func (m *Monitor) ready(ctx context.Context) error {
	if err := m.health(ctx); err != nil {
		return err
	}
	if !m.running() {
		return errors.New("no run is under way")
	}
	return nil
}

// running reports whether a run is under way, paused or not.
func (m *Monitor) running() bool { return len(m.control.Workers()) > 0 }

func healthy(w http.ResponseWriter, err error) {
	if err != nil {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusServiceUnavailable)
		_ = json.NewEncoder(w).Encode(map[string]any{"ok": false, "error": err.Error()})
		return
	}
	answer(w, map[string]bool{"ok": true})
}

// ServeHTTP answers a request.
func (m *Monitor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	m.mux.ServeHTTP(w, r)
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // whoever asked is gone
}

// Listen serves the Monitor at an address, such as 127.0.0.1:8080, until ctx is
// done, and returns the URL of the page. Port 0 is one that is free. By the files that the
// Access names it is served by TLS.
func (m *Monitor) Listen(ctx context.Context, addr string) (url string, err error) {
	l, err := m.opt.Access.Listen(ctx, addr)
	if err != nil {
		return "", fmt.Errorf("monitor: %w", err)
	}
	s := &http.Server{Handler: m, ReadHeaderTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: maxURL + 16<<10,
		ErrorLog: slog.NewLogLogger(slog.Default().Handler(), slog.LevelDebug)}
	context.AfterFunc(ctx, func() { s.Close() })
	go func() {
		if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			l.Close() // which is how it may fail: the page is gone, the crawl goes on
		}
	}()
	scheme := "http"
	if m.opt.Access.CertFile != "" {
		scheme = "https"
	}
	return scheme + "://" + l.Addr().String() + "/", nil
}
