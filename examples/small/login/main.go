// Login prints the titles of pages behind a login form. The password comes from the environment.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/session"
)

const userAgent = "small/1.0 (+https://example.org/bot)" // a name, and where to complain

func main() {
	if len(os.Args) != 4 || os.Getenv("PASSWORD") == "" {
		fmt.Fprintln(os.Stderr, "usage: PASSWORD=... login FORM-URL USER PAGE")
		os.Exit(2)
	}
	fetcher := &crawler.HTTP{UserAgent: userAgent, Cookies: session.New()}
	fields := map[string]string{"user": os.Args[2], "password": os.Getenv("PASSWORD")}
	if err := titles(context.Background(), fetcher, os.Args[1], fields, os.Args[3]); err != nil {
		log.Fatal(err)
	}
}

// titles fills a form in, with fields by the names of the inputs, and crawls from a page on.
func titles(ctx context.Context, fetcher crawler.Fetcher, form string, fields map[string]string, page string) error {
	login := &session.Login{URL: form, Fields: fields}
	c := crawler.Crawler{UserAgent: userAgent, Fetcher: login.Wrap(fetcher), Budget: crawler.Budget{Pages: 100}}
	for page, err := range c.Pages(ctx, page) {
		if err != nil {
			return err
		}
		fmt.Println(page.URL, page.Title)
	}
	return nil
}
