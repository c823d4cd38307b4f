package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/chrome"
)

const endless = `<!doctype html><title>List</title><ul></ul>
<style>li { height: 60vh }</style>
<script>
let n = 0
const more = () => {
	for (let i = 0; i < 3 && n < 9; i++) document.querySelector("ul").insertAdjacentHTML("beforeend", "<li><b>item " + ++n + "</b>")
}
more()
addEventListener("scroll", () => { if (scrollY + innerHeight > document.body.scrollHeight - 50) setTimeout(more, 50) })
</script>`

func TestScroll(t *testing.T) {
	if _, err := chrome.Find(); err != nil && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, endless)
	}))
	defer site.Close()
	// Addresses of this machine are only visited when that is asked for; so is a browser that runs as root.
	browser := &chrome.Fetcher{UserAgent: userAgent, Via: &crawler.HTTP{UserAgent: userAgent, AllowPrivate: true}, NoSandbox: os.Getuid() == 0}
	shown := output(t, func() error { return scroll(t.Context(), site.URL+"/", browser) })
	if n := strings.Count(shown, "item "); n != 9 || !strings.Contains(shown, "map[item:item 9]") {
		t.Errorf("%d items:\n%s", n, shown)
	}
}

// output runs f and returns what it prints.
func output(t *testing.T, f func() error) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout := os.Stdout
	os.Stdout = w
	err = f()
	os.Stdout = stdout
	w.Close()
	text, _ := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
