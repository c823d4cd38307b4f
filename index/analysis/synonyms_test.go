package analysis_test

import (
	"testing"

	"github.com/webquarry/quarry/index/analysis"
)

// A vowel of Hangul is normalised together with the letter before it, so that their
// tokens lie over each other; each takes a place of its own in a phrase.
func TestPhrasesOfLettersNormalisedTogether(t *testing.T) {
	t.Parallel()
	synonyms := analysis.NewSynonyms(nil, []string{"fox", "wild dog"})
	for _, text := range []string{"字典fox\uffcf宕", "fox\uffcf宕", "字 fox\u1161宕 fox"} {
		for _, slots := range analysis.Phrases(synonyms, text) {
			for i := 1; i < len(slots); i++ {
				if slots[i].Pos <= slots[i-1].Pos {
					t.Errorf("%+q: %v", text, slots)
				}
			}
		}
	}
}
