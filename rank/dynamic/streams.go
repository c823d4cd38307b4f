package dynamic

import (
	"context"
	"strings"
	"unicode"

	"github.com/webquarry/quarry/rank"
)

// Stream is a part of a document.
type Stream struct {
	Name  string // of its features: "title" has "title.any"
	Field string // of the hit, a string or several; "": its key, which is the URL of a page
	First int    // look at so many words only; 0 or less: all
}

// Web returns the streams of a web page whose index has the fields title, headings, body and anchor: these, the URL, and
// the first fifty words of the body, of which a preview is made.
func Web() []Stream {
	return []Stream{
		{Name: "url"}, {Name: "title", Field: "title"}, {Name: "headings", Field: "headings"},
		{Name: "body", Field: "body"}, {Name: "preview", Field: "body", First: 50}, {Name: "anchor", Field: "anchor"},
	}
}

// Features are the [rank.Features] of streams. For each stream there are
//
//	any      how much of the query stands there: words weigh by their idf
//	rarest   tf/(tf+1) of the word of the greatest idf
//	phrase   1 if all words of the query stand there as they do in it, side by side
//	pairs    how many of the words that are neighbours in the query are neighbours there
//	window   any · (m-1)/(width-1), where m is how many of the words are there, and width the least number of
//	         words in a row with all of these; 0 if m is 1
//	longest  the longest common subsequence with the query, as part of the query
//
// by names such as "title.any", each from 0 to 1. All are 0 of a query or a stream without words, and only the first 64
// words of a query are looked at. The cost is that of taking the texts apart.
type Features struct {
	Streams []Stream // nil: those of Web
	// Words takes a text apart, queries and documents alike, as the analyzer of the index does; nil: into runs of letters
	// and digits, in lower case.
	Words func(text string) []string
	// IDF is how much the rarity of a word counts, greater than 0; nil: 1 for all.
	IDF func(word string) float64
}

var _ rank.Features = Features{}

func (f Features) streams() []Stream {
	if f.Streams == nil {
		return Web()
	}
	return f.Streams
}

// Names implements [rank.Features].
func (f Features) Names() (names []string) {
	for _, s := range f.streams() {
		for _, kind := range kinds {
			names = append(names, s.Name+"."+kind)
		}
	}
	return names
}

// Of implements [rank.Features].
func (f Features) Of(ctx context.Context, query string, hits []rank.Hit) ([][]float64, error) {
	words, streams := f.Words, f.streams()
	if words == nil {
		words = Words
	}
	asked := newAsked(words(query), f.IDF)
	rows := make([][]float64, len(hits))
	for i, h := range hits {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		for _, s := range streams {
			of := asked.match(textOf(h, s.Field, words), s.First)
			rows[i] = append(rows[i], of[:]...)
		}
	}
	return rows, nil
}

// textOf returns the texts of a field as words.
func textOf(h rank.Hit, field string, words func(string) []string) [][]string {
	if field == "" {
		return [][]string{words(apart(h.Key))}
	}
	switch v := h.Fields[field].(type) {
	case string:
		return [][]string{words(v)}
	case []string:
		var texts [][]string
		for _, text := range v {
			texts = append(texts, words(text))
		}
		return texts
	}
	return nil
}

// apart has spaces for the signs of a URL.
func apart(url string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r) {
			return r
		}
		return ' '
	}, url)
}

// Words are the runs of letters and digits of a text, in lower case.
func Words(text string) []string { return strings.Fields(strings.ToLower(apart(text))) }
