package urlnorm_test

import (
	"errors"
	"fmt"

	"github.com/webquarry/quarry/crawler/urlnorm"
)

func ExampleURL() {
	for _, ref := range []string{"../caf%c3%a9/?utm_source=feed#menu", "HTTP://Example.COM:80/%7Ejo;jsessionid=1A2B", "/a%2fb//c"} {
		u, _ := urlnorm.URL("http://example.com/dir/page.html", ref)
		fmt.Println(u)
	}
	_, err := urlnorm.URL("", "mailto:jo@example.com")
	fmt.Println(errors.Is(err, urlnorm.ErrScheme), err)
	// Output:
	// http://example.com/caf%C3%A9/
	// http://example.com/~jo
	// http://example.com/a%2Fb//c
	// true urlnorm: "mailto:jo@example.com": not an http or https URL
}

func ExampleURLIn() {
	u, _ := urlnorm.URLIn("http://example.com/", "/поиск?q=мёд", "windows-1251")
	fmt.Println(u)
	// Output: http://example.com/%D0%BF%D0%BE%D0%B8%D1%81%D0%BA?q=%EC%B8%E4
}

func ExampleProfile() {
	p := urlnorm.Profile{
		Fragments: urlnorm.KeepRoutes, // for a site that shows its pages by script
		SortQuery: true,               // for one that does not mind
		Drop:      []string{"from", "ab_*"},
	}
	u, _ := p.URL("", "http://app.example.com/?b=2&from=mail&ab_test=7&a=1#/inbox/3")
	fmt.Println(u)
	// Output: http://app.example.com/?a=1&b=2#/inbox/3
}

func ExampleError() {
	_, err := urlnorm.URL("", "http://256.0.0.1/")
	if e, ok := errors.AsType[*urlnorm.Error](err); ok {
		fmt.Println(e.URL, errors.Is(err, urlnorm.ErrInvalid))
	}
	// Output: http://256.0.0.1/ true
}

func ExampleHost() {
	fmt.Println(urlnorm.Host("https://Bücher.example:8443/x"))
	// Output: xn--bcher-kva.example
}

func ExampleOrigin() {
	fmt.Println(urlnorm.Origin("https://example.com:443/x"), urlnorm.Origin("http://example.com:8080/"))
	// Output: https://example.com http://example.com:8080
}

func ExampleSite() {
	for _, u := range []string{"http://www.shop.example.co.uk/", "http://jo.github.io/", "http://127.0.0.1:8080/"} {
		fmt.Println(urlnorm.Site(u))
	}
	// Output:
	// example.co.uk
	// jo.github.io
	// 127.0.0.1
}

func ExampleSURT() {
	fmt.Println(urlnorm.SURT("http://www.Example.com:80/Goo/?b&a=1"))
	// Output: com,example)/goo?a=1&b
}
