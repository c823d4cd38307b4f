package static

import (
	"bytes"
	_ "embed"

	"github.com/webquarry/quarry/rank/linear"
)

//go:embed url.json
var urlJSON []byte

//go:embed page.json
var pageJSON []byte

// DefaultURL returns a copy of the model of URLs that is there. Its weights for the form of a URL are how much likelier than other files
// front pages and folders are to be the entry page that somebody looked for, as Kraaij, Westerveld and Hiemstra counted them (The
// Importance of Prior Probabilities for Entry Page Search, SIGIR 2002); the others are small, and set by hand.
func DefaultURL() *linear.Model { return mustRead(urlJSON) }

// DefaultPage returns a copy of the model of pages that is there. It is set by hand: English prose of some length, with a title that its text has, under
// a URL that is not long. Who has labelled pages learns a better one with [linear.Fit].
func DefaultPage() *linear.Model { return mustRead(pageJSON) }

func mustRead(text []byte) *linear.Model {
	m, err := linear.Read(bytes.NewReader(text))
	if err != nil {
		panic(err) // a test reads both
	}
	return m
}

// URLScore returns the function that scores URLs by a model of [URLNames]; nil: DefaultURL, which gives 0 to 1.
func URLScore(m *linear.Model) (func(url string) float64, error) {
	if m == nil {
		m = DefaultURL()
	}
	score, err := m.Bind(urlNames)
	if err != nil {
		return nil, err
	}
	return func(url string) float64 { return score(URLFeatures(url)) }, nil
}

// PageScore returns the function that scores pages by a model of [PageNames]; nil: DefaultPage, which gives 0 to 1.
func PageScore(m *linear.Model) (func(Page) float64, error) {
	if m == nil {
		m = DefaultPage()
	}
	score, err := m.Bind(PageNames())
	if err != nil {
		return nil, err
	}
	return func(p Page) float64 { return score(PageFeatures(p)) }, nil
}
