package extract

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/currency"
)

// Price is an amount of money.
type Price struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency,omitempty"` // ISO 4217; empty when the text does not tell
}

// number finds what looks like a number: digits in groups, with signs that
// part groups or decimals. The spaces are those that part thousands.
var number = regexp.MustCompile(`[-−+]?\d+(?:[.,'’ \x{a0}\x{2007}\x{2009}\x{202f}]\d+)*`)

// parseInt reads the first number of a text, which has to be a whole one.
func parseInt(s string) (any, error) {
	f, err := firstNumber(s, false)
	if err != nil {
		return nil, err
	}
	if f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return nil, fmt.Errorf("%q is no whole number", clip(s, 40))
	}
	return int64(f), nil
}

func parseFloat(s string) (any, error) { return orNil(firstNumber(s, false)) }

// firstNumber reads the first number of a text. thousandths says that three
// digits after a single comma or point are decimals.
func firstNumber(s string, thousandths bool) (float64, error) {
	if f, err := strconv.ParseFloat(s, 64); err == nil && !math.IsInf(f, 0) && !math.IsNaN(f) && plain(s) {
		return f, nil
	}
	m := findNumber(strings.Map(westernDigit, s))
	if m == "" {
		return 0, fmt.Errorf("%q holds no number", clip(s, 40))
	}
	f, err := strconv.ParseFloat(normal(m, thousandths), 64)
	if err != nil || math.IsInf(f, 0) {
		return 0, fmt.Errorf("%q is no number", clip(m, 40))
	}
	return f, nil
}

// westernDigit gives the digits and marks of other scripts, and those as wide as
// a Chinese character, as ASCII has them.
func westernDigit(r rune) rune {
	switch {
	case r < 0x80:
		return r
	case r == '٫', r == '．':
		return '.'
	case r == '٬', r == '，':
		return ','
	case unicode.Is(unicode.Nd, r): // ten in a row, the zero first, wherever a script has them
		zero := r
		for r-zero < 9 && unicode.Is(unicode.Nd, zero-1) && (zero-1)&0xf != 0xf {
			zero--
		}
		return '0' + r - zero
	}
	return r
}

// findNumber returns the first number. A hyphen in a word is no sign, as in
// COVID-19, and a point before it may be one of decimals, as in $.99.
func findNumber(s string) string {
	at := number.FindStringIndex(s)
	if at == nil {
		return ""
	}
	m := s[at[0]:at[1]]
	before, size := utf8.DecodeLastRuneInString(s[:at[0]])
	switch {
	case strings.Trim(m[:1], "0123456789") != "" && (unicode.IsLetter(before) || unicode.IsDigit(before)):
		return strings.TrimLeft(m, "-−+")
	case before == '.' && !strings.ContainsAny(m, "-+., "):
		if r, _ := utf8.DecodeLastRuneInString(s[:at[0]-size]); unicode.Is(unicode.Sc, r) {
			return "0." + m
		}
	}
	return m
}

// plain reports whether a text is a number as programs write them and not one
// of a thousand with a point: "1.250" in a page is more often 1,250.
func plain(s string) bool {
	whole, decimals, _ := strings.Cut(s, ".")
	return len(decimals) != 3 || strings.Trim(whole, "-+0") == "" || len(whole) > 3
}

// normal makes a number as written in some country one that strconv reads. The
// last point or comma parts decimals, unless it stands there several times, or
// three digits follow and nothing says that they are decimals.
func normal(s string, thousandths bool) string {
	s = cutSpaces(s)
	s = strings.NewReplacer("−", "-", "'", "", "’", "").Replace(s)
	last := strings.LastIndexAny(s, ".,")
	if last < 0 {
		return s
	}
	mark := s[last : last+1]
	other := map[string]string{".": ",", ",": "."}[mark]
	whole, decimals := s[:last], s[last+1:]
	grouped := strings.Contains(whole, mark) ||
		len(decimals) == 3 && !strings.Contains(whole, other) && len(strings.TrimLeft(whole, "-+")) <= 3 && strings.Trim(whole, "-+0") != "" && !thousandths
	if grouped {
		whole, decimals = whole+decimals, ""
	}
	whole = strings.NewReplacer(".", "", ",", "").Replace(whole)
	return whole + "." + decimals
}

// cutSpaces takes out spaces between groups of three digits, and whatever
// comes after a space that is none of these.
func cutSpaces(s string) string {
	parts := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == 0xa0 || r == 0x2007 || r == 0x2009 || r == 0x202f })
	out := parts[0]
	for _, p := range parts[1:] {
		digits := strings.IndexAny(p, ".,")
		if digits < 0 {
			digits = len(p)
		}
		if digits != 3 || strings.ContainsAny(out, ".,") {
			break
		}
		out += p
	}
	return out
}

// symbols are signs of currencies, longer ones first. What several countries
// write alike, as kr, is not there.
var symbols = []struct{ sign, code string }{
	{"US$", "USD"}, {"CA$", "CAD"}, {"AU$", "AUD"}, {"NZ$", "NZD"}, {"HK$", "HKD"}, {"NT$", "TWD"}, {"MX$", "MXN"},
	{"R$", "BRL"}, {"C$", "CAD"}, {"A$", "AUD"}, {"S$", "SGD"}, {"CN¥", "CNY"},
	{"€", "EUR"}, {"£", "GBP"}, {"¥", "JPY"}, {"￥", "JPY"}, {"円", "JPY"}, {"元", "CNY"}, {"₹", "INR"}, {"₽", "RUB"}, {"руб", "RUB"},
	{"₩", "KRW"}, {"₺", "TRY"}, {"₴", "UAH"}, {"₫", "VND"}, {"฿", "THB"}, {"₪", "ILS"}, {"₦", "NGN"}, {"₱", "PHP"},
	{"zł", "PLN"}, {"Kč", "CZK"}, {"Ft", "HUF"}, {"лв", "BGN"}, {"$", "USD"}, {"Fr.", "CHF"},
}

var isoCode = regexp.MustCompile(`(?:^|[^A-Za-z])([A-Z]{3})(?:[^A-Za-z]|$)`)

// ParsePrice reads a price as shops write them: "$1,299.90", "1.299,90 €",
// "CHF 1'299.–", "12 500 Kč". A point or comma before three digits parts
// thousands, but for currencies with three decimals. The sign $ alone counts as
// USD and ¥ as JPY; for kr no currency is given.
func ParsePrice(s string) (Price, error) {
	code := currencyOf(s)
	amount, err := firstNumber(s, thousandths(code))
	if err != nil {
		return Price{}, err
	}
	return Price{amount, code}, nil
}

func currencyOf(s string) string {
	for _, m := range isoCode.FindAllStringSubmatch(s, 4) {
		if u, err := currency.ParseISO(m[1]); err == nil {
			return u.String()
		}
	}
	for _, c := range symbols {
		if strings.Contains(s, c.sign) {
			return c.code
		}
	}
	return ""
}

func thousandths(code string) bool {
	u, err := currency.ParseISO(cmp.Or(code, "EUR"))
	if err != nil {
		return false
	}
	scale, _ := currency.Standard.Rounding(u)
	return scale == 3
}
