// Package fuzzy forgives typing errors: it finds the words of a dictionary that
// are near to what somebody wrote, for misspelt queries, did-you-mean and
// completion while typing.
//
// It knows strings and weights, and no index. Which errors people make, and which
// words sound alike, it knows of English; for other languages [LearnCosts] learns
// the former, and a function tells the latter. Distances count runes, so put words
// through [Fold] first where case and accents should not matter.
//
// Where to look:
//
//	matcher.go    what a match is, how many edits to forgive
//	distance.go   how far apart two strings are, and which edits count
//	similarity.go how alike two strings are, from 0 to 1
//	align.go      which edits lead from one string to another
//	clusters.go   what a reader takes for single characters
//	qgrams.go     the dictionary: New, Match, Complete
//	read.go       a dictionary from a list; mapped.go: from a file that is mapped
//	fold.go       case and accents
//	spelling.go   which word may be meant
//	correct.go    did you mean? for a whole query
//	costs.go      which errors are likely; costs_file.go: in a file
//	learn.go      how that is learnt from pairs
//	sounds.go     which words sound alike; sound.go: in English
//	wordpairs.go  which words follow each other
//	completer.go  words, queries and titles that go on with what is typed
//	names.go      names that are alike, whatever the order of their words; joins of lists
//	expand.go     a term and its neighbours, for an index
//
// and inside:
//
//	lookup.go     which words are looked at, and how they are ruled out
//	candidates.go which words are thought of, and in which order
//	passage.go    words in a row: what fits, what is to be split or joined
//	shelf.go      entries in order, and the heaviest of a range
//	variants.go   what was typed, with one edit
//	layers.go     entries that come and go
//	name_layer.go names by their pieces and words
//	lexicon.go    the words, in flat slices
//	grams.go      which words share three runes in a row
//	letters.go    which words have the same letters
//	bitvector.go  distances in machine words
//	table.go      distances in rows
package fuzzy
