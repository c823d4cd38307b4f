package fuzzy

import "strings"

// EnglishSound is a key that English words which sound alike have in common: their
// consonants, after the rules that Lawrence Philips published as Metaphone (1990),
// and A for vowels at the beginning. "Fone" and "phone" are FN, "nife" and "knife"
// NF. The key of what has none of the letters a to z is empty; other characters
// are passed over, so put words through [Fold] first.
func EnglishSound(word string) string {
	var key strings.Builder
	s := soundLetters(word)
	for _, silent := range []struct{ start, is string }{
		{"gn", "n"}, {"kn", "n"}, {"pn", "n"}, {"wr", "r"}, {"ae", "e"}, {"ps", "s"}, {"pt", "t"}, {"mn", "n"}, {"wh", "w"}, {"x", "s"}, {"rh", "r"},
	} {
		if rest, ok := strings.CutPrefix(s, silent.start); ok {
			s = silent.is + rest
			break
		}
	}
	for i := 0; i < len(s); {
		sound, n := englishSound(s, i)
		if len(sound) != 1 || !strings.HasSuffix(key.String(), sound) {
			key.WriteString(sound)
		}
		i += n
	}
	return key.String()
}

// soundLetters is the letters of a word that have sounds, doubled ones once, but
// for cc, which is K or KS.
func soundLetters(word string) string {
	var b strings.Builder
	before := rune(0)
	for _, r := range word {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		if r < 'a' || r > 'z' || r == before && r != 'c' {
			continue
		}
		before = r
		b.WriteRune(r)
	}
	return b.String()
}

// englishSound is how the letter at i sounds, and how many letters that takes.
func englishSound(s string, i int) (sound string, n int) {
	at := func(k int) byte {
		if k < 0 || k >= len(s) {
			return 0
		}
		return s[k]
	}
	rest := s[i:]
	has := func(prefixes ...string) int {
		for _, p := range prefixes {
			if strings.HasPrefix(rest, p) {
				return len(p)
			}
		}
		return 0
	}
	vowel := func(c byte) bool { return c != 0 && strings.IndexByte("aeiou", c) >= 0 }
	front := func(c byte) bool { return c == 'e' || c == 'i' || c == 'y' }
	switch c := s[i]; c {
	case 'a', 'e', 'i', 'o', 'u':
		if i == 0 {
			return "A", 1
		}
		return "", 1
	case 'b':
		if at(i-1) == 'm' && i+1 == len(s) { // lamb
			return "", 1
		}
		return "P", 1
	case 'c':
		switch {
		case has("ch") > 0 && (i == 0 && !vowel(at(2)) || at(i-1) == 's' || at(i-1) == 'y'): // chrome, school, psychic
			return "K", 2
		case has("cia", "ch") > 0:
			return "X", 2
		case at(i-1) == 's' && front(at(i+1)): // science
			return "", 1
		case front(at(i + 1)):
			return "S", 1
		case has("ck", "cq") > 0:
			return "K", 2
		case has("cc") > 0 && !front(at(i+2)):
			return "K", 2
		}
		return "K", 1
	case 'd':
		if at(i+1) == 'g' && front(at(i+2)) { // edge
			return "J", 2
		}
		return "T", 1
	case 'g':
		switch {
		case has("gh") > 0 && i > 0 && !vowel(at(i+2)): // laugh, though night has none
			if i+2 == len(s) && (at(i-1) == 'u' && (at(i-2) == 'o' || at(i-2) == 'a')) {
				return "F", 2
			}
			return "", 2
		case has("gh") > 0:
			return "K", 2
		case has("gn") > 0 && (i+2 == len(s) || has("gned", "gns", "gnm") > 0): // sign
			return "", 1
		case front(at(i + 1)):
			return "J", 1
		}
		return "K", 1
	case 'h':
		if vowel(at(i+1)) && strings.IndexByte("csptg", at(i-1)) < 0 || i == 0 {
			return "H", 1
		}
		return "", 1
	case 'p':
		if at(i+1) == 'h' {
			return "F", 2
		}
		return "P", 1
	case 'q':
		return "K", 1
	case 's':
		switch {
		case has("sch") > 0:
			return "SK", 3
		case has("sh") > 0:
			return "X", 2
		case has("sio", "sia") > 0:
			return "X", 1
		}
		return "S", 1
	case 't':
		switch {
		case has("tia", "tio") > 0:
			return "X", 1
		case has("tch") > 0:
			return "X", 3
		case has("th") > 0:
			return "0", 2
		case has("ten") > 0 && at(i-1) == 's' && i+3 == len(s): // listen
			return "", 1
		}
		return "T", 1
	case 'v':
		return "F", 1
	case 'w', 'y':
		if vowel(at(i + 1)) {
			return strings.ToUpper(string(c)), 1
		}
		if i == 0 {
			return "A", 1
		}
		return "", 1
	case 'x':
		return "KS", 1
	case 'z':
		return "S", 1
	}
	return strings.ToUpper(string(s[i])), 1
}
