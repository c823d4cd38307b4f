package job_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/webquarry/quarry/crawler/chrome"
	"github.com/webquarry/quarry/crawler/job"
)

// TestChain: what a chain does on the pages of its globs is read, others come by HTTP.
func TestChain(t *testing.T) {
	t.Parallel()
	if _, err := chrome.Find(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("no browser: ", err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, `<title>Kettles</title><div id=list></div><button class=more>More</button><script>
let n = 0; document.querySelector('.more').onclick = e => { for (let i = 0; i < 3; i++, n++)
	document.querySelector('#list').insertAdjacentHTML('beforeend', '<a class=item href="/p/' + n + '">kettle ' + n + '</a> ');
if (n >= 9) e.target.remove() }</script>`)
		case "/robots.txt":
			http.NotFound(w, r)
		default:
			fmt.Fprintf(w, `<title>One</title><h1>kettle %s</h1><p class=price>€%s0</p>`, strings.TrimPrefix(r.URL.Path, "/p/"), strings.TrimPrefix(r.URL.Path, "/p/"))
		}
	}))
	defer s.Close()
	dir := create(t, `
seeds: `+s.URL+`/
user-agent: acme/1.0 (+https://acme.example/bot)
pace: {delay: 0s}
fetch: {allow-private: true}
chains:
  - urls: `+s.URL+`/
    steps:
      - click-while: {css: button.more, max: 10}
extract:
  - urls: [/p/*]
    fields: {name: h1, price: {css: .price, type: price}}
output: {records: records.jsonl}
`)
	j := open(t, dir, job.Options{})
	if err := j.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := table(t, j); len(got) != 9 || got["kettle 8"] != "80" {
		t.Errorf("%v, %+v", got, j.Status().Run)
	}
}
