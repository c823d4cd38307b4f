// Package harvest crawls in two phases: first only the links, then, later or
// elsewhere, the pages in bulk. What is to be crawled is known before the
// first page is kept, and can be counted, sorted out or ordered anew.
//
// The first phase is a crawl as any other, whose Sink is [Links]: it fetches and
// parses pages and follows their links, but of each page that would be put only
// the URL is kept, in a second Frontier. The second phase is a crawl over that
// Frontier with the Parser [Raw], which extracts nothing:
//
//	first := crawler.Crawler{Frontier: links, Sink: &harvest.Links{Into: pages}, ...}
//	err := first.Run(ctx, seeds...)
//	...
//	second := crawler.Crawler{Frontier: pages, Parser: harvest.Raw{}, Sink: store, ...}
//	err = second.Run(ctx)
//
// Both phases put the same pages as one crawl would, each once, and either can
// be interrupted and gone on with: the second Frontier has a page before the
// first one counts it as done. Pages that went in between are the exception:
// they fail in the second phase. Every page is fetched twice, which is the price.
package harvest
