package extract

import (
	"testing"
	"time"
)

// TestNumbersOfTheWorld has numbers as people write them, and words that hold one.
func TestNumbersOfTheWorld(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Price{
		"$.99":        {0.99, "USD"},
		"Rs.500":      {500, ""},
		"１２９９円":       {1299, "JPY"},
		"￥１，９８０":      {1980, "JPY"},
		"٢٥٠ ر.س":     {250, ""},
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
