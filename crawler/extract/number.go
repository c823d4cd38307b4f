package extract

import (
	"fmt"
	"iter"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// digits finds groups of digits that may be one number, with signs that part
// groups or decimals. The spaces are those that part thousands.
var digits = regexp.MustCompile(`[-−+]?(?:[.,]\d+|\d+(?:[.,'’ \x{a0}\x{2007}\x{2009}\x{202f}]\d+)*)`)

// parseInt reads the first number of a text, which has to be a whole one.
func parseInt(s string) (any, error) {
	f, err := firstNumber(s, false)
	if err != nil {
		return nil, err
	}
	if f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return nil, fmt.Errorf("%q is no whole number", clip(s, 40))
	}
	return int64(f), nil
}

func parseFloat(s string) (any, error) { return orNil(firstNumber(s, false)) }

// firstNumber reads the first number of a text. thousandths says that three
// digits after a single comma or point are decimals.
func firstNumber(s string, thousandths bool) (float64, error) {
	if f, ok := written(s); ok {
		return f, nil
	}
	s = strings.Map(westernDigit, s)
	for n := range numbers(s) {
		return n.value(thousandths)
	}
	return 0, fmt.Errorf("%q holds no number", clip(s, 40))
}

// written reads a text that is a number as programs write them, and nothing else.
func written(s string) (float64, bool) {
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil && !math.IsInf(f, 0) && !math.IsNaN(f) && plain(s)
}

// span is a number in a text, and where it stands.
type span struct {
	text     string // with the sign and all that parts its digits
	from, to int
}

func (n span) value(thousandths bool) (float64, error) {
	f, err := strconv.ParseFloat(normal(n.text, thousandths), 64)
	if err != nil || math.IsInf(f, 0) {
		return 0, fmt.Errorf("%q is no number", clip(n.text, 40))
	}
	return f, nil
}

// numbers yields the numbers of a text. A hyphen in a word is no sign, as in
// COVID-19, and a point or comma is the start of decimals where a text, a word or
// an amount begins with it, as in .75 and $.99, but not in Rs.500.
func numbers(s string) iter.Seq[span] {
	return func(yield func(span) bool) {
		for at, end := 0, 0; at < len(s); { // end is that of what may be one number
			from := at
			if at < end { // behind a space that parts no thousands
				_, size := utf8.DecodeRuneInString(s[at:])
				from += size
			} else {
				loc := digits.FindStringIndex(s[at:])
				if loc == nil {
					return
				}
				from, end = at+loc[0], at+loc[1]
			}
			n := span{s[from : from+groups(s[from:end])], from, 0}
			n.to = from + len(n.text)
			at = n.to
			before, _ := utf8.DecodeLastRuneInString(s[:from])
			inWord := unicode.IsLetter(before) || unicode.IsDigit(before)
			if unsigned := strings.TrimLeft(n.text, "-−+"); inWord && unsigned != n.text {
				n.from, n.text = n.to-len(unsigned), unsigned
			}
			if inWord || before == '.' || before == ',' {
				unpointed := strings.TrimLeft(n.text, ".,")
				n.from, n.text = n.to-len(unpointed), unpointed
			}
			if !yield(n) {
				return
			}
		}
	}
}

// groups returns how much of what may be one number is one: a space parts
// thousands if up to three digits stand before the first one and three behind
// each.
func groups(s string) int {
	end := 0
	for i, r := range s {
		if r != ' ' && r != 0xa0 && r != 0x2007 && r != 0x2009 && r != 0x202f {
			continue
		}
		rest := s[i+utf8.RuneLen(r):]
		three := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
		if three < 0 {
			three = len(rest)
		}
		if three != 3 || strings.ContainsAny(s[:i], ".,'’") || end == 0 && len(strings.TrimLeft(s[:i], "-−+")) > 3 {
			return i
		}
		end = i
	}
	return len(s)
}

// westernDigit gives the digits and marks of other scripts, and those as wide as
// a Chinese character, as ASCII has them.
func westernDigit(r rune) rune {
	switch {
	case r < 0x80:
		return r
	case r == '٫', r == '．':
		return '.'
	case r == '٬', r == '，':
		return ','
	case unicode.Is(unicode.Nd, r): // ten in a row, the zero first, wherever a script has them
		zero := r
		for r-zero < 9 && unicode.Is(unicode.Nd, zero-1) && (zero-1)&0xf != 0xf {
			zero--
		}
		return '0' + r - zero
	}
	return r
}

// plain reports whether a text is a number as programs write them and not one
// of a thousand with a point: "1.250" in a page is more often 1,250.
func plain(s string) bool {
	whole, decimals, _ := strings.Cut(s, ".")
	return len(decimals) != 3 || strings.Trim(whole, "-+0") == "" || len(whole) > 3
}

// normal makes a number as written in some country one that strconv reads. The
// last point or comma parts decimals, unless it stands there several times, or
// three digits follow and nothing says that they are decimals.
func normal(s string, thousandths bool) string {
	s = strings.NewReplacer("−", "-", "'", "", "’", "", " ", "", "\u00a0", "", "\u2007", "", "\u2009", "", "\u202f", "").Replace(s)
	last := strings.LastIndexAny(s, ".,")
	if last < 0 {
		return s
	}
	mark := s[last : last+1]
	other := map[string]string{".": ",", ",": "."}[mark]
	whole, decimals := s[:last], s[last+1:]
	grouped := strings.Contains(whole, mark) ||
		len(decimals) == 3 && !strings.Contains(whole, other) && len(strings.TrimLeft(whole, "-+")) <= 3 && strings.Trim(whole, "-+0") != "" && !thousandths
	if grouped {
		whole, decimals = whole+decimals, ""
	}
	whole = strings.NewReplacer(".", "", ",", "").Replace(whole)
	return whole + "." + decimals
}
