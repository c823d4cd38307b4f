package session_test

import (
	"context"
	"fmt"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/session"
)

// A crawl that logs in, and stays logged in after a restart.
func ExampleLogin() {
	jar := session.New() // session.Open("state/cookies") to outlast a restart
	site := &site{form: plainForm}
	login := session.Login{
		URL:    "http://a.test/login",
		Fields: map[string]string{"user": "me", "pass": "s3cret"},
	}
	fetcher := login.Wrap(&crawler.HTTP{UserAgent: agent, Cookies: jar, Transport: site})
	c := crawler.Crawler{UserAgent: agent, Fetcher: fetcher, IgnoreRobots: true, Parser: new(crawler.HTML)}
	for page, err := range c.Pages(context.Background(), "http://a.test/members") {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(page.URL, page.Text)
	}
	// Output:
	// http://a.test/members secret /members
}
