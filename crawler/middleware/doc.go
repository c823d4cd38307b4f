// Package middleware holds what may lie around a Fetcher: [crawler.Middleware]
// values that every crawl can use as they are. None of them knows what a page
// says, and none decides when a host is visited: that is the Frontier's, and
// what a visit does besides its one request says so.
//
//	fetcher := middleware.Chain(&crawler.HTTP{UserAgent: agent},
//		middleware.Log{Logger: logger}.Wrap, // outermost: sees what the crawl gets
//		(&middleware.Cache{Store: store}).Wrap,
//		middleware.Retry{}.Wrap)
//
// Recording exchanges and playing them back is in crawler/warc, logging in by a
// form in crawler/session. Fixed credentials need none of this: see Credentials
// of crawler.HTTP.
//
// Where to look:
//
//	chain.go    in which order do they lie around each other?
//	shape.go    method and header by request
//	head.go     asking for the header before the page
//	retry.go    trying again within one visit
//	rate.go     a ceiling for the whole process
//	auth.go     credentials that expire
//	robots.go   what if robots.txt is forbidden?
//	keep.go     a robots.txt that outlives the process
//	log.go      a line for each fetch
//	metrics.go  counts and times for Prometheus
//	escalate.go when is a page for a browser?
//	shell.go    which documents are pages only after their scripts?
//	pace.go     a gap between requests of a host, pages and all they load
//
// The cache (RFC 9111):
//
//	cache.go    when is a page answered from it?
//	fresh.go    how long is a page fresh, and may it be kept?
//	entry.go    what is kept of a page, byte by byte
//	memory.go   kept in memory
//	disk.go     kept in files
package middleware
