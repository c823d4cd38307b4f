// Package dedup finds pages that say the same: to the letter, or nearly. It
// reads texts, not URLs, and judges nothing: whether a duplicate is dropped,
// folded into its group or kept is for whoever asks.
//
// [Of] makes a [Fingerprint] of a text, an [Index] gives each page that is added
// the group of its like, in memory ([New]) or in a folder ([Open]). A [Sink]
// does so for the pages of a crawl. From the groups follow mirrors of hosts
// ([Index.Mirrors]); a [Probe] finds hosts that answer 200 for what does not exist.
//
// Where to look:
//
//	fingerprint.go  what is taken of a text, and how are two compared?
//	words.go        what is a word?
//	title.go        what does the title of a page tell?
//	template.go     how is what all pages of a host share left out?
//	index.go        adding pages, opening and closing
//	match.go        which page is a new one like?
//	group.go        what is in a group?
//	mirror.go       which hosts are copies of others?
//	why.go          what is said of one page?
//	sink.go         how does a crawl find its duplicates?
//	probe.go        which pages say "not found" with status 200?
//	pages.go        what is kept of a page, byte by byte
//	table.go        numbers found by a key, in memory
//	run.go          the same in a file, byte by byte
//	merge.go        how do files become fewer?
//	files.go        what is in the folder, and what after a crash?
//	compact.go      how does it forget what pages said before?
//	errors.go       what can go wrong
package dedup
