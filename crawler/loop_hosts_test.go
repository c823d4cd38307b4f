package crawler

import (
	"strings"
	"testing"
	"testing/synctest"
)

// TestOddHosts: names of a host in all spellings lead to one page of it, what is
// no host is no link, and private addresses are not asked, not even for
// robots.txt, however they are written.
func TestOddHosts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var home strings.Builder
		home.WriteString("-- http://a.test/ --\n")
		for _, u := range []string{
			"http://b.test/", "http://B.TEST:80/", "http://user:password@b.test/", "http://b.test./", "http://b.test:080/", "//b.test", "http:\\\\b.test/", "http://%62.test/", "http://ｂ.test/",
			"http://bücher.test/", "http://xn--bcher-kva.test/", "http://BÜCHER.test/", "http://bu\u0308cher.test/",
			"http://[2606:4700::0001]/", "http://[2606:4700:0:0:0:0:0:1]:80/",
			"http://127.0.0.1/", "http://127.1/", "http://2130706433/", "http://0x7f.0.0.1/", "http://017700000001/", "http://127.0.0.1./",
			"http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://10.0.0.1/", "http://169.254.169.254/latest/", "http://localhost/", "http://LOCALHOST./", "http://x.localhost:8080/",
			"http://b.test:65536/", "http://b.test:-1/", "http://b.test:x/", "http://", "http:///", "http://[::1/", "http://[::1%25eth0]/", "http://256.1.1.1/", "http://1.2.3.4.5/", "http://b test/", "http://b<test/", "http://xn--zzzzzz-/",
		} {
			home.WriteString("<a href='" + u + "'>x</a>\n")
		}
		c := over(t, home.String()+"-- http://b.test/ --\nb\n-- http://xn--bcher-kva.test/ --\nb\n-- http://[2606:4700::1]/ --\nv6\n")
		c.Follow = Any
		c.run(t, "http://a.test/")
		c.wantPut(t, "http://a.test/", "http://b.test/", "http://xn--bcher-kva.test/", "http://[2606:4700::1]/")
		c.web.EachOnce(t)
		blocked := 0
		for _, e := range c.events {
			if e.Kind == Failed {
				wantKind(t, e.Err, ErrBlockedAddr)
				blocked++
			}
		}
		if blocked != 7 { // 127.0.0.1, ::1, ::ffff:127.0.0.1, 10.0.0.1, 169.254.169.254, localhost, x.localhost
			t.Errorf("%d addresses were refused", blocked)
			for _, e := range c.events {
				t.Log(e.Kind, e.URL)
			}
		}
	})
}
