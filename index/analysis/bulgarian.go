package analysis

import "strings"

// bulgarian reduces Bulgarian words to stems, after the light stemmer of Jacques Savoy,
// "Searching Strategies for the Bulgarian Language" (2007): articles, plurals and genders
// of nouns and adjectives fall away. Other than that, consonants and vowels that change in
// the plural are one at the end of a stem (вълк and вълци, голям and големи), short words
// lose their plural too, and -ище falls away like -ища. The Snowball project has no
// algorithm for the language.
type bulgarian struct{}

// Stem returns the stem of a word in lower case.
func (bulgarian) Stem(word string) string {
	r := []rune(word)
	ends := func(longer int, suffix string) bool { return len(r) > longer && strings.HasSuffix(string(r), suffix) }
	drop := func(n int) { r = r[:len(r)-n] }
	switch { // the article
	case ends(6, "ият"):
		drop(3)
	case ends(5, "ът"), ends(5, "то"), ends(5, "те"), ends(5, "та"), ends(5, "ия"), ends(4, "ят"):
		drop(2)
	}
	switch { // the plural
	case ends(6, "овци"), ends(6, "ове"), ends(5, "ища"), ends(5, "ище"):
		drop(3)
	case ends(6, "еве"):
		r[len(r)-3] = 'й'
		drop(2)
	case ends(5, "та"):
		drop(2)
	case ends(3, "и"):
		drop(1)
	}
	for _, ending := range []string{"й", "я", "а", "о", "е"} {
		if ends(3, ending) {
			drop(1)
		}
	}
	if ends(4, "ен") {
		r[len(r)-2] = 'н'
		drop(1)
	}
	n := len(r)
	if n > 5 && r[n-2] == 'ъ' {
		r[n-2] = r[n-1]
		drop(1)
		n--
	}
	if n > 3 {
		if r[n-2] == 'я' {
			r[n-2] = 'е'
		}
		switch r[n-1] {
		case 'ц':
			r[n-1] = 'к'
		case 'з':
			r[n-1] = 'г'
		}
	}
	return string(r)
}
