package main

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/extract"
	"github.com/webquarry/quarry/crawler/urlnorm"
)

// sighting is what a page said, at some time, about something that a shop sells.
// It is a line of the ledger.
type sighting struct {
	At    time.Time     `json:"at"` // when the round began that saw it
	Shop  string        `json:"shop"`
	URL   string        `json:"url"` // where to buy it
	SKU   string        `json:"sku,omitempty"`
	Price extract.Price `json:"price,omitzero"`
	Stock stock         `json:"stock,omitempty"`
	Gone  bool          `json:"gone,omitempty"`  // it is not there any more
	Facts *facts        `json:"facts,omitempty"` // nil: as the time before
}

// facts are what a thing is, as a shop has it.
type facts struct {
	Name     string `json:"name"`
	Brand    string `json:"brand,omitempty"`
	Model    string `json:"model,omitempty"` // of the maker
	GTIN     string `json:"gtin,omitempty"`  // of the bar code, 14 digits
	Variant  string `json:"variant,omitempty"`
	Category string `json:"category,omitempty"`
	Lang     string `json:"lang,omitempty"`
	Source   string `json:"source,omitempty"` // how it was read: "json-ld", "microdata", "selectors"
}

// stock is whether it can be had.
type stock string

const (
	unknown  stock = ""
	inStock  stock = "in"
	soldOut  stock = "out"
	schemaIn       = "InStock InStoreOnly OnlineOnly LimitedAvailability MadeToOrder "
	schemaNo       = "OutOfStock SoldOut Discontinued BackOrder PreOrder PreSale Reserved "
	usedLike       = "UsedCondition RefurbishedCondition DamagedCondition "
)

// read takes the sightings out of a page: by the schema of the shop if it is for
// this page, or else by what the page says about itself.
func (s *shop) read(doc *goquery.Document, page *crawler.Page) (found []sighting, err error) {
	if s.schema != nil && s.reads(page.URL) {
		only := *page
		only.Records = nil
		err = s.schema.Refine(doc, &only)
		page.Flaws = only.Flaws
		for _, r := range only.Records {
			found = append(found, r.(record).sighting(s))
		}
	} else {
		for _, item := range extract.Items(doc, page.URL) {
			found = append(found, itemSightings(item, facts{}, 0)...)
		}
	}
	kept := found[:0]
	for _, f := range found {
		f.Shop, f.Facts.Lang = s.Name, page.Lang
		f.Price.Currency = cmp.Or(f.Price.Currency, s.Currency)
		f.Facts.GTIN = gtin(f.Facts.GTIN)
		if u, err := urlnorm.URL(page.URL, f.URL); err == nil && f.URL != "" {
			f.URL = u
		} else {
			f.URL = page.URL
		}
		if f.Facts.Name != "" && f.Price.Amount > 0 && f.Price.Currency != "" {
			kept = append(kept, f)
		}
	}
	return kept, err
}

// record is what a schema may name; name and price it has to.
type record struct {
	Name                                            string
	Price                                           extract.Price
	URL, SKU, GTIN, Brand, Model, Variant, Category string
	InStock, SoldOut                                bool
}

// sighting is what a record says. Where the schema asks for what is sold out,
// the rest is in stock, and the other way round.
func (r record) sighting(by *shop) sighting {
	s := sighting{URL: r.URL, SKU: r.SKU, Price: r.Price,
		Facts: &facts{Name: r.Name, Brand: r.Brand, Model: r.Model, GTIN: r.GTIN, Variant: r.Variant, Category: r.Category, Source: "selectors"}}
	switch {
	case r.SoldOut, by.asks("instock") && !r.InStock:
		s.Stock = soldOut
	case r.InStock, by.asks("soldout"):
		s.Stock = inStock
	}
	return s
}

const maxWithin = 4 // lists in lists, groups in lists

