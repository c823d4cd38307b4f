package action

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
)

// Sessions keeps what login has brought, so that many chains, one after another
// or at once, log in once. Its zero value is ready; it may be shared by Runners
// and used by many goroutines.
type Sessions struct {
	mu   sync.Mutex
	kept map[string]*session
}

// session is what a site knows somebody by.
type session struct {
	gate    chan struct{} // holds one; who has it may log in
	cookies []*network.CookieParam
	landed  string // where the login led
}

// get gives a session to whoever asks first; others wait until it is put back.
func (s *Sessions) get(ctx context.Context, name string) (*session, error) {
	s.mu.Lock()
	if s.kept == nil {
		s.kept = map[string]*session{}
	}
	one := s.kept[name]
	if one == nil {
		one = &session{gate: make(chan struct{}, 1)}
		s.kept[name] = one
	}
	s.mu.Unlock()
	select {
	case one.gate <- struct{}{}:
		return one, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *session) put() { <-s.gate }

func (Login) kind() string { return "login" }

func (a Login) check() error {
	if len(a.Do) > 0 {
		return nil
	}
	if a.User == (Value{}) || a.Password == (Value{}) {
		return errors.New("user and password are missing, or do in their place")
	}
	return nil
}

func (a Login) do(ctx context.Context, r *run) (outcome, error) {
	to, err := r.resolve(ctx, a.URL)
	if err != nil {
		return outcome{}, err
	}
	sessions := r.Sessions
	if sessions == nil {
		sessions = new(Sessions)
	}
	name := cmp.Or(a.Session, originOf(to))
	s, err := sessions.get(ctx, name)
	if err != nil {
		return outcome{}, err
	}
	defer s.put()
	if len(s.cookies) > 0 {
		out, err := a.restore(ctx, r, s, to)
		if err != nil || out.end != Begun {
			return out, err
		}
	}
	if err := a.enter(ctx, r, to); err != nil {
		return outcome{}, err
	}
	at, err := r.where(ctx)
	if err != nil {
		return outcome{}, err
	}
	got, err := cdp.Call(ctx, r.target, network.GetCookies, network.GetCookiesParams{URLs: slices.Compact([]string{to, at})})
	if err != nil {
		return outcome{}, err
	}
	s.cookies, s.landed = nil, at
	for _, c := range got.Cookies {
		if c.Name == MarkCookie {
			continue
		}
		s.cookies = append(s.cookies, kept(c))
	}
	return outcome{Done, fmt.Sprintf("logged in, at %s; %s kept", at, plural(len(s.cookies), "cookie"))}, nil
}

// restore sets the cookies of a session, and tries them where the login led
// unless the tab had them. No end means that they are not good any more.
func (a Login) restore(ctx context.Context, r *run, s *session, to string) (outcome, error) {
	got, err := cdp.Call(ctx, r.target, network.GetCookies, network.GetCookiesParams{URLs: []string{to}})
	if err != nil {
		return outcome{}, err
	}
	at, err := r.where(ctx)
	if err != nil {
		return outcome{}, err
	}
	has := func(want *network.CookieParam) bool {
		return slices.ContainsFunc(got.Cookies, func(c *network.Cookie) bool { return c.Name == want.Name && c.Value == want.Value })
	}
	if originOf(at) == originOf(to) && !slices.ContainsFunc(s.cookies, func(c *network.CookieParam) bool { return !has(c) }) {
		if in, err := a.in(ctx, r); err != nil || in {
			return outcome{Met, "the session is known"}, err
		}
	}
	if _, err := cdp.Call(ctx, r.target, network.SetCookies, network.SetCookiesParams{Cookies: s.cookies}); err != nil {
		return outcome{}, err
	}
	if _, err := r.navigate(ctx, s.landed, "load", loadTime); err != nil {
		return outcome{}, err
	}
	in, err := a.in(ctx, r)
	if err != nil || !in {
		return outcome{}, err
	}
	return outcome{Met, "the session is still good"}, nil
}

// kept is a cookie as it will be set again.
func kept(c *network.Cookie) *network.CookieParam {
	p := &network.CookieParam{Name: c.Name, Value: c.Value, Domain: c.Domain, Path: c.Path, Secure: c.Secure,
		HTTPOnly: c.HTTPOnly, SameSite: c.SameSite, Priority: c.Priority, SourceScheme: c.SourceScheme, PartitionKey: c.PartitionKey}
	if !c.Session {
		p.Expires = cdp.TimeSinceEpoch(c.Expires)
	}
	return p
}

// in reports whether the page is one of somebody who is logged in.
func (a Login) in(ctx context.Context, r *run) (bool, error) {
	if a.Done != nil {
		st, _, err := r.ask(ctx, *a.Done, "look")
		if _, ok := errors.AsType[*pending](err); ok {
			return false, nil
		}
		return st.Why == "", err
	}
	var at struct{ Ready string }
	if err := r.call(ctx, r.mainFrame(), &at, "page"); err != nil {
		return false, err
	}
	var st state
	err := r.call(ctx, r.mainFrame(), &st, "login", "password")
	_, loading := r.navigations()
	return st.Why == "missing" && at.Ready != "loading" && !loading, err
}

// enter fills in the form, or does the steps in place of that, and sees that it
// has worked.
func (a Login) enter(ctx context.Context, r *run, to string) error {
	if _, err := r.navigate(ctx, to, "load", loadTime); err != nil {
		return err
	}
	if len(a.Do) > 0 {
		if err := r.round(ctx, a.Do, 1); err != nil {
			return err
		}
	} else if err := a.form(ctx, r); err != nil {
		return err
	}
	err := until(ctx, func() error {
		in, err := a.in(ctx, r)
		if status := r.answered(); err == nil && in && a.Done == nil && status >= 400 {
			return fmt.Errorf("the answer is status %d", status)
		}
		if err != nil || in {
			return err
		}
		_, loading := r.navigations()
		if a.Done == nil && !loading && r.quiet() > stableTime {
			return fmt.Errorf("the form is still there (status %d)", r.answered())
		}
		if a.Done != nil {
			return &pending{fmt.Errorf("not logged in: %s cannot be seen (status %d)", *a.Done, r.answered())}
		}
		return &pending{fmt.Errorf("the form is still there (status %d)", r.answered())}
	})
	if err != nil {
		return fmt.Errorf("login at %s: %w", to, err)
	}
	return nil
}

func (a Login) form(ctx context.Context, r *run) error {
	for _, f := range []struct {
		what  string
		in    *Selector
		value Value
	}{{"user", a.UserIn, a.User}, {"password", a.PassIn, a.Password}} {
		text, err := r.say(f.value)
		if err != nil {
			return err
		}
		if f.in != nil {
			_, err = r.fill(ctx, *f.in, text, false)
		} else {
			err = r.fillFound(ctx, f.what, text)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.what, err)
		}
	}
	if a.Button != nil {
		_, err := Click{Selector: *a.Button}.do(ctx, r)
		return err
	}
	_, err := Submit{}.do(ctx, r) // of the password, which is in focus
	return err
}

// fillFound fills in a field that the kit looks for.
func (r *run) fillFound(ctx context.Context, what, text string) error {
	var st state
	err := until(ctx, func() error {
		if err := r.call(ctx, r.mainFrame(), &st, "login", what); err != nil {
			return err
		}
		if st.Why == "missing" {
			return &pending{errors.New("there is no form with a password")}
		}
		if st.Why != "" {
			return errors.New(st.Why)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := r.call(ctx, r.mainFrame(), &st, "fill", query{Found: true}, text); err != nil || text == "" {
		return err
	}
	if st.Why != "" {
		return errors.New(st.Why)
	}
	_, err = r.write(ctx, r.mainFrame(), text)
	return err
}
