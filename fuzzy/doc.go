// Package fuzzy forgives typing errors: it finds the words of a dictionary that
// are near to what somebody wrote, for misspelt queries, did-you-mean and
// completion while typing.
//
// It knows strings and weights. It knows no index, no language and no sound of
// words; what is rare in a language or on a keyboard it does not know either.
// Distances count runes, so put words through [Fold] first where case and
// accents should not matter.
//
// Where to look:
//
//	matcher.go    what a match is, how many edits to forgive
//	distance.go   how far apart two strings are, and which edits count
//	similarity.go how alike two strings are, from 0 to 1
//	align.go      which edits lead from one string to another
//	clusters.go   what a reader takes for single characters
//	qgrams.go     the dictionary: New, Match, Complete
//	read.go       a dictionary from a file
//	fold.go       case and accents
//	spelling.go   which word may be meant
//	correct.go    did you mean? for a whole query
//	expand.go     a term and its neighbours, for an index
//
// and inside:
//
//	lookup.go     which words are looked at, and how they are ruled out
//	lexicon.go    the words, in flat slices
//	grams.go      which words share three runes in a row
//	letters.go    which words have the same letters
//	bitvector.go  distances in machine words
//	table.go      distances in rows
package fuzzy