// itemSightings reads the products of structured data. What a group of variants
// says holds for each of them.
func itemSightings(item *extract.Item, group facts, depth int) (found []sighting) {
	if depth > maxWithin {
		return nil
	}
	switch {
	case item.Is("ProductGroup") && len(item.Props["hasVariant"]) > 0:
		group = factsOf(item, facts{})
		group.GTIN, group.Model = "", cmp.Or(item.Text("mpn"), item.Text("model"))
		return within(item, group, depth, "hasVariant")
	case item.Is("Product"), item.Is("ProductGroup"), item.Is("IndividualProduct"), item.Is("ProductModel"):
		return productSightings(item, factsOf(item, group))
	}
	return within(item, facts{}, depth, "mainEntity", "itemListElement", "item")
}

func within(item *extract.Item, group facts, depth int, names ...string) (found []sighting) {
	for _, name := range names {
		for _, v := range item.Props[name] {
			if inner, ok := v.(*extract.Item); ok {
				found = append(found, itemSightings(inner, group, depth+1)...)
			}
		}
	}
	return found
}

func factsOf(item *extract.Item, group facts) facts {
	return facts{
		Name:     cmp.Or(item.Text("name"), group.Name),
		Brand:    cmp.Or(item.Text("brand"), item.Text("manufacturer"), group.Brand),
		Model:    cmp.Or(item.Text("mpn"), item.Text("model"), group.Model),
		GTIN:     cmp.Or(item.Text("gtin13"), item.Text("gtin"), item.Text("gtin14"), item.Text("gtin12"), item.Text("gtin8"), group.GTIN),
		Variant:  cmp.Or(item.Text("color"), item.Text("size"), group.Variant),
		Category: cmp.Or(item.Text("category"), group.Category),
		Source:   item.Source,
	}
}

// productSightings reads the offers of a product. Those with article numbers of
// their own are things apart, as sizes are; of others the cheapest counts.
func productSightings(item *extract.Item, f facts) (found []sighting) {
	var best *sighting
	for _, v := range item.Props["offers"] {
		offer, ok := v.(*extract.Item)
		if !ok || hasWord(usedLike, offer.Text("itemCondition")) {
			continue
		}
		price, ok := offerPrice(offer)
		if !ok {
			continue
		}
		own := f
		own.Name, own.Variant = cmp.Or(offer.Text("name"), f.Name), cmp.Or(offer.Text("color"), offer.Text("size"), f.Variant)
		own.GTIN = cmp.Or(offer.Text("gtin13"), offer.Text("gtin"), f.GTIN)
		s := sighting{Price: price, SKU: cmp.Or(offer.Text("sku"), item.Text("sku"), item.Text("productID")), Facts: &own,
			URL: cmp.Or(offer.Text("url"), item.Text("url")), Stock: stockOf(offer.Text("availability"))}
		if offer.Text("sku") != "" {
			found = append(found, s)
		} else if best == nil || price.Amount < best.Price.Amount {
			best = &s
		}
	}
	if best != nil {
		found = append(found, *best)
	}
	return found
}

// offerPrice reads the price of an Offer or AggregateOffer. In structured data
// a point is one of decimals; "1.299" is a thousand elsewhere.
func offerPrice(offer *extract.Item) (extract.Price, bool) {
	text := strings.TrimSpace(cmp.Or(offer.Text("price"), offer.Text("lowPrice"), offer.Text("priceSpecification.price"), offer.Text("offers.price")))
	price := extract.Price{}
	amount, err := strconv.ParseFloat(text, 64)
	if price.Amount = amount; err != nil {
		if price, err = extract.ParsePrice(text); err != nil {
			return price, false
		}
	}
	price.Currency = strings.ToUpper(cmp.Or(offer.Text("priceCurrency"), offer.Text("priceSpecification.priceCurrency"), offer.Text("offers.priceCurrency"), price.Currency))
	return price, true
}

// stockOf reads an ItemAvailability of schema.org.
func stockOf(availability string) stock {
	switch {
	case hasWord(schemaIn, availability):
		return inStock
	case hasWord(schemaNo, availability):
		return soldOut
	}
	return unknown
}

// hasWord says whether a list of words holds the end of an address, as InStock
// of https://schema.org/InStock.
func hasWord(list, address string) bool {
	word := address[strings.LastIndexByte(address, '/')+1:]
	return word != "" && strings.Contains(" "+list, " "+word+" ")
}
