package when

import (
	"strings"
	"time"
)

// longest is how long a text may be that is looked at.
const longest = 64

// iso are the forms that begin with the year. A fraction of a second is read
// after any seconds.
var iso = [...]string{
	"2006-01-02",
	"2006-01-02T15:04:05Z07:00",
	"2006-01-02T15:04Z07:00",
	"2006-01-02T15:04:05-0700",
	"2006-01-02T15:04:05Z07",
	"2006-01-02T15:04:05",
	"2006-01-02T15:04",
	"2006-01-02T15:04-0700",
	"2006-01-02T15Z07:00",
	"2006-01-02T15:04:05 -0700",
	"2006-01-02T15:04:05 -07:00",
	"2006-01",
	"2006",
	"20060102",
	"20060102T150405Z0700",
	"2006/01/02",
	"2006/01/02T15:04:05",
	"2006-1-2",
}

// worded are the forms with the name of a month, without the day of the week.
// In two digits, 69 and above are of the last century.
var worded = [...]string{
	"2 Jan 2006 15:04:05 -0700",
	"2 Jan 2006 15:04:05",
	"2 Jan 2006 15:04 -0700",
	"2 Jan 2006 15:04",
	"2 Jan 2006",
	"2 Jan 06 15:04:05 -0700",
	"2 Jan 06 15:04:05",
	"2 Jan 06 15:04 -0700",
	"2 Jan 06 15:04",
	"2 Jan 06",
	"Jan 2 15:04:05 2006",
	"Jan 2 15:04:05 -0700 2006",
	"Jan 2 2006 15:04:05 -0700",
	"Jan 2 2006 15:04:05",
	"Jan 2 2006",
}

// Parse reads a date. Where it names no zone it is taken for UTC, where it names
// no hour for midnight. False are texts in no known form, and years before 1980,
// which stand for no date at all where programs write them.
func Parse(s string) (time.Time, bool) {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > longest {
		return time.Time{}, false
	}
	layouts := worded[:]
	if isDigits(s, 4) {
		layouts = iso[:]
		if len(s) > 10 && s[10] == ' ' {
			s = s[:10] + "T" + strings.TrimLeft(s[11:], " ")
		}
		s = strings.TrimSuffix(strings.TrimSuffix(s, " UTC"), " GMT")
	} else {
		s = plain(s)
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, s); err == nil && t.Year() >= 1980 {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

func isDigits(s string, n int) bool {
	if len(s) < n {
		return false
	}
	for i := range n {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// plain brings a date with the name of a month into one of the worded forms:
// without day of the week, comma, dash between day and year, long names and
// names of zones.
func plain(s string) string {
	words := strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r <= ' ' })
	out := words[:0]
	for i, w := range words {
		switch {
		case i == 0 && isDay(w):
			continue
		case strings.Count(w, "-") == 2 && len(w) > 6: // 02-Jan-06
			parts := strings.Split(w, "-")
			out = append(out, parts[0]+" "+shortMonth(parts[1])+" "+parts[2])
		case zones[strings.ToUpper(w)] != "":
			out = append(out, zones[strings.ToUpper(w)])
		case i > 3 && len(w) > 2 && w[0] == '(': // a comment that repeats the zone
		default:
			out = append(out, shortMonth(strings.TrimSuffix(w, ".")))
		}
	}
	return strings.ReplaceAll(strings.Join(out, " "), "+00:00", "+0000")
}

// isDay reports whether a word is the name of a day of the week.
func isDay(w string) bool {
	if len(w) < 3 {
		return false
	}
	switch strings.ToLower(w[:3]) {
	case "mon", "tue", "wed", "thu", "fri", "sat", "sun":
		return true
	}
	return false
}

// shortMonth cuts the name of a month to three letters, and leaves other words.
func shortMonth(w string) string {
	if len(w) <= 3 || w[0]|0x20 < 'a' || w[0]|0x20 > 'z' {
		return w
	}
	return w[:3]
}

// zones are the names of RFC 822, 5.1, and UTC.
var zones = map[string]string{
	"UT": "+0000", "UTC": "+0000", "GMT": "+0000", "Z": "+0000",
	"EST": "-0500", "EDT": "-0400", "CST": "-0600", "CDT": "-0500",
	"MST": "-0700", "MDT": "-0600", "PST": "-0800", "PDT": "-0700",
	"CET": "+0100", "CEST": "+0200", "BST": "+0100",
}
