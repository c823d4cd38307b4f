package extract

import (
	"fmt"
	"testing"
	"time"
)

func TestParsePrice(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"$1,299.90": "1299.9 USD", "1.299,90 €": "1299.9 EUR", "1 299,90 €": "1299.9 EUR", "1\u00a0299,90\u202f€": "1299.9 EUR", "€ 12": "12 EUR", "EUR 12.50": "12.5 EUR",
		"CHF 1'299.–": "1299 CHF", "Fr. 1’299.50": "1299.5 CHF", "12 500 Kč": "12500 CZK", "¥1,200": "1200 JPY", "1,200円": "1200 JPY", "£0.999": "0.999 GBP",
		"R$ 1.234,56": "1234.56 BRL", "US$ 5": "5 USD", "C$5": "5 CAD", "5 kr": "5 ", "12,5 zł": "12.5 PLN", "1.234": "1234 ", "1,234": "1234 ", "1234.567": "1234.567 ",
		"12.345.678,9": "1.23456789e+07 ", "1,23,456.70 ₹": "123456.7 INR", "KWD 1.250": "1.25 KWD", "BHD 12,500": "12.5 BHD", "Was $20, now $15": "20 USD",
		"Price: 19.99 GBP incl. VAT": "19.99 GBP", "-5 €": "-5 EUR", "−5 €": "-5 EUR", "0.5": "0.5 ", "19.90": "19.9 ", "1e3": "1000 ", "3 for 5 €": "5 EUR",
		"": "!", "free": "!", "€": "!", "NEW 3": "3 ", "9" + fmt.Sprintf("%0400d", 0): "!",
	} {
		p, err := ParsePrice(s)
		got := fmt.Sprintf("%v %s", p.Amount, p.Currency)
		if err != nil {
			got = "!"
		}
		if got != want {
			t.Errorf("%q is %s (%v), want %s", s, got, err, want)
		}
	}
}

func TestParseTime(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"2024-03-05T16:07:08Z": "2024-03-05T16:07:08Z", "2024-03-05T16:07:08+0200": "2024-03-05T16:07:08+02:00", "2024-03-05T16:07:08.123456Z": "2024-03-05T16:07:08.123456Z",
		"2024-03-05T16:07": "2024-03-05T16:07:00Z", "2024-03-05 16:07:08": "2024-03-05T16:07:08Z", " 2024-03-05\n": "2024-03-05T00:00:00Z", "20240305": "2024-03-05T00:00:00Z", "2024/03/05": "2024-03-05T00:00:00Z",
		"Tue, 05 Mar 2024 16:07:08 GMT": "2024-03-05T16:07:08Z", "1709654828": "2024-03-05T16:07:08Z", "1709654828000": "2024-03-05T16:07:08Z",
		"March 5, 2024": "2024-03-05T00:00:00Z", "Mar. 5th, 2024": "2024-03-05T00:00:00Z", "5 March 2024": "2024-03-05T00:00:00Z", "5th of March, 2024": "2024-03-05T00:00:00Z", "5-Mar-2024": "2024-03-05T00:00:00Z",
		"Published on March 5th, 2024 at 4:07 pm": "2024-03-05T16:07:00Z", "March 5, 2024 12:30 AM": "2024-03-05T00:30:00Z", "5 Mar 2024 16:07:08 +0100": "2024-03-05T16:07:08+01:00", "5 Mar 2024, 16:07 UTC": "2024-03-05T16:07:00Z",
		"5. März 2024, 16.07 Uhr": "2024-03-05T16:07:00Z", "05.03.2024": "2024-03-05T00:00:00Z", "5 mars 2024 à 16h07": "2024-03-05T16:07:00Z", "1er août 2024": "2024-08-01T00:00:00Z", "5 de marzo de 2024": "2024-03-05T00:00:00Z",
		"5 dicembre 2024": "2024-12-05T00:00:00Z", "5 de março de 2024": "2024-03-05T00:00:00Z", "5 mei 2024": "2024-05-05T00:00:00Z", "2024年3月5日": "2024-03-05T00:00:00Z",
		"13/05/2024": "2024-05-13T00:00:00Z", "05/13/2024": "2024-05-13T00:00:00Z", "05/05/2024": "2024-05-05T00:00:00Z", "Last updated: 2024-3-5": "2024-03-05T00:00:00Z",
		"05/06/2024": "!", "12": "!", "2024": "!", "": "!", "yesterday": "!", "31 February 2024": "!", "5 martians 2024": "!", "0001-01-01": "!", "5 March 3024": "!", "99.99.2024": "!", "12345678901": "!", "7000000000": "!", "7000000000000": "!", "-100000000": "!",
	} {
		at, err := ParseTime(s)
		got := at.Format(time.RFC3339Nano)
		if err != nil {
			got = "!"
		}
		if got != want {
			t.Errorf("%q is %s, want %s", s, got, want)
		}
	}
}

func FuzzValues(f *testing.F) {
	f.Add("1.299,90 €")
	f.Add("from 3 to 35€ 99, U$S 5 (¥99元) .75 zł 50p")
	f.Add("March 5th, 2024 at 4:07 pm")
	f.Fuzz(func(t *testing.T, s string) {
		if at, err := ParseTime(s); err == nil && (at.Year() < 1969 || at.Year() > 2101) {
			t.Errorf("%q is %v", s, at)
		}
		if p, err := ParsePrice(s); err == nil && p.Amount != p.Amount {
			t.Errorf("%q is %v", s, p)
		}
		_, _ = parseInt(s)
		_, _ = parseBool(s)
	})
}

func TestBool(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]any{"Yes": true, "on": true, "1": true, "TRUE": true, "no": false, "0": false, "maybe": nil, "": nil} {
		if got, err := parseBool(s); got != want || (err == nil) != (want != nil) {
			t.Errorf("%q is %v (%v), want %v", s, got, err, want)
		}
	}
}
