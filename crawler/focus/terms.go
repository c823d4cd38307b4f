package focus

import (
	"iter"
	"strings"
	"unicode"
)

// maxTermText is how much of a text is looked at.
const maxTermText = 256 << 10 // bytes

// terms gives the words of a text in lower case, a plural s cut off. Characters
// of scripts that do not part words stand for themselves. Single letters,
// numbers and the commonest words of English are left out.
func terms(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if len(text) > maxTermText {
			text = text[:maxTermText]
		}
		start := -1
		for i, r := range text {
			letter := unicode.IsLetter(r) || unicode.IsMark(r) && start >= 0
			alone := letter && r >= 0x2e80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
			if start >= 0 && (!letter || alone) {
				if w := term(text[start:i]); w != "" && !yield(w) {
					return
				}
				start = -1
			}
			switch {
			case alone:
				if !yield(string(r)) {
					return
				}
			case letter && start < 0:
				start = i
			}
		}
		if start >= 0 {
			if w := term(text[start:]); w != "" {
				yield(w)
			}
		}
	}
}

// term makes a term of a word; it is empty for those that are left out.
func term(word string) string {
	word = strings.ToLower(word)
	if len(word) < 2 || len(word) > 64 || stopWords[word] {
		return ""
	}
	if len(word) > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") {
		word = word[:len(word)-1]
	}
	return word
}

var stopWords = wordSet(`a about after all also an and any are as at be because been but by can could did do does for from had has have he her
	here his how i if in into is it its just like made make many may me more most much my new no not now of on one only or other our out over
	said same see she should so some such than that the their them then there these they this those through to two up us use used very was way
	we well were what when where which while who will with would you your com www http https html htm php index`)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

// addressWords parts a URL into what could be words, without its scheme.
func addressWords(url string) string {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		url = rest
	}
	var b strings.Builder
	lower := false
	for _, r := range url {
		if unicode.IsUpper(r) && lower { // camelCase
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		b.WriteRune(r)
	}
	return b.String()
}
