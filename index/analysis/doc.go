// Package analysis turns text into the tokens that an index holds, the same for
// documents and for queries. It knows characters and words. It knows nothing of
// fields, documents or scores, and keeps no text. Which characters are equal says
// internal/fold.
//
// Where to look:
//
//	analysis.go   what a token is, what an analyzer promises
//	standard.go   which words a text has; the fast path for ASCII
//	wide.go       the same in full, for any script
//	apostrophes.go what an apostrophe means; links.go: dots, commas, hyphens between words
//	accents.go    words with the accents of the query rank higher
//	variants.go   other ways to write a word of a query
//	languages.go  each document in its language; internal/lang guesses which that is
//	english.go    "connections" is "connect"; snowball.go: in other languages; bulgarian.go
//	stopwords.go  leaving words out, and keeping their places
//	synonyms.go   texts that mean the same
//	compounds.go  words written together; identifiers.go: in programs
//	foldtext.go   text of patterns
//	named.go      analyzers that a schema can name
//	slots.go      what a query's text asks of an index; phrases.go: if it is a phrase
//	joints.go     what words of a query mean together
//	pieces.go     what a run without spaces is found by
package analysis
