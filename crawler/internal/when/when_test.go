package when

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"2005-01-01":                           "2005-01-01T00:00:00Z",
		" 2004-12-23T18:00:15+00:00\n":         "2004-12-23T18:00:15Z",
		"2004-12-23T18:00:15.123-08:00":        "2004-12-24T02:00:15Z",
		"2004-12-23T18:00+02:00":               "2004-12-23T16:00:00Z",
		"2004-12-23T18:00:15":                  "2004-12-23T18:00:15Z",
		"2004-12-23 18:00:15":                  "2004-12-23T18:00:15Z",
		"2004-12-23 18:00:15 UTC":              "2004-12-23T18:00:15Z",
		"2004-12-23 18:00:15 +0200":            "2004-12-23T16:00:15Z",
		"2004-12-23T18:00:15+0200":             "2004-12-23T16:00:15Z",
		"2004-12":                              "2004-12-01T00:00:00Z",
		"2004":                                 "2004-01-01T00:00:00Z",
		"20041223":                             "2004-12-23T00:00:00Z",
		"2004/12/23":                           "2004-12-23T00:00:00Z",
		"2004-3-7":                             "2004-03-07T00:00:00Z",
		"Thu, 05 Jan 2017 12:34:50 GMT":        "2017-01-05T12:34:50Z",
		"Thu, 05 Jan 17 13:34:52 +0100":        "2017-01-05T12:34:52Z",
		"05 Jan 17 13:34:54 +0100":             "2017-01-05T12:34:54Z",
		"5 January 2017":                       "2017-01-05T00:00:00Z",
		"Wednesday, 03-Aug-22 15:00:00 PDT":    "2022-08-03T22:00:00Z",
		"25 Jun 2010 15:00:00 PST":             "2010-06-25T23:00:00Z",
		"Sun Nov  6 08:49:37 1994":             "1994-11-06T08:49:37Z",
		"Thu Oct 07 10:00:00 EDT 2010":         "2010-10-07T14:00:00Z",
		"Tue, 1 Jun 2021 10:00:00 +0000 (UTC)": "2021-06-01T10:00:00Z",
		"January 5, 2017":                      "2017-01-05T00:00:00Z",
		"Sept. 5, 2017":                        "2017-09-05T00:00:00Z",
		"Mon, 26 Jan 2004 16:31:00 +02:00":     "2004-01-26T14:31:00Z",
		"Mon, 26 Jan 2004 16:31:00 GMT+0200":   "2004-01-26T14:31:00Z",
		"Mon, 26 Jan 2004 16:31:00 JST":        "2004-01-26T07:31:00Z",
		"Mon, 26 Jan 2004 16:31:00 AEST":       "2004-01-26T06:31:00Z",
		"Mon, 26 Jan 2004 16:31:00 MET":        "2004-01-26T15:31:00Z",
		"Mon, 26 Jan 2004 16:31:00 PT":         "2004-01-27T00:31:00Z",
		"Mon, 26 Jul 2004 16:31:00 PT":         "2004-07-26T23:31:00Z",
		"Mon, 26 Jan 2004 16:31:00 XYZ":        "2004-01-26T16:31:00Z",
		"Mon, 26 Jan 2004 16:31:00 +1":         "2004-01-26T16:31:00Z",
		"Mon, 26 Jan 2004 4:31 PM +0000":       "2004-01-26T16:31:00Z",
		"Lun, 26 Jan 2004 16:31:00 +0100":      "2004-01-26T15:31:00Z",
		"Mo, 26 Jan 2004 16:31:00 +0100":       "2004-01-26T15:31:00Z",
		"Пн, 26 янв. 2004 16:31:00 +0300":      "2004-01-26T13:31:00Z",
		"Mon, 26 Jan 2004 16:31:00GMT":         "2004-01-26T16:31:00Z",
		"Mon, 26 Jan 2004 24:00:00 GMT":        "2004-01-27T00:00:00Z",
		"Mon, 26 Jan 2004 23:59:60 GMT":        "2004-01-27T00:00:00Z",
		"Mon, 26 Jan 2004 25:00:00 GMT":        "2004-01-26T00:00:00Z",
		"Mon 26 January, 2004 16:31":           "2004-01-26T16:31:00Z",
		"26/Jan/2004:16:31:00 +0200":           "2004-01-26T14:31:00Z",
		"20040126163100":                       "2004-01-26T16:31:00Z",
		"20040126T163100.5+0200":               "2004-01-26T14:31:00Z",
		"2004-01-26T16:31:00.123 +02:00":       "2004-01-26T14:31:00Z",
		"2004-01-26 16:31:00 UTC+2":            "2004-01-26T14:31:00Z",
		"1075134660":                           "2004-01-26T16:31:00Z",
		"1075134660.25":                        "2004-01-26T16:31:00Z",
		"1075134660000":                        "2004-01-26T16:31:00Z",
		"9999-12-31":                           "9999-12-31T00:00:00Z",
		"0001-01-01T00:00:00":                  "",
		"1970-01-01":                           "",
		"06/05/2024":                           "",
		"2004-13-40":                           "",
		"yesterday":                            "",
		"":                                     "",
		"-":                                    "",
		"Mon,":                                 "",
		"2004-12-23T18:00:15Z and a lot more, of which nothing is a date at all": "",
	} {
		got, ok := Parse(in)
		if s := got.Format(time.RFC3339); ok != (want != "") || ok && got.Truncate(time.Second).Format(time.RFC3339) != want {
			t.Errorf("Parse(%q) = %s, %v; want %q", in, s, ok, want)
		}
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		// Zones by name and by offset.
		"15 May 2004 23:24 EDT":               "2004-05-15T23:24:00-04:00",
		"May 15, 2004 11:24 PM EST":           "2004-05-15T23:24:00-05:00",
		"2004-05-15 23:24 PST":                "2004-05-15T23:24:00-08:00",
		"2004-05-15T23:24:00 EST":             "2004-05-15T23:24:00-05:00",
		"15 May 2004 23:24 CEST":              "2004-05-15T23:24:00+02:00",
		"15 May 2004 23:24 BST":               "2004-05-15T23:24:00+01:00",
		"15 May 2004 23:24 (IST)":             "2004-05-15T23:24:00+05:30",
		"15 May 2004 23:24 GMT+2":             "2004-05-15T23:24:00+02:00",
		"15 May 2004 23:24 UTC −03:30":        "2004-05-15T23:24:00-03:30",
		"15. Mai 2004, 23.24 Uhr MESZ":        "2004-05-15T23:24:00+02:00",
		"May 15, 2004 11:24 p.m. ET":          "2004-05-15T23:24:00-04:00",
		"Jan 15, 2004, 11:24 a.m. Eastern":    "2004-01-15T11:24:00-05:00",
		"Wed, 19 Feb 2012 22:40:00 GMT-01:01": "2012-02-19T22:40:00-01:01",
		"Wed Feb 19 22:40:00 CET 2012":        "2012-02-19T22:40:00+01:00",
		"Feb 19, 2012 10:00 WHO says":         "2012-02-19T10:00:00Z",
		"Feb 19, 2012 10:00 EST-based":        "2012-02-19T10:00:00-05:00",
		// A time before the date.
		"8:25 a.m. Dec. 12, 2014":           "2014-12-12T08:25:00Z",
		"8:25 a.m. EST, Dec. 12, 2014":      "2014-12-12T08:25:00-05:00",
		"Posted 22:10, 12 December 2014":    "2014-12-12T22:10:00Z",
		"10:06am on Thursday, Dec 11, 2014": "2014-12-11T10:06:00Z",
		"12am Dec 11, 2014":                 "2014-12-11T00:00:00Z",
		"22.10 Uhr, 12. Dezember 2014":      "2014-12-12T22:10:00Z",
		"16:31 26.01.2004":                  "2004-01-26T16:31:00Z",
		"9:00 a.m. May 1, 2024, 4 min read": "2024-05-01T09:00:00Z",
		"9:00 May 1, 2024 10:00":            "2024-05-01T10:00:00Z",
		"May 1, 2024 at noon":               "2024-05-01T12:00:00Z",
		// What is no time, and no zone.
		"May 1, 2024, $12.50":            "2024-05-01T00:00:00Z",
		"£12.50, May 1, 2024":            "2024-05-01T00:00:00Z",
		"May 1, 2024 10:00-12:00":        "2024-05-01T10:00:00Z",
		"May 1, 2024 10:00 - 12:00":      "2024-05-01T10:00:00Z",
		"2024-05-01 10:00-12:00":         "2024-05-01T10:00:00-12:00",
		"May 1, 2024 10:00 +45 comments": "2024-05-01T10:00:00Z",
		// Other forms.
		"1er août 2004 à 19 h 21":   "2004-08-01T19:21:00Z",
		"14 červenec 2004":          "2004-07-14T00:00:00Z",
		"14. června 2004":           "2004-06-14T00:00:00Z",
		"Авг 26, 2015 15:12":        "2015-08-26T15:12:00Z",
		"2004年1月26日 下午4:31":         "2004-01-26T16:31:00Z",
		"2004 Jan 26":               "2004-01-26T00:00:00Z",
		"26Jan2004":                 "2004-01-26T00:00:00Z",
		"2004/01-26":                "",
		"26/01-2004":                "",
		"Sat 26 Jan 13 people came": "",
		"06/05/2024 10:00":          "",
		"Version 5 pro 2024":        "",
		"2024":                      "",
		"2024-05":                   "",
		"":                          "",
	} {
		got, ok := Find(in)
		if s := got.Format(time.RFC3339); ok != (want != "") || ok && s != want {
			t.Errorf("Find(%q) = %s, %v; want %q", in, s, ok, want)
		}
	}
}

