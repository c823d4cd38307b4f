package main

import (
	"fmt"
	"strings"

	"github.com/webquarry/quarry/index/analysis"
)

// analyzerName is what the schema calls the analyzer that was chosen.
const analyzerName = "chosen"

// luceneStopWords are those of Lucene's English analyzer, with which many
// published figures were made.
const luceneStopWords = "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with"

// newAnalyzer makes the analyzer of these names.
func newAnalyzer(name, stop string) (analysis.Analyzer, error) {
	var words analysis.Analyzer = analysis.Standard{}
	switch stop {
	case "none":
	case "english":
		words = analysis.NewStopWords(words, analysis.EnglishStopWords()...)
	case "lucene":
		words = analysis.NewStopWords(words, strings.Fields(luceneStopWords)...)
	default:
		return nil, fmt.Errorf("-stop %q: want english, lucene or none", stop)
	}
	switch name {
	case "standard":
		return words, nil
	case "english":
		return &analysis.English{Words: words}, nil
	case "porter":
		return analysis.NewSnowball("porter", words)
	}
	return nil, fmt.Errorf("-analyzer %q: want english, porter or standard", name)
}
