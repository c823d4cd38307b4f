package cloaking

import (
	"strings"
	"testing"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/frontier"
)

// TestFewWords: a page with too few words to compare leaves its turn to the next.
func TestFewWords(t *testing.T) {
	t.Parallel()
	front := frontier.New(frontier.Options{})
	defer front.Close()
	c := Check{Frontier: front, As: "browser"}
	for i, text := range []string{"Hello.", "Welcome.", strings.Repeat("What a page says at length. ", 10)} {
		if err := c.read(t.Context(), &crawler.Page{Text: text}, frontier.Request{URL: "http://a.test/"}); err != nil {
			t.Fatal(err)
		}
		if asked := c.hosts["http://a.test"].asked; asked != i/2 {
			t.Errorf("after page %d: %d comparisons", i, asked)
		}
	}
}
