// Package warc is the web repository: it keeps what a crawl fetched, in the
// format that web archives share, and gives it back, so that pages can be read
// and indexed again without fetching them.
//
// A [Writer] writes WARC 1.1 with a CDXJ index beside each file, as a
// [crawler.Middleware] or a [crawler.Sink]. A [Reader] reads anybody's WARC, WET,
// WAT and ARC, damaged ones included. An [Archive] finds captures by URL and
// gives them as Responses, and a [Fetcher] lets a crawl run on one. The package
// does not decide what is crawled, and keeps no parsed pages.
//
// The formats are described in docs/formats/warc.md.
//
// Where to look:
//
//	write.go    how does an archive grow, and what is a file of it?
//	capture.go  how are exchanges seen on their way?
//	message.go  what is written of one?
//	seen.go     what is known already and need not be written again?
//	draft.go    how does a record look in a file?
//	spool.go    where do long bodies wait?
//	recover.go  what is done after a crash?
//
//	read.go     how is an archive read from front to back, and past damage?
//	stream.go   how is it unpacked?
//	zstd.go     the same for zstd
//	head.go     how does a record begin, in WARC and in ARC?
//	block.go    how is its block read, and where does it end?
//	record.go   what is a record?
//	http.go     how does a block become an answer of a server?
//	digest.go   is it what was written?
//	errors.go   what can be wrong with an archive?
//
//	archive.go  where is the capture of a URL?
//	cdxj.go     how does an index look?
//	replay.go   how do captures become Responses?
package warc
