package session

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func at(t testing.TB, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func sends(j *Jar, u *url.URL) string {
	var all []string
	for _, c := range j.Cookies(u) {
		all = append(all, c.Name+"="+c.Value)
	}
	return strings.Join(all, " ")
}

// TestJarOverARestart: what a Jar sends is the same after it was saved and
// opened again.
func TestJarOverARestart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state", "cookies.json")
	synctest.Test(t, func(t *testing.T) {
		j, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		j.SetCookies(at(t, "http://www.a.test/d/p?q"), []*http.Cookie{
			{Name: "session", Value: `"raw`}, {Name: "site", Value: "2", Domain: "a.test", Path: "/"}, {Name: "tls", Value: "3", Secure: true},
			{Name: "hour", Value: "4", MaxAge: 3600}, {Name: "minute", Value: "5", MaxAge: 60}, {Name: "gone", Value: "6"}, {Name: "all", Value: "7", Domain: "test"},
		})
		j.SetCookies(at(t, "http://www.a.test/d/p2"), []*http.Cookie{{Name: "gone", MaxAge: -1}, {Name: "session", Value: "8"}})
		j.SetCookies(at(t, "http://www.a.test/e/p"), []*http.Cookie{{Name: "session", Value: "9"}})
		urls := []string{"http://www.a.test/d/x", "https://www.a.test/d/x", "http://a.test/", "http://www.a.test/e/", "http://b.test/"}
		var before []string
		for _, u := range urls {
			before = append(before, sends(j, at(t, u)))
		}
		time.Sleep(saveEvery) // and then a crash
		synctest.Wait()
		again, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, u := range urls {
			if got := sends(again, at(t, u)); got != before[i] {
				t.Errorf("%s: sends %q, before %q", u, got, before[i])
			}
		}
		if before[0] != "session=8 hour=4 minute=5 site=2" {
			t.Errorf("sends %q", before[0])
		}
		time.Sleep(time.Minute)
		again.SetCookies(at(t, "http://b.test/"), []*http.Cookie{{Name: "b", Value: "1"}})
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
		third, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := sends(third, at(t, urls[0])); strings.Contains(got, "minute") || !strings.Contains(got, "session") || sends(third, at(t, "http://b.test/")) != "b=1" {
			t.Errorf("sends %q", got)
		}
		third.Forget("A.test")
		if got := sends(third, at(t, urls[0])); got != "" || sends(third, at(t, "http://b.test/")) != "b=1" {
			t.Errorf("sends %q", got)
		}
		j.Close()
		third.Close()
	})
}

// TestJarStaysBounded: a site that sets cookies without end loses its own oldest.
func TestJarStaysBounded(t *testing.T) {
	t.Parallel()
	j := New()
	j.SetCookies(at(t, "http://b.test/"), []*http.Cookie{{Name: "b", Value: "1"}})
	for i := range 3 * maxSite {
		j.SetCookies(at(t, fmt.Sprintf("http://h%d.a.test/", i%7)), []*http.Cookie{{Name: fmt.Sprint("k", i), Value: "v", Domain: "a.test"}})
	}
	u := at(t, "http://a.test/")
	if n := len(j.Cookies(u)); n != maxSite || len(j.kept["a.test"]) != maxSite || j.count != maxSite+1 {
		t.Errorf("%d cookies are sent, %d kept", n, j.count)
	}
	if got := sends(j, u); strings.Contains(got, "k0=") || !strings.Contains(got, fmt.Sprint("k", 3*maxSite-1)) {
		t.Error("not the youngest are kept")
	}
	if got := sends(j, at(t, "http://b.test/")); got != "b=1" {
		t.Errorf("another site sends %q", got)
	}
}

func TestJarDamaged(t *testing.T) {
	t.Parallel()
	for text, line := range map[string]int{"{": 1, `{"URL":"http://a.test/","Cookie":{"Name":"a"}}` + "\nx\n": 2, `{"URL":"x"}`: 1, strings.Repeat("x", 2<<20): 1} {
		path := filepath.Join(t.TempDir(), "cookies")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open(path)
		if ce, ok := errors.AsType[*CorruptError](err); !ok || ce.File != path || ce.Line != line {
			t.Errorf("%.30q: %v", text, err)
		}
	}
}

// FuzzJarFile: a file is read or refused.
func FuzzJarFile(f *testing.F) {
	f.Add([]byte(`{"URL":"http://a.test/d/p","Cookie":{"Name":"a","Value":"b","Path":"/","Domain":".a.test","Expires":"2099-01-01T00:00:00Z"}}`))
	f.Add([]byte("{}\n\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		j := New()
		if err := j.load("x", b); err != nil {
			if _, ok := errors.AsType[*CorruptError](err); !ok {
				t.Fatal(err)
			}
		}
		n := 0
		for _, all := range j.kept {
			n += len(all)
		}
		if n != j.count {
			t.Errorf("%d cookies, counted %d", n, j.count)
		}
	})
}

// TestJarHostileCookies: what a site sets must not cost the sessions of others.
func TestJarHostileCookies(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "cookies")
	jar, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	good, evil := &url.URL{Scheme: "http", Host: "good.test", Path: "/"}, &url.URL{Scheme: "http", Host: "evil.test", Path: "/"}
	jar.SetCookies(good, []*http.Cookie{{Name: "sid", Value: "1", MaxAge: math.MaxInt}})
	jar.SetCookies(evil, []*http.Cookie{
		{Name: "long", Value: strings.Repeat("<", 300_000)},
		{Name: "path", Value: "1", Path: "/" + strings.Repeat("<", 300_000)},
		{Name: "far", Value: "1", Expires: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)},
	})
	if err := jar.Close(); err != nil {
		t.Error(err)
	}
	if st, err := os.Stat(name); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v: want a file that only its owner can read", st, err)
	}
	jar, err = Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer jar.Close()
	if got := jar.Cookies(good); len(got) != 1 || got[0].Value != "1" {
		t.Errorf("cookies of good.test: %v", got)
	}
	if got := jar.Cookies(evil); len(got) != 1 || got[0].Name != "far" {
		t.Errorf("cookies of evil.test: %v", got)
	}
}
