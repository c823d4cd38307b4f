package when

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// longest is how much of a text is looked at, in bytes, and longestValue how
// long a text may be that is to be a date and nothing else.
const (
	longest      = 200
	longestValue = 64
)

// Parse reads a text that is to be a date, in UTC. Where it names no zone it is
// taken for UTC, where it names no hour for midnight; years and months alone
// count. False are texts of more than 64 bytes, those without a date that Find
// would find, and years before 1980, which stand for no date at all where
// programs write them.
func Parse(s string) (time.Time, bool) {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > longestValue {
		return time.Time{}, false
	}
	t, ok := find(s, 1980, 9999)
	for _, layout := range [...]string{"2006-01", "2006/01", "2006"} {
		if !ok {
			var err error
			t, err = time.Parse(layout, s)
			ok = err == nil && t.Year() >= 1980
		}
	}
	return t.UTC(), ok
}

// Find reads the date in a text, of which it looks at the first 200 bytes, and the
// time of day with its zone before or after that date. It knows the forms of
// ISO 8601, HTTP, mail and ctime, seconds and milliseconds since 1970, and dates
// in numbers and words of many languages. A time without a zone counts as UTC.
// What days and months would differ between countries, as 06/05/2024, is none,
// nor are years before 1970 and after 2100.
func Find(s string) (time.Time, bool) { return find(s, 1970, 2100) }

func find(s string, from, to int) (time.Time, bool) {
	if len(s) > longest {
		s = strings.ToValidUTF8(s[:longest], "")
	}
	s = strings.TrimSpace(s)
	within := func(t time.Time) bool { return t.Year() >= from && t.Year() <= to }
	for _, layout := range [...]string{time.RFC3339, time.DateOnly, "2006-01-02T15:04:05-0700", "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", time.DateTime, time.RFC1123Z, http.TimeFormat} { // what most are
		if t, err := time.Parse(layout, s); err == nil {
			return t, within(t)
		}
	}
	if t, ok := unix(s); ok {
		return t, within(t)
	}
	if !strings.ContainsAny(s, "0123456789") {
		return time.Time{}, false
	}
	s = strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "−", "-")
	for i := range forms {
		for _, m := range forms[i].re.FindAllStringSubmatchIndex(s, -1) {
			d := dateOf{forms[i].re, s, m}
			if t, ok := d.day(); ok && within(t) {
				return d.clock(t), true
			}
		}
	}
	return time.Time{}, false
}

// unix reads seconds or milliseconds since 1970, of this century.
func unix(s string) (time.Time, bool) {
	whole, _, _ := strings.Cut(s, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || n < 0 {
		return time.Time{}, false
	}
	switch _, err := strconv.ParseFloat(s, 64); {
	case err != nil:
	case len(whole) == 10:
		return time.Unix(n, 0).UTC(), true
	case len(whole) == 13:
		return time.UnixMilli(n).UTC(), true
	}
	return time.Time{}, false
}

// form is a way to write a date. The names of its groups are y, m (a number), w
// (a word), d, a and b for day and month in unknown order, s for a year in two
// digits, and t for a time of day within the date.
type form struct{ re *regexp.Regexp }

func formOf(re string) form {
	return form{regexp.MustCompile(strings.NewReplacer(
		"START", `(?:^|[^\pL\pN])`, "YYYY", `(?P<y>\d{4})`, "WORD", `(?P<w>\pL{3,12})\.?`, "DAY", `(?P<d>\d\d?)`,
		"NTH", `(?:st|nd|rd|th|er|ère|º|ª|°|\.|-?(?:го|е))?`, "OF", `(?: ?\b(?:day of|de|di|of|del|do)\b| ?d['’])?`).Replace(re))}
}

// forms are in the order in which they are tried. Those that are digits alone
// have to begin the text.
var forms = [...]form{
	formOf(`\bYYYY(?P<p>[-/.]) ?(?P<m>\d\d?)(?P<q>[-/.]) ?DAY(?:[Tt_]|\b)`),
	formOf(`YYYY ?[年년] ?(?P<m>\d\d?) ?[月월] ?DAY ?[日일]?`),
	formOf(`^YYYY(?P<m>\d\d)(?P<d>\d\d)(?P<t>[Tt]\d{4}(?:\d\d)?(?:[.,]\d+)?|\d{6}$)?(?:[^\d]|$)`),
	formOf(`\bDAYNTHOF ?[-/. ]? ?WORDOF,? ?[-/.]? ?(?P<y>\d{4})(?:\b|[гr]\b|г)`),
	formOf(`STARTWORD[ /-]?DAYNTH ?,? ?[ /-]? ?YYYY\b`),
	formOf(`STARTWORD DAY,? (?P<t>\d\d?:\d\d(?::\d\d)?[^\d]*(?:[+-]\d\d:?\d\d)?),? ?YYYY\b`),
	formOf(`\bYYYY[-/., ]{1,2}WORD[-/., ]{1,2}DAYNTH\b`),
	formOf(`\bDAY\. ?(?P<m>\d\d?)\. ?YYYY\b`),
	formOf(`\b(?P<a>\d\d?)(?P<p>[/-])(?P<b>\d\d?)(?P<q>[/-])YYYY\b`),
	formOf(`^[^\d]{0,16}\bDAYNTH[-/ ]WORD[-/ ,]+['’]?(?P<s>\d\d)(?:$| ?(?:T| |,)+\d\d?:\d\d)`),
}

// dateOf is a place in a text that has the form of a date.
type dateOf struct {
	re   *regexp.Regexp
	text string
	at   []int
}

// group returns what a group holds, "" where the form has none of that name.
func (d *dateOf) group(name string) string {
	if i := d.re.SubexpIndex(name); i > 0 && d.at[2*i] >= 0 {
		return d.text[d.at[2*i]:d.at[2*i+1]]
	}
	return ""
}

func (d *dateOf) number(name string) int {
	n, _ := strconv.Atoi(d.group(name))
	return n
}

// day returns the date itself, at midnight. There are such that are none.
func (d *dateOf) day() (time.Time, bool) {
	year, month, day := d.number("y"), d.number("m"), d.number("d")
	if w := d.group("w"); w != "" {
		month = monthOf(w)
	}
	if s := d.group("s"); s != "" { // as mail has it (RFC 5322, 4.3), but for what is a century away
		if year = d.number("s") + 2000; year >= 2069 {
			year -= 100
		}
	}
	if a, b := d.number("a"), d.number("b"); a > 0 {
		switch {
		case a > 12 || a == b:
			day, month = a, b
		case b > 12:
			day, month = b, a
		}
	}
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	return t, month > 0 && day > 0 && t.Day() == day && int(t.Month()) == month && d.group("p") == d.group("q")
}
