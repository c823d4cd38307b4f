package main

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// product is one thing, with all who sell it.
type product struct {
	ID       string // part of its address here
	Name     string // "Halden Primo 2"
	Kind     string // "espresso machine"
	Brand    string
	Model    string
	GTIN     string
	Variant  string
	Category string
	Offers   []*offer // that are on sale, cheapest first; then those sold out, then those gone
	summary
}

// summary is what is searched and sorted by, in the currency of comparison.
type summary struct {
	Price   float64 // the least that it costs
	High    float64 // the most that this was within a month
	Drop    float64 // how far it fell from there, 0 to 1
	InStock bool    // somebody has it
	Shops   int     // who have it
	Low     float64 // the least that it ever cost
}

// within is how far back a drop looks.
const monthBack = 30 * 24 * time.Hour

// Why an offer counts as a product.
const (
	byBarcode = "bar code"
	byMaker   = "brand and model"
	byName    = "name"
	alone     = "nobody else's"
)

// productsOf says which offers are the same product, whoever sells them:
//
//   - those with the same bar code;
//   - one without, if it is of the same brand and model as just one of these, or
//     as just one in its colour or size;
//   - those of the same brand and model that have no bar code;
//   - one that names neither, if brand and model stand in its name.
//
// Two bar codes are two products, whatever else agrees. The answer depends only
// on the offers, not on their order.
func productsOf(offers []*offer, rates rates) []*product {
	known := makers{}
	for _, o := range offers {
		known.learn(o.Facts)
	}
	groups := map[string][]*offer{}   // by ID
	coded := map[string][]string{}    // IDs that are bar codes, by brand and model
	variants := map[string][]string{} // of an ID that is a bar code, folded
	var rest []*offer
	for _, o := range offers {
		o.How = byMaker
		if o.Facts.Brand == "" || o.Facts.Model == "" {
			if brand, model, ok := known.find(o.Facts.Name); ok {
				o.Facts.Brand, o.Facts.Model, o.How = brand, model, byName
			}
		}
		id := strings.TrimLeft(o.Facts.GTIN, "0")
		if id == "" {
			rest = append(rest, o)
			continue
		}
		o.How = byBarcode
		groups[id] = append(groups[id], o)
		variants[id] = append(variants[id], folded(o.Facts.Variant))
		if m := o.maker(); m != "" && !slices.Contains(coded[m], id) {
			coded[m] = append(coded[m], id)
		}
	}
	for _, o := range rest {
		id := o.sameAs(coded[o.maker()], variants)
		groups[id] = append(groups[id], o)
	}
	products := make([]*product, 0, len(groups))
	for id, group := range groups {
		products = append(products, productOf(id, group, rates))
	}
	slices.SortFunc(products, func(a, b *product) int { return cmp.Compare(a.ID, b.ID) })
	return products
}

// maker is brand and model of an offer, compact; empty when it lacks one.
func (o *offer) maker() string {
	brand, model := compact(o.Facts.Brand), compact(o.Facts.Model)
	if brand == "" || model == "" {
		return ""
	}
	return brand + " " + model
}

// sameAs picks the product of an offer without a bar code: one of those with a
// bar code that are of its maker, or one of its own.
func (o *offer) sameAs(coded []string, variants map[string][]string) string {
	words := " " + folded(o.Facts.Name+" "+o.Facts.Variant) + " "
	var fits, open []string
	for _, id := range coded {
		for _, v := range variants[id] {
			if v == "" {
				open = append(open, id)
			} else if strings.Contains(words, " "+v+" ") {
				fits = append(fits, id)
				break
			}
		}
	}
	switch {
	case len(fits) == 1:
		return fits[0]
	case len(coded) == 1 && (len(open) > 0 || o.Facts.Variant == ""):
		return coded[0]
	case o.maker() != "":
		return address(o.Facts.Brand, o.Facts.Model, o.Facts.Variant)
	}
	o.How = alone
	return address(o.Shop, cmp.Or(o.SKU, o.Facts.Name, o.URLs[0]))
}

// address is text as a part of a URL.
func address(parts ...string) string {
	return strings.ReplaceAll(folded(strings.Join(parts, " ")), " ", "-")
}

// productOf makes a product of its offers.
func productOf(id string, group []*offer, rates rates) *product {
	slices.SortStableFunc(group, func(a, b *offer) int { return cmp.Compare(a.shop, b.shop) })
	p := &product{ID: id, Offers: group}
	all := facts{}
	for _, o := range group {
		all = all.or(o.Facts)
	}
	named := slices.MaxFunc(group, func(a, b *offer) int {
		return cmp.Or(cmp.Compare(a.Facts.worth(), b.Facts.worth()), cmp.Compare(b.shop, a.shop))
	})
	p.Brand, p.Model, p.GTIN, p.Category = all.Brand, all.Model, strings.TrimLeft(all.GTIN, "0"), all.Category
	p.Variant = cmp.Or(named.Facts.Variant, all.Variant)
	p.Name, p.Kind = named.Facts.Name, ""
	if p.Brand != "" && p.Model != "" {
		p.Name, p.Kind = p.Brand+" "+p.Model, without(named.Facts.Name, p.Brand, p.Model, p.Variant)
		if p.Variant != "" {
			p.Name += ", " + p.Variant
		}
	}
	slices.SortStableFunc(group, func(a, b *offer) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(rates.of(a.now()), rates.of(b.now())))
	})
	p.summary = summarise(group, rates)
	return p
}

// rank is 0 of offers on sale, 1 of those sold out, 2 of those gone.
func (o *offer) rank() int {
	switch {
	case o.Gone:
		return 2
	case !o.Available():
		return 1
	}
	return 0
}

// worth is how good a name is to show: in the language of this program, and not
// shouted.
func (f facts) worth() int {
	n := 0
	if strings.HasPrefix(f.Lang, "en") {
		n += 4
	}
	if f.Variant != "" {
		n += 2
	}
	if f.Brand == "" || !strings.Contains(f.Name, strings.ToUpper(f.Brand)) {
		n++
	}
	return n
}
