package focus

import (
	"math"
	"strings"

	"github.com/webquarry/quarry/crawler"
)

// Lead is a link, with what is known of where it leads.
type Lead struct {
	From  *crawler.Page
	Link  crawler.Link
	Topic Topic
	Score Score   // of From; zero when it was not read by a Focus's Parser
	Cash  float64 // importance that has come to the URL, 1 being usual; see Standard

	address *Address
}

// Address looks at the URL of the link.
func (l *Lead) Address() Address {
	if l.address == nil {
		a := AddressOf(l.Link.URL)
		l.address = &a
	}
	return *l.address
}

// Feature is a reason to follow a link, as a number from 0 to 1. The promise of
// a link is the logistic function of the sum of its features by weight, so that
// a weight of 1 makes the odds 2.7 times as good.
type Feature struct {
	Name   string
	Weight float64 // to begin with; what is learned moves it
	Of     func(l *Lead) float64
}

// Standard returns the features that a Focus uses if none are given. To change
// them is to change this slice.
//
//	anchor     the text of the link, by Topic.Phrase
//	context    the words around it, where the Parser gives them (crawler.HTML.Context)
//	address    the words of the URL
//	source     relevance of the page that it is on
//	tunnel     relevance of pages before that, less at each step; see Options.Decay
//	rank       importance that pages hand on to what they link to, as in OPIC
//	           (Abiteboul, Preda and Cobena, WWW 2003)
//	https, public, country, short, shallow, digits, separators, params, english
//	           what Address tells
func Standard() []Feature {
	return []Feature{
		{"anchor", 3, func(l *Lead) float64 { return l.Topic.Phrase(l.Link.Text) }},
		{"context", 1, func(l *Lead) float64 { return l.Topic.Phrase(l.Link.Context) }},
		{"address", 2, func(l *Lead) float64 { return l.Topic.Phrase(addressWords(l.Link.URL)) }},
		{"source", 2, func(l *Lead) float64 { return l.Score.Relevance }},
		{"tunnel", 1, func(l *Lead) float64 { return l.Score.Potential }},
		{"rank", 0.2, func(l *Lead) float64 { return l.Cash / (1 + l.Cash) }},
		{"https", 0, func(l *Lead) float64 { return oneIf(l.Address().HTTPS) }},
		{"public", 0, func(l *Lead) float64 { return oneIf(l.Address().Suffix == Public) }},
		{"country", 0, func(l *Lead) float64 { return oneIf(l.Address().Suffix == Country) }},
		{"short", 0.1, func(l *Lead) float64 { return fall(l.Address().Length, 60) }},
		{"shallow", 0.2, func(l *Lead) float64 { return fall(l.Address().Depth, 3) }},
		{"digits", -0.2, func(l *Lead) float64 { return l.Address().Digits }},
		{"separators", 0, func(l *Lead) float64 { return 1 - fall(l.Address().Separators, 3) }},
		{"params", -0.2, func(l *Lead) float64 { return 1 - fall(l.Address().Params, 1) }},
		{"english", 0.2, func(l *Lead) float64 { return l.Address().English }},
	}
}

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// fall goes from 1 to 0 and is half at the given number.
func fall(n, half int) float64 { return math.Exp2(-float64(n) / float64(half)) }

// tokens are the words that are learned of a link, each with a letter for where
// it stands: in the text, around it, in the URL, the host, the host of the page.
func (l *Lead) tokens() []uint32 {
	const most = 40
	var out []uint32
	add := func(kind byte, text string, limit int) {
		for t := range terms(text) {
			if limit--; limit < 0 || len(out) == most {
				return
			}
			out = append(out, slot(kind, t))
		}
	}
	host, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(l.Link.URL, "https://"), "http://"), "/")
	out = append(out, slot('h', host))
	if l.From != nil {
		from, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(l.From.URL, "https://"), "http://"), "/")
		out = append(out, slot('f', from))
	}
	add('a', l.Link.Text, 12)
	add('u', addressWords(l.Link.URL), 10)
	add('c', l.Link.Context, 16)
	return out
}

const slots = 1 << 16 // weights of words; words that share one are told apart by the others

// slot is the weight that a word uses (FNV-1a).
func slot(kind byte, word string) uint32 {
	h := uint32(2166136261)
	h = (h ^ uint32(kind)) * 16777619
	for i := range len(word) {
		h = (h ^ uint32(word[i])) * 16777619
	}
	return (h ^ h>>16) % slots
}
