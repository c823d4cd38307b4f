package extract

import (
	"fmt"
	"strings"
	"time"

	"github.com/webquarry/quarry/crawler/urlnorm"
)

// convert reads a text as the type of a field.
func (f *field) convert(v found, base string) (any, error) {
	s := v.text
	switch f.Type {
	case Text, HTML:
		return s, nil
	case Int:
		return parseInt(s)
	case Float:
		return parseFloat(s)
	case Bool:
		return parseBool(s)
	case Present:
		return true, nil
	case Time:
		return f.time(s)
	case URL:
		return urlnorm.URL(base, s)
	case Money:
		price, err := ParsePrice(s)
		if price.Currency == "" {
			price.Currency = v.currency
		}
		if price.Currency == "" {
			price.Currency = f.Currency
		}
		return orNil(price, err)
	}
	return strings.Join(strings.Fields(s), " "), nil
}

// orNil returns v, or nil with an error.
func orNil[T any](v T, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return v, nil
}

func parseBool(s string) (any, error) {
	switch strings.ToLower(s) {
	case "true", "yes", "y", "on", "1":
		return true, nil
	case "false", "no", "n", "off", "0":
		return false, nil
	}
	return nil, fmt.Errorf("%q is neither true nor false", clip(s, 40))
}

func (f *field) time(s string) (any, error) {
	if len(f.Layouts) == 0 {
		return orNil(ParseTime(s))
	}
	for _, layout := range f.Layouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return nil, fmt.Errorf("%q is no time of the layouts", clip(s, 40))
}
