package extract

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/text/currency"

	"github.com/webquarry/quarry/crawler"
)

// Extractor takes the records of a schema out of pages. It never changes and
// may be used by many goroutines.
type Extractor struct {
	name   string
	urls   crawler.Follow // nil: all
	each   []rule
	fields []field
}

// field is a Field that is ready for work.
type field struct {
	Field
	rules  []rule
	fields []field
	preset any // the default, as Type; nil: none
}

// rule is a Rule that is ready for work.
type rule struct {
	css    cascadia.SelectorGroup
	xpath  *xpathQuery
	item   []string
	attr   string
	regexp *regexp.Regexp
	group  int
}

// Compile makes a schema ready for work. Whatever is wrong with it, as a
// selector that cannot be read, is a *[SchemaError].
func Compile(s *Schema) (*Extractor, error) {
	x := &Extractor{name: s.Name}
	if len(s.URLs) > 0 {
		x.urls = crawler.Include(crawler.Any, s.URLs...)
	}
	var err error
	if x.each, err = compileRules(s.Each, "each"); err != nil {
		return nil, err
	}
	c := compiler{}
	if x.fields, err = c.fields(s.Fields, ""); err != nil {
		return nil, err
	}
	return x, nil
}

// compiler counts fields.
type compiler struct{ count int }

func (c *compiler) fields(fs Fields, path string) (out []field, err error) {
	if len(fs) == 0 {
		return nil, &SchemaError{Path: path, Err: errors.New("no fields")}
	}
	if c.count += len(fs); c.count > maxFields || depth(path) > maxNested {
		return nil, &SchemaError{Path: path, Err: fmt.Errorf("more than %d fields, or nested deeper than %d", maxFields, maxNested)}
	}
	for _, f := range fs {
		at := join(path, f.Name)
		ready, err := c.field(f, at)
		if err != nil {
			return nil, f.at.in(at, err)
		}
		out = append(out, ready)
	}
	return out, nil
}

func (c *compiler) field(f Field, path string) (out field, err error) {
	out.Field = f
	if f.Name == "" {
		return out, errors.New("has no name")
	}
	rules := f.Any
	if !f.Rule.empty() {
		rules = append(Rules{f.Rule}, rules...)
	}
	if len(rules) == 0 && f.Default == nil && len(f.Fields) == 0 {
		return out, errors.New("has neither a rule nor a default")
	}
	if out.rules, err = compileRules(rules, path); err != nil {
		return out, err
	}
	if len(f.Fields) > 0 {
		if f.Type != "" || f.Default != nil {
			return out, errors.New("a record has neither type nor default")
		}
		out.fields, err = c.fields(f.Fields, path)
		return out, err
	}
	return out, out.checkType()
}

// checkType refuses what does not go with the type of a field.
func (f *field) checkType() error {
	switch f.Type {
	case "":
		f.Type = String
	case String, Text, HTML, Int, Float, Bool, Present, Time, URL, Money:
	default:
		return fmt.Errorf("type %q is not known", f.Type)
	}
	if len(f.Layouts) > 0 && f.Type != Time {
		return errors.New("layouts are for times")
	}
	if f.Currency != "" {
		if f.Type != Money {
			return errors.New("currency is for prices")
		}
		if _, err := currency.ParseISO(f.Currency); err != nil {
			return fmt.Errorf("currency %q is no code of ISO 4217", f.Currency)
		}
	}
	if f.Default == nil {
		return nil
	}
	v, err := f.convert(found{text: *f.Default}, "")
	if err != nil {
		return fmt.Errorf("default: %w", err)
	}
	if f.preset = v; f.List {
		f.preset = []any{v}
	}
	return nil
}

func compileRules(rs Rules, path string) (out []rule, err error) {
	for _, r := range rs {
		ready, err := r.compile()
		if err != nil {
			return nil, r.at.in(path, err)
		}
		out = append(out, ready)
	}
	return out, nil
}

func (r Rule) compile() (out rule, err error) {
	if r.CSS != "" && (r.XPath != "" || r.Item != "") || r.XPath != "" && r.Item != "" {
		return out, errors.New("css, xpath and item exclude each other; use any for alternatives")
	}
	if r.empty() {
		return out, errors.New("a rule needs css, xpath, item, attr or regexp")
	}
	out.attr = strings.ToLower(r.Attr)
	if r.CSS != "" {
		if out.css, err = cascadia.ParseGroup(r.CSS); err != nil {
			return out, fmt.Errorf("css %q: %w", r.CSS, err)
		}
	}
	if r.XPath != "" {
		if out.xpath, err = compileXPath(r.XPath); err != nil {
			return out, fmt.Errorf("xpath %q: %w", r.XPath, err)
		}
	}
	if r.Item != "" {
		if out.item = strings.Split(r.Item, "."); r.Attr != "" {
			return out, errors.New("attr does not go with item")
		}
	}
	return out, out.expression(r)
}

// expression compiles the regular expression of a rule.
func (out *rule) expression(r Rule) (err error) {
	if r.Regexp == "" {
		if r.Group != 0 {
			return errors.New("group without regexp")
		}
		return nil
	}
	if out.regexp, err = regexp.Compile(r.Regexp); err != nil {
		return err
	}
	out.group = r.Group
	if r.Group == 0 {
		out.group = min(1, out.regexp.NumSubexp())
	}
	if out.group < 0 || out.group > out.regexp.NumSubexp() {
		return fmt.Errorf("regexp %q has no group %d", r.Regexp, r.Group)
	}
	return nil
}

// in makes a SchemaError of err, unless it is one.
func (p place) in(path string, err error) error {
	if own, ok := errors.AsType[*SchemaError](err); ok {
		return own
	}
	return p.wrong(path, err)
}

// join appends a name to a path.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// depth is how many names a path has.
func depth(path string) int { return strings.Count(path, ".") + 1 }
