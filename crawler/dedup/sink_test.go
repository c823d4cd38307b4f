package dedup

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/webquarry/quarry/crawler"
)

// TestSinkOneTitle: pages under one title that share no more than their menus are
// not one, from the first on, and copies of them that were edited are.
func TestSinkOneTitle(t *testing.T) {
	t.Parallel()
	for _, size := range []int{50, 80, 120, 150, 250} {
		r := rand.New(rand.NewPCG(7, uint64(size)))
		menu := strings.Join(words(r, 300), " ")
		groups := make(map[string]string)
		sink := &Sink{Index: New(Options{}), Next: func(_ context.Context, page *crawler.Page, m Match) error {
			if m.Kind != Unique {
				groups[page.URL] = m.Group
			}
			return nil
		}}
		var last []string
		put := func(url string, own []string) {
			page := &crawler.Page{URL: url, Title: "A long thread", Text: menu + "\n" + strings.Join(own, " ") + "\n"}
			if err := sink.Put(t.Context(), fresh(page)); err != nil {
				t.Fatal(err)
			}
		}
		for n := range 50 {
			last = words(r, size)
			put(fmt.Sprintf("http://a.test/thread?page=%d", n), last)
		}
		if len(groups) > 0 {
			t.Errorf("%d words a page: joined %v", size, groups)
		}
		put("http://a.test/print?page=49", edited(r, last, 0.1))
		if want := size >= titledWords; (groups["http://a.test/print?page=49"] != "") != want {
			t.Errorf("%d words: the copy is of %q", size, groups["http://a.test/print?page=49"])
		}
	}
}

// fresh is what a Sink gets of a page that it does not have.
func fresh(page *crawler.Page) *crawler.Result {
	return &crawler.Result{Kind: crawler.New, URL: page.URL, Page: page}
}
