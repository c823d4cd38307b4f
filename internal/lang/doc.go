// Package lang guesses the language of a text, and has the stop words of some
// languages. It is one for the crawler, which says so of pages, and for the index, which
// stems their words: a page is in the same language to both.
//
//	detect.go     the guess
//	stopwords.go  lists of the Snowball and stopwords-iso projects, by language
package lang
