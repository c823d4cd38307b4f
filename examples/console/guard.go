package main

import (
	"crypto/rand"
	"crypto/subtle"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// guard lets in who is on this machine, or knows the token.
type guard struct {
	token string // empty: nobody else can reach the console

	mu       sync.Mutex
	sessions map[string]bool // of those who said the token
}

const sessionCookie = "quarry_console"

// wrap lays the guard around all pages but the one where the token is said.
func (g *guard) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case g.token == "" && !isLoopback(hostOf(r.Host)): // a name that leads here by somebody else's DNS
			http.Error(w, "this console is for this machine: open it as localhost", http.StatusMisdirectedRequest)
		case g.token == "" || g.knows(r):
			next.ServeHTTP(w, r)
		case r.URL.Path == "/console.css":
			next.ServeHTTP(w, r)
		case r.Method == http.MethodPost && r.URL.Path == "/enter":
			g.enter(w, r)
		default:
			w.WriteHeader(http.StatusUnauthorized)
			_ = pages.ExecuteTemplate(w, "enter", nil)
		}
	})
}

func hostOf(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return strings.Trim(hostport, "[]")
}

func (g *guard) knows(r *http.Request) bool {
	c, err := r.Cookie(sessionCookie)
	if err != nil {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.sessions[c.Value]
}

// enter begins a session for who says the token.
func (g *guard) enter(w http.ResponseWriter, r *http.Request) {
	if subtle.ConstantTimeCompare([]byte(r.PostFormValue("token")), []byte(g.token)) != 1 {
		select { // so that nobody tries many
		case <-time.After(time.Second):
		case <-r.Context().Done():
		}
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return
	}
	id := rand.Text()
	g.mu.Lock()
	g.sessions[id] = true
	g.mu.Unlock()
	http.SetCookie(w, &http.Cookie{Name: sessionCookie, Value: id, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}
