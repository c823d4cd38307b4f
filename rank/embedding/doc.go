// Package embedding learns vectors of words and of texts from the texts themselves, without
// a model from outside: words that occur near the same words have vectors in the same
// direction. It is for words near in meaning, and for documents that say the
// same in other words.
//
// A [Learner] takes the texts as tokens, such as analysis.Analyzer makes, and counts which
// occur near which. How much more often two words do so than by chance (positive pointwise mutual
// information) makes a row of numbers for each word, of which the directions that say most are
// kept (singular value decomposition, as in latent semantic analysis; Levy and Goldberg,
// NIPS 2014). A text has the mean of the vectors of its words, rare ones more than
// frequent ones.
//
// The same texts give the same vectors, to the last bit, on any number of processors of one kind.
//
// Where to look:
//
//	learn.go    from tokens to counts, and from counts to vectors
//	factor.go   the directions that say most
//	model.go    vectors of words and texts, and words near in meaning
//	file.go     models in files, in the text format of word2vec
package embedding
