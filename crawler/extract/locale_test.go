package extract

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestNumbersOfTheWorld has numbers as people write them, and words that hold one.
func TestNumbersOfTheWorld(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Price{
		"$.99":        {0.99, "USD"},
		"Rs.500":      {500, "INR"},
		"１２９９円":       {1299, "JPY"},
		"￥１，９８０":      {1980, "JPY"},
		"٢٥٠ ر.س":     {250, "SAR"},
		"١٬٢٩٩٫٥٠":    {1299.5, ""},
		"१२३":         {123, ""},
		"1\u2007299":  {1299, ""},
		"COVID-19":    {19, ""},
		"iPhone-15":   {15, ""},
		"€ -5":        {-5, "EUR"},
		"1234,567":    {1234.567, ""},
		"-1,299":      {-1299, ""},
		"1,00,000.00": {100000, ""},
	} {
		if got, err := ParsePrice(text); err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
}

// TestPricesOfShops has prices whose amount was wrong by a factor of a hundred, whose
// currency was another one, or whose number was not the one at the sign.
func TestPricesOfShops(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Price{
		// Decimals that begin with a point, or stand apart.
		".75 €": {0.75, "EUR"}, "€ .75": {0.75, "EUR"}, ".99 USD": {0.99, "USD"}, "-.5 €": {-0.5, "EUR"}, "€ ,75": {0.75, "EUR"}, ".5": {0.5, ""}, "from .5 £": {0.5, "GBP"},
		"118, 99 €": {118.99, "EUR"}, "1.837, 32 €": {1837.32, "EUR"}, "$119. 95": {119.95, "USD"}, "35€ 99": {35.99, "EUR"}, "35€99": {35.99, "EUR"}, "35 € 99": {35.99, "EUR"}, "$35 99": {35.99, "USD"}, "36. 24": {36.24, ""},
		"5€ 10€": {5, "EUR"}, "5 € 10 pieces": {5, "EUR"}, "$5 10 pack": {5, "USD"}, "5€, 20 % off": {5, "EUR"}, "Sizes 10, 20: 5 €": {5, "EUR"}, "$119. 95 people bought it": {119, "USD"},
		// Hundredths.
		"99¢": {0.99, "USD"}, "99 ¢": {0.99, "USD"}, "50p": {0.5, "GBP"}, "1080p": {1080, ""}, "75 cents": {0.75, ""}, "GBp 150": {1.5, "GBP"},
		// Currencies.
		"RD$ 100": {100, "DOP"}, "J$ 500": {500, "JMD"}, "TT$20": {20, "TTD"}, "AR$ 5": {5, "ARS"}, "AU $5": {5, "AUD"}, "QX$5": {5, ""}, "SALE$5": {5, "USD"}, "A $5 gift": {5, "USD"}, "U$S 20": {20, "USD"}, "$U 20": {20, "UYU"},
		"250 lei": {250, "RON"}, "1 250 грн": {1250, "UAH"}, "69,50 TL": {69.5, "TRY"}, "Rp 31.500": {31500, "IDR"}, "12,000원": {12000, "KRW"}, "1 030 р.": {1030, "RUB"}, "1128240 рублей": {1128240, "RUB"}, "45,00 Zł": {45, "PLN"},
		"12.000đ": {12000, "VND"}, "RM 12.90": {12.9, "MYR"}, "Rs. 1,500": {1500, "INR"}, "¥99元": {99, "CNY"}, "SGD$4.90": {4.9, "SGD"}, "$ SGD4.90": {4.9, "SGD"}, "USD £54.17": {54.17, "GBP"}, "423.923 KD": {423.923, "KWD"},
		"R 8,499": {8499, "ZAR"}, "R273.00": {273, "ZAR"}, "pln 5": {5, "PLN"}, "TLC 5": {5, ""}, "16.00 ft": {16, ""}, "5 kr": {5, ""}, "5 FCFA": {5, ""},
		"ALL ITEMS $5": {5, "USD"}, "TRY NOW £5.00": {5, "GBP"}, "TOP 10: £5": {5, "GBP"}, "TRY 5": {5, "TRY"}, "ALL 10 ITEMS £3": {3, "GBP"}, "NOW 5": {5, ""},
		// Which number is the price.
		"2 for $5": {5, "USD"}, "3 for 5 €": {5, "EUR"}, "Save 20% £8.00": {8, "GBP"}, "20% off 8.00": {8, ""}, "12x de R$ 44,00": {44, "BRL"}, "5-10 €": {5, "EUR"}, "5 – 10 €": {5, "EUR"}, "$5 - $10": {5, "USD"},
		"AED 8000 (USD 2179)": {8000, "AED"}, "100 USD (£80)": {100, "USD"}, "iPhone 15, 256 GB: 999 €": {999, "EUR"}, "50 - $2.00 100 - $2.75": {2, "USD"}, "2020 299 €": {299, "EUR"}, "1 299 €": {1299, "EUR"},
		"€: 12.50": {12.5, "EUR"}, "Price in € incl. VAT 12.50": {12.5, "EUR"},
	} {
		if got, err := ParsePrice(text); err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
}

// TestPricesAreCheap has texts of which the time could grow with the square.
func TestPricesAreCheap(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"$1 ", "$", "1 ", "1,", "USD", "US$", "€.", "¢", "1€1", "$ 1. 11 "} {
		begin := time.Now()
		_, _ = ParsePrice(strings.Repeat(part, 1<<20))
		if took := time.Since(begin); took > 5*time.Second {
			t.Errorf("%q: %v", part, took)
		}
	}
}

// TestPriceParser reads the prices of the tests of another project.
func TestPriceParser(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("testdata/price-parser.tsv")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for row := range strings.Lines(string(b)) {
		f := strings.Split(strings.TrimSuffix(row, "\n"), "\t")
		amount, err := strconv.ParseFloat(f[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := ParsePrice(f[0]); err != nil || got != (Price{amount, f[2]}) {
			t.Errorf("%q: %v, %v, want %v %s", f[0], got, err, amount, f[2])
		}
		n++
	}
	if n < 800 {
		t.Errorf("only %d prices", n)
	}
}

// TestPriceRoundTrip writes random amounts in the ways of many countries, with
// other numbers and capitals around them, and reads them again.
func TestPriceRoundTrip(t *testing.T) {
	t.Parallel()
	signs := []struct{ before, after, code string }{
		{"$", "", "USD"}, {"US$ ", "", "USD"}, {"RD$", "", "DOP"}, {"TT$ ", "", "TTD"}, {"R$ ", "", "BRL"}, {"£", "", "GBP"}, {"€ ", "", "EUR"}, {"", " €", "EUR"}, {"", "€", "EUR"}, {"CHF ", "", "CHF"}, {"", " EUR", "EUR"},
		{"", " zł", "PLN"}, {"", " Kč", "CZK"}, {"", " lei", "RON"}, {"", " грн.", "UAH"}, {"", " руб.", "RUB"}, {"Rp ", "", "IDR"}, {"RM", "", "MYR"}, {"Rs. ", "", "INR"}, {"₹", "", "INR"}, {"", " TL", "TRY"}, {"", "원", "KRW"}, {"KWD ", "", "KWD"},
	}
	groups := []struct{ thousand, decimal string }{{",", "."}, {".", ","}, {" ", ","}, {"\u00a0", "."}, {"'", "."}, {"", "."}, {"", ","}}
	around := []string{"%s", "Price: %s", "Save 20%% %s", "2 for %s", "ALL ITEMS %s", "TRY NOW: %s", "12x de %s", "Item 7: %s", "%s *", "%s / 100 g", "Was %s, 5 left", "(%s)"}
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 1_000 {
		cents := rnd.Int64N([]int64{100, 10_000, 1_000_000, 1_000_000_000}[rnd.IntN(4)])
		whole, g := strconv.FormatInt(cents/100, 10), groups[rnd.IntN(len(groups))]
		for i := len(whole) - 3; i > 0; i -= 3 {
			whole = whole[:i] + g.thousand + whole[i:]
		}
		if whole == "0" && g.decimal == "." && rnd.IntN(2) == 0 {
			whole = ""
		}
		s := signs[rnd.IntN(len(signs))]
		if whole == "" && (s.before == "Rs. " || s.before == "RM") {
			continue
		}
		text := fmt.Sprintf(around[rnd.IntN(len(around))], s.before+whole+g.decimal+fmt.Sprintf("%02d", cents%100)+s.after)
		want := Price{float64(cents) / 100, s.code}
		if got, err := ParsePrice(text); err != nil || math.Abs(got.Amount-want.Amount) > 1e-9*want.Amount || got.Currency != want.Currency {
			t.Fatalf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
}

// TestTimesThatNameAZone, and a date behind what only looks like one.
func TestTimesThatNameAZone(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Mon, 02 Jan 2006 15:04:05 EST":               "2006-01-02T20:04:05Z",
		"2024-03-03 10:00:00 PST":                     "2024-03-03T18:00:00Z",
		"2024-07-03 10:00:00 CEST":                    "2024-07-03T08:00:00Z",
		"Mon, 02 Jan 2006 15:04:05 GMT":               "2006-01-02T15:04:05Z",
		"15 May 2004 23:24 EDT":                       "2004-05-16T03:24:00Z",
		"2004-05-15T23:24:00 EST":                     "2004-05-16T04:24:00Z",
		"15 May 2004 23:24 GMT+2":                     "2004-05-15T21:24:00Z",
		"15 May 2004 23:24 BST":                       "2004-05-15T22:24:00Z",
		"8:25 a.m. Dec. 12, 2014":                     "2014-12-12T08:25:00Z",
		"Version 2 beta 2024, published 3 March 2024": "2024-03-03T00:00:00Z",
	} {
		if got, err := ParseTime(text); err != nil || got.UTC().Format(time.RFC3339) != want {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
}
