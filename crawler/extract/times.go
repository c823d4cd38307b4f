package extract

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// layouts of times that mean one thing only, as programs and servers write
// them.
var layouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05.999999999Z0700", "2006-01-02T15:04Z07:00", "2006-01-02T15:04Z0700",
	"2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05 MST", "2006-01-02 15:04 -0700",
	"2006-01-02T15:04:05.999999999", "2006-01-02T15:04", "2006-01-02 15:04:05.999999999", "2006-01-02 15:04",
	"2006-01-02", "2006/01/02 15:04:05", "2006/01/02 15:04", "2006/01/02", "20060102", "20060102T150405Z", "20060102T150405", "2006-01",
	time.RFC1123Z, time.RFC1123, time.RFC850, time.ANSIC, time.UnixDate, time.RFC822Z, time.RFC822, "Mon, 2 Jan 2006 15:04:05 -0700",
	"Mon Jan 2 2006 15:04:05 GMT-0700",
}

// ParseTime reads a time of a page: ISO 8601, as HTTP and e-mail write them,
// seconds or milliseconds since 1970, and dates in words and numbers in English,
// German, French, Spanish, Italian, Portuguese and Dutch, also within a text:
// "Published on March 3rd, 2024 at 4:05 pm". A time without a zone counts as UTC.
// What days and months would differ between countries, as 06/05/2024, is refused,
// as are years before 1970 and after 2100.
func ParseTime(s string) (time.Time, error) {
	s = strings.Join(strings.Fields(clip(s, 200)), " ")
	for _, layout := range layouts {
		if t, err := time.Parse(layout, s); err == nil && sane(t) {
			return inZone(t), nil
		}
	}
	if t, ok := unixTime(s); ok {
		return t, nil
	}
	for _, p := range patterns {
		for _, m := range p.re.FindAllStringSubmatchIndex(s, -1) {
			if t, ok := p.date(s, m); ok {
				return clock(t, s[m[1]:]), nil
			}
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time, or could mean several", clip(s, 40))
}

// zones are abbreviations that mean one thing: those of e-mail (RFC 822, 5.1) and
// of central Europe; hours east of Greenwich.
var zones = map[string]int{"EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7, "CET": 1, "CEST": 2, "MEZ": 1, "MESZ": 2}

// inZone gives a time the zone that it names: package time does not know those of
// other places than its own, and takes them for UTC.
func inZone(t time.Time) time.Time {
	name, offset := t.Zone()
	if hours, ok := zones[name]; ok && offset == 0 {
		return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.FixedZone(name, hours*3600))
	}
	return t
}

func sane(t time.Time) bool { return t.Year() >= 1970 && t.Year() <= 2100 }

// unixTime reads seconds or milliseconds of this century.
func unixTime(s string) (time.Time, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || len(s) != 10 && len(s) != 13 {
		return time.Time{}, false
	}
	t := time.Unix(n, 0).UTC()
	if len(s) == 13 {
		t = time.UnixMilli(n).UTC()
	}
	return t, sane(t)
}

// pattern is a way to write a date. The names of its groups are y, m (a
// number), w (a word), d, or a and b for day and month in unknown order.
type pattern struct{ re *regexp.Regexp }

var patterns = []pattern{
	{regexp.MustCompile(`\b(?P<y>\d{4})-(?P<m>\d\d?)-(?P<d>\d\d?)(?:T|\b)`)},
	{regexp.MustCompile(`\b(?P<y>\d{4})[/.](?P<m>\d\d?)[/.](?P<d>\d\d?)\b`)},
	{regexp.MustCompile(`(?P<y>\d{4})年 ?(?P<m>\d\d?)月 ?(?P<d>\d\d?)日`)},
	{regexp.MustCompile(`\b(?P<d>\d\d?)(?:st|nd|rd|th|er|º|°|\.)?(?: (?:de|di|of))?[ -](?P<w>\pL{3,10})\.?(?: (?:de|del|of))?,?[ -](?P<y>\d{4})\b`)},
	{regexp.MustCompile(`\b(?P<w>\pL{3,10})\.? (?P<d>\d\d?)(?:st|nd|rd|th)?,? (?P<y>\d{4})\b`)},
	{regexp.MustCompile(`\b(?P<d>\d\d?)\.(?P<m>\d\d?)\.(?P<y>\d{4})\b`)},
	{regexp.MustCompile(`\b(?P<a>\d\d?)[/-](?P<b>\d\d?)[/-](?P<y>\d{4})\b`)},
}

// date makes a date of a match.
func (p pattern) date(s string, m []int) (time.Time, bool) {
	group := func(name string) string {
		if i := p.re.SubexpIndex(name); i > 0 && m[2*i] >= 0 {
			return s[m[2*i]:m[2*i+1]]
		}
		return ""
	}
	number := func(name string) int {
		n, _ := strconv.Atoi(group(name))
		return n
	}
	y, month, d := number("y"), number("m"), number("d")
	if w := group("w"); w != "" {
		month = monthOf(w)
	}
	if a, b := number("a"), number("b"); a > 0 {
		switch {
		case a > 12 || a == b:
			d, month = a, b
		case b > 12:
			d, month = b, a
		}
	}
	t := time.Date(y, time.Month(month), d, 0, 0, 0, 0, time.UTC)
	return t, month > 0 && d > 0 && t.Day() == d && int(t.Month()) == month && sane(t)
}

var clockTime = regexp.MustCompile(`^[^\d]{0,12}?(\d\d?)[:.h](\d\d)(?::(\d\d)(?:\.\d+)?)?(?: ?([ap])\.?m\b)?(?: ?(z|utc|gmt|[+-]\d\d:?\d\d))?`)

// clock adds the time of day that follows a date.
func clock(day time.Time, after string) time.Time {
	m := clockTime.FindStringSubmatch(strings.ToLower(after))
	if m == nil {
		return day
	}
	h, _ := strconv.Atoi(m[1])
	min, _ := strconv.Atoi(m[2])
	sec, _ := strconv.Atoi(m[3])
	if m[4] == "p" && h < 12 {
		h += 12
	} else if m[4] == "a" && h == 12 {
		h = 0
	}
	if h > 23 || min > 59 || sec > 59 {
		return day
	}
	zone := time.UTC
	if z := strings.ReplaceAll(m[5], ":", ""); len(z) == 5 {
		if t, err := time.Parse("-0700", z); err == nil {
			_, offset := t.Zone()
			zone = time.FixedZone("", offset)
		}
	}
	return time.Date(day.Year(), day.Month(), day.Day(), h, min, sec, 0, zone)
}

// months are the names of the months in the languages that ParseTime knows.
// Their first three letters or more will do.
var months = [12][]string{
	{"january", "januar", "jänner", "janvier", "enero", "gennaio", "janeiro", "januari"},
	{"february", "februar", "feber", "février", "fevrier", "febrero", "febbraio", "fevereiro", "februari"},
	{"march", "märz", "mrz", "mars", "marzo", "março", "maart"},
	{"april", "avril", "abril", "aprile"},
	{"may", "mai", "mayo", "maggio", "maio", "mei"},
	{"june", "juni", "juin", "junio", "giugno", "junho"},
	{"july", "juli", "juillet", "julio", "luglio", "julho"},
	{"august", "août", "aout", "agosto", "augustus"},
	{"september", "septembre", "septiembre", "setembro", "settembre"},
	{"october", "oktober", "octobre", "octubre", "ottobre", "outubro"},
	{"november", "novembre", "noviembre", "novembro"},
	{"december", "dezember", "décembre", "decembre", "diciembre", "dicembre", "dezembro"},
}

func monthOf(word string) int {
	word = strings.ToLower(word)
	for i, names := range months {
		for _, n := range names {
			if strings.HasPrefix(n, word) {
				return i + 1
			}
		}
	}
	return 0
}
