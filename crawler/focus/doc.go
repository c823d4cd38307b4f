// Package focus steers a crawl towards a topic. A [Focus] judges each page as it
// comes, gives each link a priority by what it promises, learns which links kept
// their promise, and tells the Frontier when those that wait look better or worse
// than they did. It decides neither politeness nor which pages are kept.
//
//	f := focus.New(focus.Options{Topic: focus.Words("bees honey hive")})
//	c := crawler.Crawler{Parser: f.Parser(nil), Follow: f.Follow, ...}
//
// Where to look:
//
//	focus.go    what can be set, and how does a link get its priority?
//	topic.go    when is a page on topic: a query, sample pages
//	bayes.go    a topic learned from examples
//	lead.go     which reasons are there to follow a link?
//	address.go  what does a URL tell before it is visited?
//	model.go    how is it learned which reasons are good, and kept?
//	waiting.go  what is remembered of links that wait, and told of them?
//	terms.go    the words of texts and URLs
package focus
