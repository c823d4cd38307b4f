package session_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/session"
	"github.com/webquarry/quarry/frontier"
)

const agent = "quarrytest/1.0 (+https://bot.example/about)"

// site is a site with a login, in memory.
type site struct {
	mu     sync.Mutex
	valid  string // the session that it knows; empty: none
	logins int
	asked  []string
	status int // of the login page, when it is not 200
	form   string
}

const plainForm = `<form action="/search"><input name=q></form>
<form method=post action="/do/login?x=1#f" id=f><input type=hidden name=token value=t0ken><input name=user><input type="PASSWORD" name=pass>
<select name=lang><option value=de>Deutsch<option value=en selected>English</select><textarea name=note>n</textarea>
<input type=checkbox name=stay checked><input type=checkbox name=spam><input type=submit name=go value=Go><input type=submit name=cancel value=No>
<input name=off disabled value=1></form><button form=f name=later value=2>later</button>`

func (s *site) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	resp := w.Result()
	resp.Request = r
	return resp, nil
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r.Method+" "+r.URL.RequestURI())
	sid, _ := r.Cookie("sid")
	in := sid != nil && sid.Value == s.valid && s.valid != ""
	switch {
	case r.URL.Path == "/login":
		if s.status != 0 {
			w.WriteHeader(s.status)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "pre", Value: "1"})
		fmt.Fprint(w, s.form)
	case r.URL.Path == "/do/login":
		r.ParseForm()
		got := r.PostForm.Encode()
		if pre, _ := r.Cookie("pre"); pre == nil || got != "go=Go&lang=en&note=n&pass=s3cret&stay=on&token=t0ken&user=me" || r.Header.Get("Origin") != "http://a.test" {
			http.Redirect(w, r, "/login?error=1", http.StatusFound)
			return
		}
		s.logins++
		s.valid = fmt.Sprint("s", s.logins)
		http.SetCookie(w, &http.Cookie{Name: "sid", Value: s.valid, Path: "/"})
		http.Redirect(w, r, "/home", http.StatusSeeOther)
	case !in:
		http.Redirect(w, r, "/login?next="+r.URL.Path, http.StatusFound)
	default:
		fmt.Fprint(w, "secret "+r.URL.Path)
	}
}

func (s *site) login(change ...func(*session.Login)) crawler.Fetcher {
	l := &session.Login{URL: "http://a.test/login", Fields: map[string]string{"user": "me", "pass": "s3cret"}}
	for _, f := range change {
		f(l)
	}
	return l.Wrap(&crawler.HTTP{UserAgent: agent, Transport: s, Cookies: session.New()})
}

// TestLogin: once for many pages, and again when the site has forgotten us, but
// not too often.
func TestLogin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &site{form: plainForm}
		f := s.login()
		page := func(want string) {
			resp, err := f.Fetch(t.Context(), frontier.Request{URL: "http://a.test/p"})
			if got := fmt.Sprint(resp != nil && string(resp.Body) == "secret /p", err); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() { page("true <nil>") })
		}
		all.Wait()
		if s.logins != 1 || len(s.asked) != 3+20 {
			t.Errorf("%d logins, %d requests: %q", s.logins, len(s.asked), s.asked)
		}
		s.valid = ""
		page("false <nil>") // it has forgotten us within a minute
		time.Sleep(time.Minute)
		for range 20 {
			all.Go(func() { page("true <nil>") })
		}
		all.Wait()
		if s.logins != 2 {
			t.Errorf("%d logins", s.logins)
		}
		other := crawler.FetcherFunc(f.Fetch)
		if resp, err := other.Fetch(t.Context(), frontier.Request{URL: "http://b.test/p"}); err != nil || resp.Status != 302 {
			t.Errorf("%+v, %v: another site needs no login", resp, err)
		}
	})
}

func TestLoginRefused(t *testing.T) {
	t.Parallel()
	wrong := func(l *session.Login) { l.Fields["pass"] = "other" }
	for name, c := range map[string]struct {
		site   *site
		change func(*session.Login)
		why    string
		fatal  bool
	}{
		"a wrong password":    {&site{form: plainForm}, wrong, "did not let us in", true},
		"a field that is not": {&site{form: plainForm}, func(l *session.Login) { l.Fields = map[string]string{"name": "me"} }, `no field "name"`, true},
		"no form":             {&site{form: "hello"}, nil, "password field", true},
		"no such form":        {&site{form: plainForm}, func(l *session.Login) { l.Form = "#g" }, "no form #g", true},
		"a form to elsewhere": {&site{form: `<form action="//b.test/"><input type=password name=pass><input name=user></form>`}, nil, "another origin", true},
		"a base to elsewhere": {&site{form: `<base href="http://b.test/"><form action=x><input type=password name=pass><input name=user></form>`}, nil, "another origin", true},
		"a busy site":         {&site{form: plainForm, status: 503}, nil, "status 503", false},
		"no login page":       {&site{form: plainForm, status: 404}, nil, "status 404", true},
		"by our own judgment": {&site{form: plainForm}, func(l *session.Login) { l.Success = func(*crawler.Response) bool { return false } }, "did not let us in", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.change == nil {
				c.change = func(*session.Login) {}
			}
			_, err := c.site.login(c.change).Fetch(t.Context(), frontier.Request{URL: "http://a.test/p"})
			le, ok := errors.AsType[*session.Error](err)
			if !ok || !strings.Contains(err.Error(), c.why) || le.Fatal() != c.fatal || strings.Contains(err.Error(), "s3cret") {
				t.Errorf("%v, want %q", err, c.why)
			}
			for _, line := range c.site.asked {
				if strings.Contains(line, "s3cret") {
					t.Errorf("asked for %s", line)
				}
			}
		})
	}
}

// TestLoginEndsTheRun: a crawl that is not let in says why, and loses nothing.
func TestLoginEndsTheRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &site{form: plainForm}
		front := frontier.New(frontier.Options{})
		defer front.Close()
		c := &crawler.Crawler{UserAgent: agent, Frontier: front, IgnoreRobots: true, Fetcher: s.login(func(l *session.Login) { l.Fields["pass"] = "x" })}
		err := c.Run(t.Context(), "http://a.test/p")
		if !errors.Is(err, session.ErrRefused) || statsOf(front).Queued != 1 {
			t.Errorf("%v, %+v", err, statsOf(front))
		}
		c.Fetcher = s.login()
		if err := c.Run(t.Context()); err != nil || s.logins != 1 {
			t.Errorf("%v after %d logins", err, s.logins)
		}
	})
}

func statsOf(f frontier.Frontier) frontier.Stats {
	s, err := f.Stats(context.Background())
	if err != nil {
		panic(err)
	}
	return s
}
