package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/chrome/action"
	"github.com/webquarry/quarry/crawler/extract"
)

// shopList is the file of -shops: which shops are watched, how their pages are
// made ready and read, and how their currencies compare.
type shopList struct {
	Currency string             `yaml:"currency"` // that prices are compared in; EUR
	Rates    map[string]float64 `yaml:"rates"`    // what one unit of another is in it
	Shops    []*shop            `yaml:"shops"`
}

// shop is one shop: seeds, chains and a schema. Only name and seeds are needed.
type shop struct {
	Name     string          `yaml:"name"`
	Seeds    []string        `yaml:"seeds"`    // where its products are listed
	Skip     []string        `yaml:"skip"`     // globs of pages that are not visited; see crawler.Include
	Currency string          `yaml:"currency"` // of prices that name none
	Chrome   []*chromeRule   `yaml:"chrome"`   // pages that need a browser; the first that fits counts, all others come by HTTP
	Schema   *extract.Schema `yaml:"schema"`   // how products are read; without: JSON-LD and microdata

	schema *extract.Typed[record]
	follow crawler.Follow
}

const (
	maxShops     = 1 << 20 // bytes of the file
	homeCurrency = "EUR"
)

//go:embed shops.yaml
var bundledShops []byte

// readShops reads a file of shops. The error is one line that names the file
// and, where the text is wrong, line and column.
func readShops(name string) (*shopList, []byte, error) {
	f, err := os.Stat(name)
	if err != nil {
		return nil, nil, err
	}
	if f.Size() > maxShops {
		return nil, nil, fmt.Errorf("%s: %d bytes of at most %d", name, f.Size(), maxShops)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, err
	}
	l, err := parseShops(text)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return l, text, nil
}

// parseShops reads shops in YAML, and checks them.
func parseShops(text []byte) (l *shopList, err error) {
	defer func() { // of a text that the YAML library chokes on
		if v := recover(); v != nil {
			l, err = nil, fmt.Errorf("yaml: %v", v)
		}
	}()
	l = new(shopList)
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // of some editors
	if err := yaml.UnmarshalWithOptions(text, l, yaml.Strict()); err != nil {
		return nil, located(err)
	}
	return l, l.check()
}

// located is an error of the YAML library in one line.
func located(err error) error {
	if own, ok := errors.AsType[*action.DecodeError](err); ok {
		return fmt.Errorf("line %d, column %d: %s: %w", own.Line, own.Column, own.Path, own.Err)
	}
	if own, ok := errors.AsType[*extract.SchemaError](err); ok && own.Line > 0 {
		return fmt.Errorf("line %d, column %d: schema: %w", own.Line, own.Column, own.Err)
	}
	e, ok := errors.AsType[yaml.Error](err)
	if !ok {
		return err
	}
	if t := e.GetToken(); t != nil && t.Position != nil {
		return fmt.Errorf("line %d, column %d: %s", t.Position.Line, t.Position.Column, e.GetMessage())
	}
	return errors.New(e.GetMessage())
}

var currencyCode = regexp.MustCompile(`^[A-Z]{3}$`)

func (l *shopList) check() error {
	l.Currency = cmp.Or(l.Currency, homeCurrency)
	for _, code := range append(slices.Sorted(maps.Keys(l.Rates)), l.Currency) {
		rate, given := l.Rates[code]
		switch {
		case !currencyCode.MatchString(code):
			return fmt.Errorf("currency %q: want three capital letters, as EUR", code)
		case given && !(rate > 0 && rate < math.MaxFloat32):
			return fmt.Errorf("rates: %s: want what one %s is in %s, not %v", code, code, l.Currency, rate)
		}
	}
	if len(l.Shops) == 0 {
		return errors.New("there are no shops in it")
	}
	names := map[string]bool{}
	for i, s := range l.Shops {
		if s == nil || s.Name == "" {
			return fmt.Errorf("shop %d has no name", i+1)
		}
		if names[s.Name] {
			return fmt.Errorf("shop %q stands twice", s.Name)
		}
		names[s.Name] = true
		if err := s.check(); err != nil {
			return fmt.Errorf("shop %q: %w", s.Name, err)
		}
	}
	return nil
}

func (s *shop) check() error {
	if len(s.Seeds) == 0 {
		return errors.New("no seeds")
	}
	for _, seed := range s.Seeds {
		u, err := url.Parse(seed)
		if err != nil || u.Host == "" || !strings.EqualFold(u.Scheme, "http") && !strings.EqualFold(u.Scheme, "https") {
			return fmt.Errorf("seed %q: want an http or https URL", seed)
		}
	}
	if s.Currency != "" && !currencyCode.MatchString(s.Currency) {
		return fmt.Errorf("currency %q: want three capital letters, as EUR", s.Currency)
	}
	for i, r := range s.Chrome {
		if r == nil || len(r.URLs) == 0 {
			return fmt.Errorf("chrome: rule %d names no urls", i+1)
		}
		r.fits = crawler.Include(crawler.Any, r.URLs...)
	}
	s.follow = crawler.SkipFiles(crawler.Exclude(crawler.SameHost(s.Seeds...), s.Skip...))
	if s.Schema == nil {
		return nil
	}
	var err error
	if s.schema, err = extract.Into[record](s.Schema); err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	for _, needed := range []string{"name", "price"} {
		if !s.asks(needed) {
			return fmt.Errorf("schema: no field %q", needed)
		}
	}
	return nil
}

// reads says whether the schema is for a page.
func (s *shop) reads(u string) bool {
	if len(s.Schema.URLs) == 0 {
		return true
	}
	_, ok := crawler.Include(crawler.Any, s.Schema.URLs...)(nil, crawler.Link{URL: u})
	return ok
}

// asks says whether the schema has a field.
func (s *shop) asks(field string) bool {
	return slices.ContainsFunc(s.Schema.Fields, func(f extract.Field) bool { return strings.EqualFold(f.Name, field) })
}

// rates are those of the file.
func (l *shopList) rates() rates { return rates{l.Currency, l.Rates} }

// of returns the shop of a URL, or nil.
func (l *shopList) of(u string) *shop {
	for _, s := range l.Shops {
		if _, ok := s.follow(&crawler.Page{}, crawler.Link{URL: u}); ok {
			return s
		}
	}
	return nil
}

// follow keeps each shop to itself.
func (l *shopList) follow(from *crawler.Page, link crawler.Link) (float64, bool) {
	s := l.of(from.URL)
	if s == nil {
		return 0, false
	}
	return s.follow(from, link)
}

func (l *shopList) seeds() (all []string) {
	for _, s := range l.Shops {
		all = append(all, s.Seeds...)
	}
	return all
}

// without is the list without some shops.
func (l *shopList) without(names []string) *shopList {
	kept := *l
	kept.Shops = slices.DeleteFunc(slices.Clone(l.Shops), func(s *shop) bool { return slices.Contains(names, s.Name) })
	return &kept
}
