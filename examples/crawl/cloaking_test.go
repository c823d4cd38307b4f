package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestCloaking: some pages are asked for as a browser too, and none is lost or
// written twice.
func TestCloaking(t *testing.T) {
	t.Parallel()
	const browser = "Mozilla/5.0 Browser/1.0"
	web, args := site(t, strings.ReplaceAll(chain(12), "<title>", "<p>"+strings.Repeat("one page after another ", 10)+"<title>"))
	if got := crawled(t, append(args, "-traps=false", "-cloaking", browser)); len(got) != 12 {
		t.Errorf("%d pages: %q", len(got), got)
	}
	as := map[string]int{}
	for _, r := range web.Requests() {
		as[r.Header.Get("User-Agent")]++
		if strings.Contains(r.URL, "#") {
			t.Error(r.URL)
		}
	}
	if as[browser] != 4 || len(as) != 2 { // the first page, the second, fourth and eighth
		t.Error(fmt.Sprint(as))
	}
}
