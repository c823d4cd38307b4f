package main

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// catalog is what the shops sell, and sold: listings as they come from pages or
// from the ledger, and the products that they make up.
type catalog struct {
	shopAt map[string]int // order of the shops
	rates  rates

	mu       sync.RWMutex
	listings map[listingKey]*listing
	read     int64 // bytes of the ledger that are in it
	stale    bool  // products are older than listings
	products []*product
	byID     map[string]*product
}

func newCatalog(l *shopList) *catalog {
	c := &catalog{shopAt: map[string]int{}, rates: l.rates(), listings: map[listingKey]*listing{}, byID: map[string]*product{}}
	for i, s := range l.Shops {
		c.shopAt[s.Name] = i
	}
	return c
}

// shops are the names of those in the list and of those of which anything was ever
// seen, sorted.
func (c *catalog) shops() []string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	names := maps.Clone(c.shopAt)
	for key := range c.listings {
		names[key.shop] = 0
	}
	return slices.Sorted(maps.Keys(names))
}

// take adds a sighting. It returns it as the ledger should have it: without
// facts when they are those of the time before.
func (c *catalog) take(s sighting) sighting {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.listings[s.key()]
	if l == nil {
		l = &listing{shop: s.Shop, url: s.URL, sku: s.SKU}
		c.listings[s.key()] = l
	}
	if s.Facts != nil && len(l.trail) > 0 && *s.Facts == l.facts {
		s.Facts = nil
	}
	l.take(s)
	c.stale = true
	return s
}

// load takes what is in a ledger, which nobody else writes to meanwhile.
func (c *catalog) load(name string) error {
	c.mu.Lock()
	c.listings, c.stale = map[listingKey]*listing{}, true
	c.mu.Unlock()
	read, err := readLedger(name, func(s sighting) { c.take(s) })
	c.read = read
	return err
}

// missed lists what a shop had and has no more, as gone: what is at an address
// that is dead, and, if all of the shop was read, what was not seen in the round
// that began now nor in the one before. Once would be rash: a list may end early
// on a bad day.
func (c *catalog) missed(shop string, now, before time.Time, whole bool, dead map[string]bool) (gone []sighting) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for key, l := range c.listings {
		if key.shop == shop && !l.gone && l.seen.Before(now) && (dead[l.url] || whole && l.seen.Before(before)) {
			gone = append(gone, sighting{At: now, Shop: l.shop, URL: l.url, SKU: l.sku, Gone: true})
		}
	}
	return gone
}

// refresh makes the products anew if anything was seen since, and returns all of
// them, by ID.
func (c *catalog) refresh() (products []*product, fresh bool) {
	c.mu.Lock()
	if !c.stale {
		defer c.mu.Unlock()
		return c.products, false
	}
	c.stale = false
	listings := make([]*listing, 0, len(c.listings))
	for _, l := range c.listings {
		copied := *l
		copied.trail = slices.Clip(l.trail) // appending to it goes elsewhere
		listings = append(listings, &copied)
	}
	c.mu.Unlock()

	products = productsOf(offersOf(listings, c.shopAt), c.rates)
	byID := make(map[string]*product, len(products))
	for _, p := range products {
		byID[p.ID] = p
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.products, c.byID = products, byID
	return products, true
}

func (c *catalog) product(id string) (*product, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	p, ok := c.byID[id]
	return p, ok
}

// siblings are the other products of a brand and model: its colours and sizes.
func (c *catalog) siblings(p *product) (list []*product) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, other := range c.products {
		if other != p && p.Model != "" && compact(other.Brand) == compact(p.Brand) && compact(other.Model) == compact(p.Model) {
			list = append(list, other)
		}
	}
	return list
}

// counts are how many products and offers there are, and when shops were last
// asked.
func (c *catalog) counts() (products, offers int, checked time.Time) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, p := range c.products {
		for _, o := range p.Offers {
			if !o.Gone {
				offers++
			}
			if o.Seen.After(checked) {
				checked = o.Seen
			}
		}
	}
	return len(c.products), offers, checked
}
