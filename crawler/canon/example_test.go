package canon_test

import (
	"errors"
	"fmt"

	"github.com/webquarry/quarry/crawler/canon"
)

func ExampleURL() {
	for _, ref := range []string{"../caf%c3%a9/?utm_source=feed#menu", "HTTP://Example.COM:80/%7Ejo;jsessionid=1A2B", "/a%2fb//c"} {
		u, _ := canon.URL("http://example.com/dir/page.html", ref)
		fmt.Println(u)
	}
	_, err := canon.URL("", "mailto:jo@example.com")
	fmt.Println(errors.Is(err, canon.ErrScheme), err)
	// Output:
	// http://example.com/caf%C3%A9/
	// http://example.com/~jo
	// http://example.com/a%2Fb//c
	// true canon: "mailto:jo@example.com": not an http or https URL
}

func ExampleURLIn() {
	u, _ := canon.URLIn("http://example.com/", "/поиск?q=мёд", "windows-1251")
	fmt.Println(u)
	// Output: http://example.com/%D0%BF%D0%BE%D0%B8%D1%81%D0%BA?q=%EC%B8%E4
}

func ExampleProfile() {
	p := canon.Profile{
		Fragments: canon.KeepRoutes, // for a site that shows its pages by script
		SortQuery: true,             // for one that does not mind
		Drop:      []string{"from", "ab_*"},
	}
	u, _ := p.URL("", "http://app.example.com/?b=2&from=mail&ab_test=7&a=1#/inbox/3")
	fmt.Println(u)
	// Output: http://app.example.com/?a=1&b=2#/inbox/3
}

func ExampleError() {
	_, err := canon.URL("", "http://256.0.0.1/")
	if e, ok := errors.AsType[*canon.Error](err); ok {
		fmt.Println(e.URL, errors.Is(err, canon.ErrInvalid))
	}
	// Output: http://256.0.0.1/ true
}

func ExampleHost() {
	fmt.Println(canon.Host("https://Bücher.example:8443/x"))
	// Output: xn--bcher-kva.example
}

func ExampleOrigin() {
	fmt.Println(canon.Origin("https://example.com:443/x"), canon.Origin("http://example.com:8080/"))
	// Output: https://example.com http://example.com:8080
}

func ExampleSite() {
	for _, u := range []string{"http://www.shop.example.co.uk/", "http://jo.github.io/", "http://127.0.0.1:8080/"} {
		fmt.Println(canon.Site(u))
	}
	// Output:
	// example.co.uk
	// jo.github.io
	// 127.0.0.1
}

func ExampleSURT() {
	fmt.Println(canon.SURT("http://www.Example.com:80/Goo/?b&a=1"))
	// Output: com,example)/goo?a=1&b
}