// TestDateparser reads what the tests of another project hold.
func TestDateparser(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("testdata/dateparser.tsv")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(b)) {
		text, want, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		at, err := time.Parse(time.RFC3339, want)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := Find(text); !ok || !got.Equal(at) {
			t.Errorf("Find(%q) = %v, %v; want %s", text, got, ok, want)
		}
		n++
	}
	if n < 150 {
		t.Errorf("only %d dates", n)
	}
}

// TestRoundTrip writes random times in all forms of date, time of day and zone,
// in any order that people write them in, and reads them again.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	dates := []string{"2006-01-02", "2006/01/02", "2006-1-2", "2 Jan 2006", "2 January 2006", "02-Jan-2006", "Mon, 02 Jan 2006", "Monday, 2. January 2006", "January 2, 2006", "Jan. 2nd, 2006", "Mon, Jan 2 2006", "2 de January de 2006", "2006年1月2日", "02.01.2006", "2006 Jan 02"}
	clocks := []string{"15:04:05", "15:04", "3:04 PM", "3:04pm", "3:04:05 p.m.", "15h04"}
	names := []string{"", "Z", "UTC", "GMT"}
	for name := range zones {
		names = append(names, name)
	}
	slices.Sort(names)
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 2_000 {
		at := time.Unix(rnd.Int64N(60*365*86400)+10*365*86400+86400*3, 0).UTC()
		clock := clocks[rnd.IntN(len(clocks))]
		if !strings.Contains(clock, "05") {
			at = at.Truncate(time.Minute)
		}
		day := at.Format(dates[rnd.IntN(len(dates))])
		hour := strings.Replace(at.Format(strings.Replace(clock, "p.m.", "PM", 1)), "PM", map[bool]string{true: "p.m.", false: "PM"}[strings.Contains(clock, "p.m.")], 1)
		if strings.Contains(clock, "p.m.") {
			hour = strings.Replace(hour, "AM", "a.m.", 1)
		}
		offset, zone := 0, ""
		if rnd.IntN(2) == 0 {
			name := names[rnd.IntN(len(names))]
			offset, zone = zones[name], strings.TrimSuffix(" "+name, " ")
		} else {
			offset = 15 * (rnd.IntN(14*4*2+1) - 14*4)
			sign, minutes := '+', offset
			if offset < 0 {
				sign, minutes = '-', -offset
			}
			form := []string{" %c%02d%02d", " %c%02d:%02d", " UTC%c%02d:%02d", " GMT%c%02d%02d", " (GMT%c%d:%02d)"}[rnd.IntN(5)]
			if sign == '-' && strings.HasPrefix(form, " %c%02d:") && !strings.Contains(clock, "05") {
				form = " UTC" + form[1:] // or it could be from one hour to another
			}
			zone = fmt.Sprintf(form, sign, minutes/60, minutes%60)
		}
		text := day + []string{" ", ", ", " at ", " | "}[rnd.IntN(4)] + hour + zone
		if rnd.IntN(3) == 0 {
			text = hour + zone + []string{" ", ", ", " on "}[rnd.IntN(3)] + day
		}
		if rnd.IntN(3) == 0 {
			text = "Published: " + text
		}
		got, ok := Find(text)
		if want := at.Add(-time.Duration(offset) * time.Minute); !ok || !got.Equal(want) {
			t.Fatalf("Find(%q) = %v, %v; want %v", text, got, ok, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("Thu, 05 Jan 2017 12:34:50 GMT")
	f.Add("2004-12-23T18:00:15.123-08:00")
	f.Add("-- - (")
	f.Fuzz(func(t *testing.T, s string) {
		if got, ok := Parse(s); ok && (got.Year() < 1979 || got.Location() != time.UTC) {
			t.Errorf("Parse(%q) = %v", s, got)
		}
		if got, ok := Find(s); ok && (got.Year() < 1969 || got.Year() > 2101) { // the zone may lead into the next year
			t.Errorf("Find(%q) = %v", s, got)
		}
	})
}

func BenchmarkFind(b *testing.B) {
	for _, s := range []string{"2004-12-23T18:00:15+02:00", "Thu, 05 Jan 2017 12:34:50 GMT", "Thu, 05 Jan 2017 12:34:50 EST", "Published on March 3rd, 2024 at 4:05 pm", strings.Repeat("nothing of the kind ", 10), strings.Repeat("1 2 34 may 5678 ", 13)} {
		b.Run(s[:min(len(s), 20)], func(b *testing.B) {
			for b.Loop() {
				Find(s)
			}
		})
	}
}
