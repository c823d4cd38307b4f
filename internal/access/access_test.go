package access

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestAccess(t *testing.T) {
	t.Parallel()
	next := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.URL.Path) })
	some := Access{Names: []string{"search.example"}, Token: "secret", Origins: []string{"https://www.example"}, Profiles: true}
	for i, c := range []struct {
		a                    Access
		method, target, host string
		header               []string
		code                 int
		want                 string // a header that the answer has
	}{
		{Access{}, "GET", "/a", "localhost", nil, 200, ""},
		{Access{}, "GET", "/a", "[::1]:80", nil, 200, ""},
		{Access{}, "GET", "/a", "evil.example", nil, 403, ""},
		{Access{}, "GET", "/debug/pprof/heap", "localhost", nil, 200, ""}, // which is next's
		{Access{Names: []string{"*"}}, "GET", "/a", "any.example", nil, 200, ""},
		{some, "GET", "/a", "search.example:443", nil, 401, "Www-Authenticate"},
		{some, "GET", "/a", "SEARCH.example.", []string{"Authorization", "Bearer secret"}, 200, ""},
		{some, "GET", "/a", "localhost", []string{"Authorization", "Bearer secrets"}, 401, ""},
		{some, "GET", "/a", "localhost", []string{"Authorization", "secret"}, 401, ""},
		{some, "GET", "/a", "localhost", []string{"Authorization", "Basic YW55OnNlY3JldA=="}, 200, ""},
		{some, "GET", "/a", "localhost", []string{"Authorization", "Basic YW55Om90aGVy"}, 401, ""},
		{some, "GET", "/a", "evil.example", []string{"Authorization", "Bearer secret"}, 403, ""},
		{some, "GET", "/healthz", "10.0.0.1", nil, 200, ""},
		{some, "GET", "/readyz", "probe.internal", nil, 200, ""},
		{some, "GET", "/debug/pprof/heap", "localhost", nil, 401, ""},
		{some, "GET", "/debug/pprof/heap", "localhost", []string{"Authorization", "Bearer secret"}, 200, "Content-Type"},
		{some, "GET", "/debug/pprof/none", "localhost", []string{"Authorization", "Bearer secret"}, 404, ""},
		{some, "OPTIONS", "/a", "localhost", []string{"Origin", "https://www.example", "Access-Control-Request-Method", "GET"}, 204, "Access-Control-Allow-Headers"},
		{some, "OPTIONS", "/a", "localhost", []string{"Origin", "https://evil.example", "Access-Control-Request-Method", "GET"}, 401, "Vary"},
		{some, "GET", "/a", "localhost", []string{"Origin", "https://www.example", "Authorization", "Bearer secret"}, 200, "Access-Control-Allow-Origin"},
	} {
		r := httptest.NewRequest(c.method, c.target, nil)
		r.Host = c.host
		for i := 0; i < len(c.header); i += 2 {
			r.Header.Set(c.header[i], c.header[i+1])
		}
		w := httptest.NewRecorder()
		c.a.Wrap("/", next).ServeHTTP(w, r)
		if w.Code != c.code || c.want != "" && w.Header().Get(c.want) == "" {
			t.Errorf("%d: %s %s of %s: %d %v", i, c.method, c.target, c.host, w.Code, w.Header())
		}
		if strings.Contains(strings.Join(c.header, " "), "evil") && w.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%d: another origin may read", i)
		}
	}
}

// TestRate: an address has its burst and then its rate, and others are not slowed down by it.
func TestRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := Access{Rate: 2, Burst: 5}.Wrap("/", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		ask := func(from string) int {
			r := httptest.NewRequest("GET", "/", nil)
			r.Host, r.RemoteAddr = "localhost", from
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code == 429 && w.Header().Get("Retry-After") != "1" {
				t.Errorf("Retry-After %q", w.Header().Get("Retry-After"))
			}
			return w.Code
		}
		taken := func(n int, from string) (ok int) {
			for i := range n {
				if ask(fmt.Sprintf(from, i)) == 200 {
					ok++
				}
			}
			return ok
		}
		if a, b, c := taken(20, "192.0.2.1:%d"), taken(20, "192.0.2.2:%d"), taken(20, "[2001:db8::%d]:80"); a != 5 || b != 5 || c != 5 {
			t.Errorf("bursts of %d, %d, %d", a, b, c)
		}
		time.Sleep(2 * time.Second)
		if n := taken(20, "192.0.2.1:%d"); n != 4 {
			t.Errorf("%d in two seconds", n)
		}
	})
}

// certify writes a certificate for a name.
func certify(t *testing.T, dir, name string, at time.Time) (cert, key string) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{name}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, of, of, secret.Public(), secret)
	if err != nil {
		t.Fatal(err)
	}
	text, err := x509.MarshalECPrivateKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for file, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "EC PRIVATE KEY", Bytes: text}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// TestCertificate: a certificate that was renewed is used, and one that is damaged is not.
func TestCertificate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key := certify(t, dir, "one.test", time.Unix(1, 0))
	c := &certificate{cert: cert, key: key}
	name := func() string {
		c.seen = time.Time{}
		got, err := c.get(nil)
		if err != nil {
			t.Fatal(err)
		}
		leaf, err := x509.ParseCertificate(got.Certificate[0])
		if err != nil {
			t.Fatal(err)
		}
		return leaf.DNSNames[0]
	}
	if got := name(); got != "one.test" {
		t.Error(got)
	}
	certify(t, dir, "two.test", time.Unix(2, 0))
	if got := name(); got != "two.test" {
		t.Error(got)
	}
	if err := os.WriteFile(cert, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := name(); got != "two.test" {
		t.Error(got)
	}
	if _, err := (Access{CertFile: cert, KeyFile: key}).Listen(t.Context(), "127.0.0.1:0"); err == nil {
		t.Error("it listens with a damaged certificate")
	}
	certify(t, dir, "three.test", time.Unix(3, 0))
	l, err := Access{CertFile: cert, KeyFile: key}.Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		if conn, err := l.Accept(); err == nil {
			_ = conn.(*tls.Conn).Handshake() // the client says whether it went well
		}
	}()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	client := tls.Client(conn, &tls.Config{InsecureSkipVerify: true}) // it is of nobody
	if err := client.Handshake(); err != nil || client.ConnectionState().PeerCertificates[0].DNSNames[0] != "three.test" {
		t.Errorf("%v", err)
	}
}
