package action

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

func (Set) kind() string { return "set" }

func targetID(id cdp.FrameID) target.ID { return target.ID(id) }

// headers are what is added to the requests of origins.
type headers struct {
	ctx context.Context // of the session that adds them
	mu  sync.Mutex
	of  map[string]map[string]string // by origin and name
}

// aside is a session of the tab of its own: what it sets ends with it.
func (t *tab) aside() (*chromedp.Target, error) {
	if t.origin.ctx != nil {
		return chromedp.FromContext(t.origin.ctx).Target, nil
	}
	ctx, stop := chromedp.NewContext(t.base, chromedp.WithTargetID(t.target.TargetID), chromedp.WithDetachOnCancel())
	t.ended = append(t.ended, stop)
	if err := chromedp.Do(ctx); err != nil {
		return nil, err
	}
	t.origin.ctx = ctx
	return chromedp.FromContext(ctx).Target, nil
}

func (a Set) do(ctx context.Context, r *run) (outcome, error) {
	at, err := r.where(ctx)
	if err != nil {
		return outcome{}, err
	}
	var own []string
	set := func(what string, f func() error) {
		if err == nil {
			own, err = append(own, what), f()
		}
	}
	if len(a.Cookies) > 0 || len(a.Headers) > 0 || a.Geolocation != nil {
		set(a.counts(), func() error {
			if web(at) {
				return r.sent(ctx, a, at)
			}
			r.waiting = append(r.waiting, a)
			return nil
		})
	}
	if v := a.Viewport; v != nil {
		set(fmt.Sprintf("%d×%d", v.Width, v.Height), func() error { return r.setViewport(ctx, v) })
	}
	if a.Locale != "" {
		set(a.Locale, func() error { return r.setLocale(ctx, a.Locale) })
	}
	if a.Timezone != "" {
		set(a.Timezone, func() error {
			s, err := r.aside()
			if err == nil {
				_, err = cdp.Call(ctx, s, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: a.Timezone})
			}
			return err
		})
	}
	return outcome{Done, strings.Join(own, ", ")}, err
}

func (a Set) counts() string {
	var out []string
	if n := len(a.Cookies); n > 0 {
		out = append(out, plural(n, "cookie"))
	}
	if n := len(a.Headers); n > 0 {
		out = append(out, plural(n, "header"))
	}
	if a.Geolocation != nil {
		out = append(out, "geolocation")
	}
	return strings.Join(out, ", ")
}

// setWaiting sets what was set before there was a page.
func (r *run) setWaiting(ctx context.Context, url string) error {
	for _, a := range r.waiting {
		if err := r.sent(ctx, a, url); err != nil {
			return err
		}
	}
	r.waiting = nil
	return nil
}

// sent sets what is for one page: cookies, headers, the place.
func (r *run) sent(ctx context.Context, a Set, url string) error {
	for _, c := range a.Cookies {
		value, err := r.say(c.Value)
		if err != nil {
			return fmt.Errorf("cookie %s: %w", c.Name, err)
		}
		_, err = cdp.Call(ctx, r.target, network.SetCookie, network.SetCookieParams{
			Name: c.Name, Value: value, URL: cmp.Or(c.URL, url), Domain: c.Domain, Path: cmp.Or(c.Path, "/"),
		})
		if err != nil {
			return fmt.Errorf("cookie %s: %w", c.Name, err)
		}
	}
	if a.Geolocation != nil {
		if err := r.setPlace(ctx, a.Geolocation, originOf(url)); err != nil {
			return err
		}
	}
	if len(a.Headers) == 0 {
		return nil
	}
	out := map[string]string{}
	for name, v := range a.Headers {
		value, err := r.say(v)
		if err != nil {
			return fmt.Errorf("header %s: %w", name, err)
		}
		out[name] = value
	}
	return r.addHeaders(ctx, originOf(url), out)
}

