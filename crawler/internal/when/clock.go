package when

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	// clockTime is a time of day. Its groups are the hour, the minute, the second,
	// its fraction, and a or p; or an hour alone with a or p.
	clockTime = `(\d\d?)(?:(?:[:.]| ?(?:h|[時时點点]|시) ?)(\d\d)(?:[:.](\d\d)(?:[.,](\d+))?)? ?[分분]?(?: ?([ap])\.? ?m\b\.?)?| ?(?:([ap])\.? ?m\b\.?|Uhr\b))`
	// half names the half of the day before the time.
	half = `(?:(am|pm|上午|下午|오전|오후|午前|午後|晚) ?)?`

	clockAfter  = regexp.MustCompile(`(?i)^([^\d$€£¥+]{0,12}?)` + half + clockTime)
	clockBefore = regexp.MustCompile(`(?i)(?:^|[^\d:.,/$€£¥-])` + half + clockTime)
	noonAfter   = regexp.MustCompile(`(?i)^[^\d]{0,12}?\b(?:noon|midi|mezzogiorno|mediodía)\b`)
	compact     = regexp.MustCompile(`^[Tt]?(\d\d)(\d\d)(\d\d)?`)

	// zone is what names a zone behind a time: an offset, perhaps behind UTC, or a
	// name.
	zoneAfter = regexp.MustCompile(`^(?: ?Uhr)? ?[(\[]?(?:(UTC|GMT|UT|utc|gmt|Utc|Gmt|Z)? ?([+-])(\d\d?)(?::?(\d\d))?(?:$|[^\d:./-]|\.(?:$|\D))|(UTC|GMT|utc|gmt|[Zz]|[A-Z]{2,4})\b|(Eastern|Central|Mountain|Pacific)\b)`)

	// between is what may stand between a time and the date that follows.
	between = regexp.MustCompile(`^[^\d$€£¥]{0,32}$`)
)

// clock returns the date of day with the time of day that stands in or beside
// it: the nearer one, of two equally near the one after it. An hour that no
// day has counts as none.
func (d *dateOf) clock(day time.Time) time.Time {
	before, after := d.text[:d.at[0]], d.text[d.at[1]:]
	iso := d.re == forms[0].re
	if i := d.re.SubexpIndex("t"); i > 0 && d.at[2*i] >= 0 {
		within := d.group("t")
		if m := compact.FindStringSubmatch(within); m != nil {
			after = strings.TrimLeft(d.text[d.at[2*i]+len(m[0]):], ".,0123456789")
			t, _ := d.setClock(day, [5]string{m[1], m[2], m[3]}, after, true)
			return t
		}
		before, after, iso = "", within, true
	}
	if d.group("s") != "" { // the form takes in the hour
		after = d.text[d.at[2*d.re.SubexpIndex("s")+1]:]
	}
	far := 1 << 10
	result := day
	if m := clockAfter.FindStringSubmatch(after); m != nil {
		if t, ok := d.setClock(day, [5]string{m[3], m[4], m[5], m[6], m[7] + m[8] + m[2]}, after[len(m[0]):], iso); ok {
			result, far = t, len(strings.TrimSpace(m[1]))
		}
	}
	if far > longest && noonAfter.MatchString(after) {
		return day.Add(12 * time.Hour)
	}
	for _, i := range clockBefore.FindAllStringSubmatchIndex(before, -1) {
		group := func(n int) string {
			if i[2*n] < 0 {
				return ""
			}
			return before[i[2*n]:i[2*n+1]]
		}
		rest := before[i[1]:]
		gap := strings.TrimSpace(zoneAfter.ReplaceAllString(rest, ""))
		dotted := i[4] >= 0 && i[6] >= 0 && before[i[5]] == '.' && group(1)+group(6)+group(7) == "" && !strings.HasPrefix(gap, "Uhr") // rather a price, or a number of a section
		if dotted || !between.MatchString(gap) || len(gap) >= far {
			continue
		}
		if t, ok := d.setClock(day, [5]string{group(2), group(3), group(4), group(5), group(6) + group(7) + group(1)}, rest, false); ok {
			result, far = t, len(gap)
		}
	}
	return result
}

// setClock sets the time of a day: hour, minute, second, fraction and half of the day,
// in the zone that follows. iso says that a minus behind a minute is one of a zone,
// not from one time to another.
func (d *dateOf) setClock(day time.Time, parts [5]string, after string, iso bool) (time.Time, bool) {
	h, _ := strconv.Atoi(parts[0])
	minute, _ := strconv.Atoi(parts[1])
	sec, _ := strconv.Atoi(parts[2])
	nano, _ := strconv.Atoi((parts[3] + "000000000")[:9])
	switch strings.ToLower(parts[4]) {
	case "p", "pm", "下午", "午後", "오후", "晚":
		if h < 12 {
			h += 12
		}
	case "a", "am", "上午", "午前", "오전":
		if h == 12 {
			h = 0
		}
	}
	if h > 24 || h == 24 && minute+sec > 0 || minute > 59 || sec > 60 {
		return day, false
	}
	t := time.Date(day.Year(), day.Month(), day.Day(), h, minute, sec, nano, time.UTC)
	name, minutes := zone(after, t, iso || parts[2] != "")
	if minutes == 0 {
		return t, true
	}
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), nano, time.FixedZone(name, minutes*60)), true
}

// zone reads the zone that follows a time.
func zone(after string, at time.Time, minus bool) (name string, minutes int) {
	m := zoneAfter.FindStringSubmatch(after)
	if m == nil {
		return "", 0
	}
	switch {
	case m[2] != "":
		hours, _ := strconv.Atoi(m[3])
		minutes, _ = strconv.Atoi(m[4])
		minutes += 60 * hours
		switch {
		case minutes > 14*60, // no zone is as far
			m[1] == "" && len(m[3]) == 1 && m[4] == "",
			m[1] == "" && !minus && m[2] == "-" && strings.Contains(m[0], ":"):
			return "", 0
		case m[2] == "-":
			minutes = -minutes
		}
	case m[5] != "":
		name = strings.ToUpper(m[5])
		minutes, _ = zoneNamed(name, at)
	default:
		minutes, _ = zoneNamed(strings.ToUpper(m[6]), at)
	}
	return name, minutes
}
