package crawlertest_test

import (
	"fmt"
	"log"
	"net/http"

	"github.com/webquarry/quarry/crawler/crawlertest"
)

func ExampleWeb() {
	web, err := crawlertest.Parse(`
-- http://a.test/ --
<a href="/old">old</a>
-- http://a.test/old --
HTTP 301
Location: /new
-- http://a.test/new --
<title>New</title>
`)
	if err != nil {
		log.Fatal(err)
	}
	client := &http.Client{Transport: web}
	resp, err := client.Get("http://a.test/old")
	if err != nil {
		log.Fatal(err)
	}
	resp.Body.Close()
	for _, r := range web.Requests() {
		fmt.Println(r.URL)
	}
	_, err = client.Get("http://a.test/typo")
	fmt.Println(err)
	// Output:
	// http://a.test/old
	// http://a.test/new
	// Get "http://a.test/typo": crawlertest: no page http://a.test/typo
}
