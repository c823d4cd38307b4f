package chrome

import (
	"context"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"

	"github.com/webquarry/quarry/crawler/chrome/action"
)

const cookieTime = time.Second

// cookies keeps what browser contexts knew of hosts when their tabs were closed,
// so that the next tab of a host is the same visitor.
type cookies struct {
	mu sync.Mutex
	of map[string][]*network.CookieParam
}

// save takes over the cookies of a tab, even of one that hangs.
func (c *cookies) save(t *tab) {
	if !t.opened.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(t.browser.ctx, cookieTime)
	defer cancel()
	b := chromedp.FromContext(t.browser.ctx)
	res, err := cdp.Call(ctx, b.Browser, storage.GetCookies, storage.GetCookiesParams{BrowserContextID: t.context})
	if err != nil {
		return
	}
	var all []*network.CookieParam
	for _, k := range res.Cookies {
		if k.Name == action.MarkCookie {
			continue // which is of the tab
		}
		p := &network.CookieParam{Name: k.Name, Value: k.Value, Domain: k.Domain, Path: k.Path, Secure: k.Secure, HTTPOnly: k.HTTPOnly,
			SameSite: k.SameSite, Priority: k.Priority, SourceScheme: k.SourceScheme, SourcePort: k.SourcePort, PartitionKey: k.PartitionKey}
		if !k.Session {
			p.Expires = cdp.TimeSinceEpoch(k.Expires)
		}
		all = append(all, p)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = make(map[string][]*network.CookieParam)
	}
	for host := range c.of {
		if len(c.of) < hostsMost {
			break
		}
		delete(c.of, host)
	}
	if delete(c.of, t.host); len(all) > 0 {
		c.of[t.host] = all
	}
}

// restore gives a new tab the cookies of its host.
func (c *cookies) restore(t *tab) error {
	c.mu.Lock()
	all := c.of[t.host]
	c.mu.Unlock()
	if len(all) == 0 {
		return nil
	}
	b := chromedp.FromContext(t.browser.ctx)
	_, err := cdp.Call(t.life, b.Browser, storage.SetCookies, storage.SetCookiesParams{Cookies: all, BrowserContextID: t.context})
	return err
}
