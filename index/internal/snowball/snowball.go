// Package snowball holds the stemming algorithms of the Snowball project
// (https://snowballstem.org), translated into Go.
//
// The files that are named after languages, and algorithms.go, are made by
// generate.py from the project's own Python package, whose licence stands in
// COPYING; the program says how to run it. word.go is what they are written with.
package snowball

import (
	"maps"
	"slices"
)

// Stemmer applies one algorithm. It must not be used concurrently.
type Stemmer struct {
	word *word
	stem func()
}

// New makes a stemmer of an algorithm, such as "german"; nil: there is no such
// algorithm.
func New(algorithm string) *Stemmer {
	make, ok := algorithms[algorithm]
	if !ok {
		return nil
	}
	w, stem := make()
	return &Stemmer{w, stem}
}

// NewPlain makes a stemmer for words whose letters have lost their accents, as people
// type them: "educacion" and "educaciones" have one stem. The endings and letters that
// the algorithm looks for have lost theirs, too.
func NewPlain(algorithm string) *Stemmer {
	s := New(algorithm)
	if s != nil {
		s.word.plain = true
	}
	return s
}

// Algorithms lists the names that New knows, in order.
func Algorithms() []string { return slices.Sorted(maps.Keys(algorithms)) }

// Stem returns the stem of a word in lower case, in normal form NFC. Bytes that
// are not UTF-8 become U+FFFD.
func (s *Stemmer) Stem(word string) string {
	w := s.word
	w.set(word)
	s.stem()
	if w.is(word) {
		return word
	}
	return string(w.text)
}
