package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/webquarry/quarry/crawler/chrome"
)

// haveChrome skips a test where there is no browser, unless CI says that there
// must be one.
func haveChrome(t *testing.T) {
	t.Helper()
	if _, err := chrome.Find(); err != nil && os.Getenv("CI") == "true" {
		t.Fatal("no Chrome found, and CI must have one: install chromium-headless-shell")
	} else if err != nil {
		t.Skip("no Chrome found: install chromium-headless-shell to run this test")
	}
}

// jobOf prepares a job as pricewatch does. Its shops are served until the end of
// ctx.
func jobOf(ctx context.Context, args ...string) (*job, error) {
	o, err := parseOptions(args, io.Discard)
	if err != nil {
		return nil, err
	}
	j := &job{options: o, log: io.Discard, recheck: make(chan struct{}, 1)}
	if j.place, err = openPlace(o.dir); err != nil {
		return nil, err
	}
	if err := j.plan(); err != nil {
		return nil, err
	}
	return j, j.open(ctx, func(error) {})
}

// watched is the bundled shops after two rounds, for all tests.
var watched = sync.OnceValues(func() (*job, error) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	j, err := jobOf(ctx)
	for range 2 {
		if err == nil {
			err = j.round(ctx)
		}
	}
	return j, err
})

func watchedJob(t *testing.T) *job {
	t.Helper()
	haveChrome(t)
	j, err := watched()
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// Every deal of the four shops is found, once, at its price of today, and the
// same product is one product, whoever sells it under whatever name.
func TestBundledDeals(t *testing.T) {
	t.Parallel()
	j := watchedJob(t)
	productOf := map[*offer]*product{}
	for _, p := range j.catalog.products {
		for _, o := range p.Offers {
			productOf[o] = p
		}
	}
	deals := j.mall.Deals()
	if len(productOf) != len(deals) {
		t.Errorf("%d offers, want %d", len(productOf), len(deals))
	}
	ids := map[string]string{} // of the product found, by that of the mall
	mall := map[string]string{}
	for _, d := range deals {
		var found []*offer
		for o := range productOf {
			if o.Shop == d.Shop && (o.SKU == d.SKU || o.SKU == "" && strings.Contains(o.URLs[0], "/kit/"+d.SKU+"-")) {
				found = append(found, o)
			}
		}
		if len(found) != 1 {
			t.Errorf("%+v: %d offers", d, len(found))
			continue
		}
		o := found[0]
		if now := o.now(); now.Price != d.Price || now.Code != d.Currency || o.Available() != d.InStock {
			t.Errorf("%+v: found at %+v, available: %v", d, now, o.Available())
		}
		p := productOf[o]
		if id, known := ids[d.Product]; known && id != p.ID {
			t.Errorf("%+v is %s and %s", d, id, p.ID)
		}
		if other, known := mall[p.ID]; known && other != d.Product {
			t.Errorf("%+v: %s is also %s", d, p.ID, other)
		}
		ids[d.Product], mall[p.ID] = p.ID, d.Product
	}
	if len(j.catalog.products) != len(ids) {
		t.Errorf("%d products, want %d", len(j.catalog.products), len(ids))
	}
	hows := map[string]int{}
	for o := range productOf {
		hows[o.How]++
	}
	for _, how := range []string{byBarcode, byMaker, byName} {
		if hows[how] == 0 {
			t.Errorf("nothing is known by %s: %v", how, hows)
		}
	}
}

// One product under several addresses of a shop is one offer, and prices have a
// history after the second round.
func TestBundledHistory(t *testing.T) {
	t.Parallel()
	j := watchedJob(t)
	several, changed := 0, 0
	for _, p := range j.catalog.products {
		for _, o := range p.Offers {
			if len(o.URLs) > 1 {
				several++
			}
			if len(o.Trail) > 1 {
				changed++
			}
		}
	}
	if several < 20 || changed < 20 {
		t.Errorf("%d offers have several addresses, %d a history", several, changed)
	}
	if s := j.status(); s.Running || s.Round != 2 || s.Failed != 0 || s.Waiting != 0 || s.Products != len(j.catalog.products) {
		t.Errorf("status %+v", s)
	}
}

// Without a browser the plain shop is watched, and one line says what is missing.
func TestWithoutChrome(t *testing.T) {
	t.Parallel()
	var out, log bytes.Buffer
	if code := run(t.Context(), []string{"-chrome", "none", "-query", "schwanenhalskessel", "-sort", "cheapest"}, &out, &log); code != 0 {
		t.Errorf("exit status %d", code)
	}
	said := regexp.MustCompile(`(?m)^Asking the shops: .*\n`).ReplaceAllString(log.String(), "") // which a slow round says
	if want := "Left out for want of a browser: Beanworks, Fell & Fern, Depot Club. Install chromium-headless-shell to have them too.\n"; said != want {
		t.Errorf("log %q\nwant %q", said, want)
	}
	if got := out.String(); !strings.HasPrefix(got, "2 products in ") || !strings.Contains(got, "1. Kestrel K-400 – Schwanenhalskessel 0,8 l\n   €") ||
		!strings.Contains(got, " at Lindner Haushalt\n   http://127.0.0.1:") {
		t.Errorf("%q", got)
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	var out, log bytes.Buffer
	if code := run(t.Context(), []string{"-chrome", "none", "-query", "", "-json", "-sort", "cheapest", "-min", "60", "-max", "200", "-shop", "Lindner Haushalt", "-in-stock"}, &out, &log); code != 0 {
		t.Fatalf("exit status %d: %s", code, log.String())
	}
	var a apiAnswer
	if err := json.Unmarshal(out.Bytes(), &a); err != nil {
		t.Fatal(err)
	}
	if a.Total < 5 || len(a.Hits) != min(a.Total, defaultSize) || a.Currency != "EUR" {
		t.Errorf("%+v", a)
	}
	if !slices.IsSortedFunc(a.Hits, func(x, y apiHit) int { return int(*x.Price*100) - int(*y.Price*100) }) {
		t.Error("not cheapest first")
	}
	for _, h := range a.Hits {
		if *h.Price < 60 || *h.Price > 200 || !h.InStock || h.Best.Shop != "Lindner Haushalt" || h.Best.Currency != "EUR" {
			t.Errorf("%+v", h)
		}
	}
}
