package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/chromedp/chromedp"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/chrome"
)

// tabs lends tabs of a browser.
type tabs struct {
	fetcher *chrome.Fetcher
	visible context.Context // of a browser that can be seen; nil: none
	closing []func() error
}

// open makes ready the browser of the command line.
func open(opt *options) (*tabs, error) {
	t := &tabs{}
	if opt.close != nil {
		t.closing = append(t.closing, opt.close)
	}
	if opt.headful {
		opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.VisibleWindow)
		if opt.proxy != nil {
			opts = append(opts, chromedp.ProxyServer(opt.proxy.String()), chromedp.Flag("proxy-bypass-list", "<-loopback>"))
		}
		opts = append(opts, chromedp.Flag("no-sandbox", opt.noSandbox)) // which chromedp would set for root without a word
		alloc, stop := chromedp.NewExecAllocator(context.Background(), opts...)
		t.visible = alloc
		t.closing = append(t.closing, func() error { stop(); return nil })
		return t, nil
	}
	if opt.proxy != nil {
		opt.allowPrivate = true // which addresses there are is for the proxy to know
	}
	t.fetcher = &chrome.Fetcher{
		UserAgent: opt.userAgent,
		NoSandbox: opt.noSandbox,
		Via:       &crawler.HTTP{UserAgent: opt.userAgent, Proxy: opt.proxy, AllowPrivate: opt.allowPrivate},
	}
	t.closing = append(t.closing, t.fetcher.Close)
	return t, nil
}

// Tab has do work in a tab.
func (t *tabs) Tab(ctx context.Context, page string, do func(tab context.Context) error) error {
	if t.visible == nil {
		return t.fetcher.Tab(ctx, page, do)
	}
	tab, stop := chromedp.NewContext(t.visible)
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	if err := chromedp.Do(tab); errors.Is(err, chromedp.ErrNoDisplay) {
		return errors.New("-headful needs a display, and there is none")
	} else if err != nil {
		return fmt.Errorf("-headful: %w", err)
	}
	return do(tab)
}

// Close ends the browser.
func (t *tabs) Close() {
	for i := len(t.closing) - 1; i >= 0; i-- {
		_ = t.closing[i]()
	}
}
