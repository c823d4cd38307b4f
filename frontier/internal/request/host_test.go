package request

import (
	"bytes"
	"net/url"
	"strings"
	"testing"
)

func TestSplitHost(t *testing.T) {
	t.Parallel()
	for _, x := range []struct{ url, key, name string }{
		{"http://a.example/", "http://a.example", "a.example"},
		{"http://a.example", "http://a.example", "a.example"},
		{"http://a.example:80/", "http://a.example", "a.example"},
		{"http://a.example:080/", "http://a.example", "a.example"},
		{"http://a.example:/", "http://a.example", "a.example"},
		{"http://a.example:443/", "http://a.example:443", "a.example"},
		{"https://a.example:443/", "https://a.example", "a.example"},
		{"https://a.example:80?q", "https://a.example:80", "a.example"},
		{"HTTPS://A.Example./x", "https://a.example", "a.example"},
		{"http://user:pass@a.example@b.example/", "http://b.example", "b.example"},
		{"http://a.example/@b.example", "http://a.example", "a.example"},
		{"http://a.example#@b.example", "http://a.example", "a.example"},
		{"http://[2001:DB8::1]:8080/", "http://[2001:db8::1]:8080", "[2001:db8::1]"},
		{"http://[::1]", "http://[::1]", "[::1]"},
		{"http://127.0.0.1:8080/", "http://127.0.0.1:8080", "127.0.0.1"},
		{"http://xn--bcher-kva.example/", "http://xn--bcher-kva.example", "xn--bcher-kva.example"},
		{"http://a_b.example/", "http://a_b.example", "a_b.example"},
		{"http://É\xff.EXAMPLE/", "http://É\xff.example", "É\xff.example"},
		{"http://a.example/%zz", "http://a.example", "a.example"},
		{"http://www..a.example/", "http://www..a.example", "www..a.example"},
		{"http://.a.example../", "http://.a.example", ".a.example"},
		{"http://./x", "http://.", "."},
		{"http://../x", "http://..", ".."},
		{"http://\"a`{}/x", "http://\"a`{}", "\"a`{}"},
	} {
		if key, name, msg := SplitHost(x.url); key != x.key || name != x.name || msg != "" {
			t.Errorf("%s: %q, %q, %q, want %q, %q", x.url, key, name, msg, x.key, x.name)
		}
	}
}

func TestDomainOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"a.b.example.com":   "example.com",
		"example.com":       "example.com",
		"a.example.co.uk":   "example.co.uk",
		"x.github.io":       "x.github.io",
		"a.x.github.io":     "x.github.io",
		"github.io":         "github.io",
		"co.uk":             "co.uk",
		"localhost":         "localhost",
		"127.0.0.1":         "127.0.0.1",
		"[2001:db8::1]":     "[2001:db8::1]",
		"a.b.unknownsuffix": "b.unknownsuffix",
	} {
		if got := DomainOf(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// FuzzSplitHost compares with net/url, which need not like the path of what is
// taken here, but must see the same host.
func FuzzSplitHost(f *testing.F) {
	for _, s := range []string{"http://a.example/", "https://u@[::1]:8/x?y#z", "HTTP://A.b.:00443", "http://a:b@c:d/", "http:////", "http://a\\b/", "x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		key, name, msg := SplitHost(s)
		if msg != "" {
			if key != "" || name != "" {
				t.Fatalf("%q is refused and has a host", s)
			}
			return
		}
		DomainOf(name)
		again, _, msg := SplitHost(key)
		if again != key || msg != "" {
			t.Fatalf("%q: key %q has key %q, %s", s, key, again, msg)
		}
		authority := s[:len("http://")+strings.IndexAny(s[len("http://"):]+"/", "/?#")]
		if strings.Contains(s[:8], "s:") || strings.Contains(s[:8], "S:") {
			authority = s[:len("https://")+strings.IndexAny(s[len("https://"):]+"/", "/?#")]
		}
		u, err := url.Parse(authority)
		if err != nil {
			return // net/url is stricter about user names
		}
		host := ToLower(u.Hostname())
		if trimmed := strings.TrimRight(host, "."); trimmed != "" {
			host = trimmed
		}
		if got := strings.Trim(name, "[]"); got != host {
			t.Fatalf("%q: host %q, net/url says %q", s, got, host)
		}
	})
}

// TestControl puts each byte at each place.
func TestControl(t *testing.T) {
	t.Parallel()
	for size := range 20 {
		b := bytes.Repeat([]byte{0xff}, size)
		for at := range size {
			for c := range 256 {
				b[at] = byte(c)
				if got, want := hasControl(string(b)), c <= ' ' || c == 0x7f; got != want {
					t.Fatalf("%q: %v", b, got)
				}
			}
			b[at] = '!' // the least that is none
		}
	}
}
