package main

import (
	"cmp"
	"slices"
	"time"
)

// listing is one address of a shop, as it was each time it was read. Where an
// address sells several things, each is a listing.
type listing struct {
	shop, url, sku string
	facts          facts
	trail          []point
	seen           time.Time
	gone           bool
}

// point is a price that held from a time on.
type point struct {
	At    time.Time
	Price float64 // in the currency of the listing
	Code  string  // of that
	Stock stock
}

// listingKey tells listings apart.
type listingKey struct{ shop, url, sku string }

func (s sighting) key() listingKey { return listingKey{s.Shop, s.URL, s.SKU} }

// take adds a sighting. Only what has changed makes a point.
func (l *listing) take(s sighting) {
	if s.Facts != nil {
		l.facts = *s.Facts
	}
	if l.seen.After(s.At) {
		return // two workers, one page
	}
	l.seen, l.gone = s.At, s.Gone
	p := point{s.At, s.Price.Amount, s.Price.Currency, s.Stock}
	if s.Gone {
		last := l.last()
		p.Price, p.Code, p.Stock = last.Price, last.Code, soldOut
	}
	if last := l.last(); last.Price != p.Price || last.Code != p.Code || last.Stock != p.Stock {
		l.trail = append(l.trail, p)
	}
}

func (l *listing) last() point {
	if len(l.trail) == 0 {
		return point{}
	}
	return l.trail[len(l.trail)-1]
}

// offer is one thing that a shop sells, be it under one address or many.
type offer struct {
	Shop  string
	SKU   string
	URLs  []string // the first is where it was seen last
	Facts facts
	Trail []point
	Seen  time.Time
	Gone  bool
	How   string // why it counts as this product
	shop  int    // place of the shop in the list
}

// now is what the offer is at present.
func (o *offer) now() point { return o.Trail[len(o.Trail)-1] }

// Price and Code are what it costs at present.
func (o *offer) Price() float64 { return o.now().Price }
func (o *offer) Code() string   { return o.now().Code }

// Told says whether the shop tells what it has in stock.
func (o *offer) Told() bool { return o.now().Stock != unknown }

// Others are further addresses of it in the shop.
func (o *offer) Others() []string { return o.URLs[1:] }

// Colour is the number of the shop's colour in pictures.
func (o *offer) Colour() int { return o.shop % chartColours }

// Available says whether it can be bought, as far as the shop tells.
func (o *offer) Available() bool { return !o.Gone && o.now().Stock != soldOut }

// offersOf merges the listings of each shop that are one thing: by article
// number, or where there is none by bar code, or else by address. A page without
// an article number is that of the only article which has been seen at its
// address, if there is one.
func offersOf(listings []*listing, shopAt map[string]int) []*offer {
	skuAt := map[listingKey]map[string]bool{} // article numbers by address
	for _, l := range listings {
		at := listingKey{l.shop, l.url, ""}
		if l.sku != "" {
			if skuAt[at] == nil {
				skuAt[at] = map[string]bool{}
			}
			skuAt[at][compact(l.sku)] = true
		}
	}
	groups := map[listingKey][]*listing{}
	for _, l := range listings {
		k := listingKey{shop: l.shop}
		known := skuAt[listingKey{l.shop, l.url, ""}]
		switch {
		case l.sku != "":
			k.sku = compact(l.sku)
		case len(known) == 1:
			for sku := range known {
				k.sku = sku
			}
		case l.facts.GTIN != "":
			k.sku = "gtin " + l.facts.GTIN
		default:
			k.url = l.url
		}
		groups[k] = append(groups[k], l)
	}
	offers := make([]*offer, 0, len(groups))
	for _, group := range groups {
		offers = append(offers, offerOf(group, shopAt[group[0].shop]))
	}
	slices.SortFunc(offers, func(a, b *offer) int {
		return cmp.Or(cmp.Compare(a.shop, b.shop), cmp.Compare(a.Shop, b.Shop), cmp.Compare(a.SKU, b.SKU), cmp.Compare(a.URLs[0], b.URLs[0]))
	})
	return offers
}

// offerOf makes an offer of listings: its facts are the first that any knows,
// its trail is that of all of them together.
func offerOf(group []*listing, shop int) *offer {
	slices.SortFunc(group, func(a, b *listing) int {
		return cmp.Or(b.seen.Compare(a.seen), cmp.Compare(len(a.url), len(b.url)), cmp.Compare(a.url, b.url))
	})
	o := &offer{Shop: group[0].shop, shop: shop, Gone: true}
	var all []point
	for _, l := range group {
		o.SKU = cmp.Or(o.SKU, l.sku)
		if !slices.Contains(o.URLs, l.url) {
			o.URLs = append(o.URLs, l.url)
		}
		o.Facts = o.Facts.or(l.facts)
		if l.seen.After(o.Seen) {
			o.Seen = l.seen
		}
		o.Gone = o.Gone && l.gone
		all = append(all, l.trail...)
	}
	slices.SortStableFunc(all, func(a, b point) int { return a.At.Compare(b.At) })
	for _, p := range all {
		if n := len(o.Trail); n > 0 && o.Trail[n-1].Price == p.Price && o.Trail[n-1].Code == p.Code && o.Trail[n-1].Stock == p.Stock {
			continue
		}
		o.Trail = append(o.Trail, p)
	}
	return o
}

// or is f with what it lacks from g.
func (f facts) or(g facts) facts {
	return facts{cmp.Or(f.Name, g.Name), cmp.Or(f.Brand, g.Brand), cmp.Or(f.Model, g.Model), cmp.Or(f.GTIN, g.GTIN),
		cmp.Or(f.Variant, g.Variant), cmp.Or(f.Category, g.Category), cmp.Or(f.Lang, g.Lang), cmp.Or(f.Source, g.Source)}
}
