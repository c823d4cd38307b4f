package main

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// gtin reads a Global Trade Item Number (the bar code of EAN, UPC and the like)
// and writes it in 14 digits; it is empty if s is none. Numbers that a shop may
// give to its own goods are none: they mean something else in the next shop.
func gtin(s string) string {
	var digits []byte
	for _, c := range []byte(s) {
		switch {
		case c >= '0' && c <= '9':
			digits = append(digits, c)
		case c != ' ' && c != '-':
			return ""
		}
	}
	if !slices.Contains([]int{8, 12, 13, 14}, len(digits)) || strings.Trim(string(digits), "0") == "" {
		return ""
	}
	own := len(digits) == 8 && (digits[0] == '0' || digits[0] == '2')
	full := strings.Repeat("0", 14-len(digits)) + string(digits)
	sum := 0
	for i, d := range full {
		sum += int(d-'0') * (3 - 2*(i%2))
	}
	// The 13 digits of an EAN begin at full[1]: 2, 02 and 04 are for use within a shop.
	own = own || full[0] == '0' && (full[1] == '2' || len(digits) != 8 && full[1] == '0' && (full[2] == '2' || full[2] == '4'))
	if sum%10 != 0 || own {
		return ""
	}
	return full
}

// folded is a text in small letters without accents, words apart by one space.
func folded(s string) string {
	var b strings.Builder
	space := false
	for _, r := range strings.ToLower(norm.NFKD.String(s)) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if space && b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteRune(r)
			space = false
		case !unicode.Is(unicode.Mn, r):
			space = true
		}
	}
	return b.String()
}

// compact is a text without all that is no letter or digit: K-400, K 400 and
// k400 are one model.
func compact(s string) string { return strings.ReplaceAll(folded(s), " ", "") }

// holds says whether some words of a text, taken together, are a compact one.
func holds(words []string, compacted string) bool {
	for from := range words {
		rest := compacted
		for _, w := range words[from:] {
			var ok bool
			if rest, ok = strings.CutPrefix(rest, w); !ok {
				break
			}
			if rest == "" {
				return true
			}
		}
	}
	return false
}

// makers knows brands and their models, both compact, from the shops that say
// them, so that they can be found in the names of shops that do not.
type makers map[string]map[string]facts

func (m makers) learn(f facts) {
	brand, model := compact(f.Brand), compact(f.Model)
	if brand == "" || model == "" {
		return
	}
	if m[brand] == nil {
		m[brand] = map[string]facts{}
	}
	if _, known := m[brand][model]; !known {
		m[brand][model] = facts{Brand: f.Brand, Model: f.Model}
	}
}

const shortestModel = 2 // runes; one alone stands in too many names

// find looks for a brand and a model of it in a name, for the longest model that
// is there: "G80 Pro" is not the G80.
func (m makers) find(name string) (brand, model string, ok bool) {
	words := strings.Fields(folded(name))
	longest := 0
	for b, models := range m {
		if !holds(words, b) {
			continue
		}
		for compacted, f := range models {
			n := len(compacted)
			if n < shortestModel || n < longest || !holds(words, compacted) {
				continue
			}
			if n > longest || f.Brand+f.Model < brand+model {
				brand, model, longest = f.Brand, f.Model, n
			}
		}
	}
	return brand, model, longest > 0
}

// without is a name without brand, model and variant: what kind of thing it is.
func without(name string, parts ...string) string {
	for _, p := range parts {
		if p = compact(p); p == "" {
			continue
		}
		var pattern strings.Builder
		for i, r := range p {
			if i > 0 {
				pattern.WriteString(`[^\p{L}\p{N}]*`)
			}
			pattern.WriteString(regexp.QuoteMeta(string(r)))
		}
		found := regexp.MustCompile(`(?i)` + pattern.String())
		for from := 0; from < len(name); {
			at := found.FindStringIndex(name[from:])
			if at == nil {
				break
			}
			begin, end := from+at[0], from+at[1]
			if !wordEnd(name[:begin], name[end:]) {
				from = end
				continue
			}
			name = name[:begin] + " " + name[end:]
			break
		}
	}
	name = strings.Join(strings.Fields(strings.NewReplacer("( )", "", "()", "", " ,", ",").Replace(name)), " ")
	return strings.Trim(name, " ,-–()")
}

// wordEnd says whether a word may end and begin between two texts.
func wordEnd(before, after string) bool {
	b := []rune(before)
	a := []rune(after)
	inner := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	return (len(b) == 0 || !inner(b[len(b)-1])) && (len(a) == 0 || !inner(a[0]))
}