// addHeaders sends headers with each request to an origin. Each hop of
// a redirect is a request of its own.
func (r *run) addHeaders(ctx context.Context, origin string, add map[string]string) error {
	s, err := r.aside()
	if err != nil {
		return err
	}
	h := &r.origin
	h.mu.Lock()
	first := h.of == nil
	if first {
		h.of = map[string]map[string]string{}
	}
	if h.of[origin] == nil {
		h.of[origin] = map[string]string{}
	}
	maps.Copy(h.of[origin], add)
	var patterns []*fetch.RequestPattern
	for _, o := range slices.Sorted(maps.Keys(h.of)) {
		patterns = append(patterns, &fetch.RequestPattern{URLPattern: o + "/*"})
	}
	h.mu.Unlock()
	if first {
		paused := chromedp.Events(h.ctx, fetch.RequestPaused)
		go func() {
			for ev, err := range paused {
				if err != nil {
					return
				}
				_, _ = cdp.Call(h.ctx, s, fetch.ContinueRequest, h.with(ev)) // a request that has gone by now
			}
		}()
	}
	_, err = cdp.Call(ctx, s, fetch.Enable, fetch.EnableParams{Patterns: patterns})
	return err
}

// with adds the headers to a request.
func (h *headers) with(ev fetch.EventRequestPaused) fetch.ContinueRequestParams {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := fetch.ContinueRequestParams{RequestID: ev.RequestID}
	add := h.of[originOf(ev.Request.URL)]
	for name, v := range ev.Request.Headers {
		if _, ok := add[name]; !ok {
			p.Headers = append(p.Headers, &fetch.HeaderEntry{Name: name, Value: fmt.Sprint(v)})
		}
	}
	for name, v := range add {
		p.Headers = append(p.Headers, &fetch.HeaderEntry{Name: name, Value: v})
	}
	return p
}

func (r *run) setViewport(ctx context.Context, v *Viewport) error {
	s, err := r.aside()
	if err != nil {
		return err
	}
	_, err = cdp.Call(ctx, s, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: int64(v.Width), Height: int64(v.Height), DeviceScaleFactor: cmp.Or(v.Scale, 1), Mobile: v.Mobile,
	})
	if err == nil && v.Mobile {
		_, err = cdp.Call(ctx, s, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true})
	}
	return err
}

func (r *run) setPlace(ctx context.Context, g *Geolocation, origin string) error {
	s, err := r.aside()
	if err != nil {
		return err
	}
	if _, err = cdp.Call(ctx, s, emulation.SetGeolocationOverride, emulation.SetGeolocationOverrideParams{
		Latitude: &g.Latitude, Longitude: &g.Longitude, Accuracy: new(cmp.Or(g.Accuracy, 100)),
	}); err != nil {
		return err
	}
	c := chromedp.FromContext(r.base)
	_, err = cdp.Call(ctx, c.Browser, browser.SetPermission, browser.SetPermissionParams{
		Permission: &browser.PermissionDescriptor{Name: "geolocation"}, Setting: browser.PermissionSettingGranted,
		Origin: origin, BrowserContextID: c.BrowserContextID,
	})
	r.ended = append(r.ended, func() {
		_, _ = cdp.Call(context.WithoutCancel(r.base), c.Browser, browser.ResetPermissions, browser.ResetPermissionsParams{BrowserContextID: c.BrowserContextID})
	})
	return err
}

func (r *run) setLocale(ctx context.Context, locale string) error {
	s, err := r.aside()
	if err != nil {
		return err
	}
	var agent string
	if err := evaluate(ctx, s, &agent, runtime.EvaluateParams{Expression: "navigator.userAgent"}); err != nil {
		return err
	}
	if _, err := cdp.Call(ctx, s, emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{UserAgent: agent, AcceptLanguage: locale}); err != nil {
		return err
	}
	_, err = cdp.Call(ctx, s, emulation.SetLocaleOverride, emulation.SetLocaleOverrideParams{Locale: locale})
	return err
}
