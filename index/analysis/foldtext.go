package analysis

import (
	"strings"

	"github.com/webquarry/quarry/internal/fold"
)

// Fold returns text as the terms of a are written, case and diacritics folded,
// without parting it into words or stemming it: for patterns that are compared
// with terms. An analyzer may have a method Fold(string) string that does it, as
// those of this package have; for others text is put in lower case.
func Fold(a Analyzer, text string) string {
	if f, ok := a.(interface{ Fold(string) string }); ok {
		return f.Fold(text)
	}
	return strings.ToLower(text)
}

// Fold folds text as terms are.
func (s Standard) Fold(text string) string {
	f := fold.New(s.KeepMarks)
	return f.String(text)
}

// Fold folds text as terms are.
func (e *English) Fold(text string) string { return Fold(wordsOr(e.Words), text) }

// Fold folds text as terms are.
func (s *StopWords) Fold(text string) string { return Fold(s.words, text) }
