package lang

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed english.txt
var englishList string

//go:embed others.txt
var otherLists string

//go:embed iso.txt
var isoLists string

// stopList is the list of one language.
type stopList struct {
	code, name string // of ISO 639, and in English
	words      []string
}

// stopLists reads the lists, of which each begins with the code and the name of its
// language in brackets. What stands behind | is a comment.
var stopLists = sync.OnceValue(func() (all []stopList) {
	for _, text := range []string{englishList, otherLists, isoLists} {
		var list *stopList
		for line := range strings.Lines(text) {
			line, _, _ = strings.Cut(line, "|")
			line = strings.TrimSpace(line)
			if head, ok := strings.CutPrefix(line, "["); ok {
				code, name, _ := strings.Cut(strings.TrimSuffix(head, "]"), " ")
				all = append(all, stopList{code: code, name: name})
				list = &all[len(all)-1]
			} else if list != nil {
				list.words = append(list.words, strings.Fields(line)...)
			}
		}
	}
	return all
})

// StopWords returns the stop words of a language, by its ISO 639 code or English name in
// small letters; nil where there are none.
func StopWords(language string) []string {
	for _, l := range stopLists() {
		if l.code == language || l.name == language {
			return slices.Clone(l.words)
		}
	}
	return nil
}
