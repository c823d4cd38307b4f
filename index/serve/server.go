package serve

import (
	"context"
	"net"
	"net/http"
	"time"
)

// Secure adds headers that tell a browser to run and load nothing but files of this
// server, to guess no types, to show its pages in no frame and to tell other sites
// nothing. What a search shows was written by others.
func Secure(next http.Handler) http.Handler {
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

// Run serves on l until ctx ends, and then lets answers under way finish for up to
// three seconds. A client has ten seconds to send a request, and thirty to take the
// answer.
func Run(ctx context.Context, l net.Listener, h http.Handler) error {
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

// Listen opens a TCP address. When it is taken, and not fixed because somebody asked
// for it, any other port of the host will do.
func Listen(ctx context.Context, addr string, fixed bool) (net.Listener, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", addr)
	if err == nil || fixed {
		return l, err
	}
	host, _, _ := net.SplitHostPort(addr)
	return config.Listen(ctx, "tcp", net.JoinHostPort(host, "0"))
}
