package tally

import (
	"archive/zip"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/webquarry/quarry/index/facet"
)

// allZones runs TestDatesOfZones for every zone that Go knows.
//
//	QUARRY_ZONES=all go test ./index/internal/tally -run Zones -v
const allZones = "QUARRY_ZONES"

// zones have days without midnight, days left out or twice as long, hours that come
// twice, changes by half an hour or at a minute past midnight, and odd seconds.
var zones = []string{"UTC", "America/Sao_Paulo", "America/Havana", "America/Asuncion", "America/St_Johns", "Pacific/Apia", "Pacific/Kiritimati",
	"Pacific/Kwajalein", "Australia/Lord_Howe", "Europe/Amsterdam", "Africa/Monrovia", "Asia/Kathmandu", "Europe/Berlin", "Africa/Casablanca", "Asia/Manila", "America/Caracas", "Antarctica/Troll", "Asia/Gaza"}

func zoneNames(t *testing.T) []string {
	if os.Getenv(allZones) == "" {
		return zones
	}
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatalf("the list of all zones: %v", err)
	}
	r, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		t.Fatalf("the list of all zones: %v", err)
	}
	defer r.Close()
	var names []string
	for _, f := range r.File {
		if !strings.HasSuffix(f.Name, "/") {
			names = append(names, f.Name)
		}
	}
	return names
}

// label names the span of a moment by what calendar and clock show, without any
// arithmetic of spans.
func label(t time.Time, every facet.Span) string {
	switch every {
	case facet.Hour:
		return t.Format("2006-01-02T15")
	case facet.Week:
		year, week := t.ISOWeek()
		return fmt.Sprintf("%04d-W%02d", year, week)
	case facet.Month:
		return t.Format("2006-01")
	case facet.Quarter:
		return fmt.Sprintf("%04d-Q%d", t.Year(), (int(t.Month())-1)/3+1)
	case facet.Year:
		return t.Format("2006")
	}
	return t.Format("2006-01-02")
}

// moments are around each change of clocks from 1900 to 2040, around each beginning of a
// month, and some by chance.
func moments(r *rand.Rand, zone *time.Location) (out []time.Time) {
	end := time.Date(2040, 12, 31, 0, 0, 0, 0, time.UTC)
	around := func(t time.Time) {
		for _, d := range []time.Duration{0, time.Microsecond, time.Minute, 29 * time.Minute, 59 * time.Minute, time.Hour, 90 * time.Minute, 2 * time.Hour, 23 * time.Hour, 25 * time.Hour, 49 * time.Hour} {
			out = append(out, t.Add(d), t.Add(-d))
		}
	}
	for t := time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC).In(zone); t.Before(end); {
		around(t)
		_, next := t.ZoneBounds()
		if next.IsZero() {
			break
		}
		t = next
	}
	for month := range 141 * 12 {
		out = append(out, time.Date(1900, time.Month(month+1), 1, 0, 0, 0, 0, zone), time.Date(1900, time.Month(month+1), 1+r.IntN(28), r.IntN(24), r.IntN(60), r.IntN(60), 0, zone))
	}
	return out
}

// Names and bounds of the spans of a calendar are right wherever clocks are changed.
func TestDatesOfZones(t *testing.T) {
	t.Parallel()
	names := zoneNames(t)
	spans := 0
	for i, name := range names {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		r := rand.New(rand.NewPCG(uint64(i), 0))
		at := moments(r, zone)
		r.Shuffle(len(at), func(i, j int) { at[i], at[j] = at[j], at[i] })
		if os.Getenv(allZones) == "" {
			at = at[:len(at)/6]
		}
		for _, every := range []facet.Span{facet.Hour, facet.Day, facet.Week, facet.Month, facet.Quarter, facet.Year} {
			spans += checkDates(t, name, zone, every, at)
		}
	}
	t.Logf("%d zones, %d spans", len(names), spans)
}

func checkDates(t *testing.T, name string, zone *time.Location, every facet.Span, at []time.Time) int {
	d, err := newDates(facet.Dates{Every: every, In: zone}, Column{Time: true})
	if err != nil {
		t.Fatal(err)
	}
	want, first := map[string]int{}, map[string]time.Time{}
	for _, m := range at {
		d.Add([]int64{m.UnixMicro()})
		l := label(m, every)
		want[l]++
		if f, ok := first[l]; !ok || m.Before(f) {
			first[l] = m
		}
	}
	res, err := d.Result(func() error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i, b := range res.Buckets {
		switch {
		case seen[b.Name]:
			t.Errorf("%s: %s comes twice", name, b.Name)
		case b.Count != want[b.Name]:
			t.Errorf("%s: %s has %d, want %d", name, b.Name, b.Count, want[b.Name])
		case label(b.Start, every) != b.Name:
			t.Errorf("%s: %s begins at %v", name, b.Name, b.Start)
		case label(b.Start.Add(-time.Microsecond), every) == b.Name:
			t.Errorf("%s: %s begins before %v", name, b.Name, b.Start)
		case first[b.Name].Before(b.Start):
			t.Errorf("%s: %s begins at %v, not before %v", name, b.Name, b.Start, first[b.Name])
		case i > 0 && !res.Buckets[i-1].Start.Before(b.Start):
			t.Errorf("%s: %s begins before %s", name, b.Name, res.Buckets[i-1].Name)
		}
		seen[b.Name] = true
		for back := time.Minute; back < 27*time.Hour; back += 7 * time.Minute { // no earlier part of it
			if label(b.Start.Add(-back), every) == b.Name {
				t.Errorf("%s: %s is there before %v", name, b.Name, b.Start)
				break
			}
			if every != facet.Day && every != facet.Hour || len(res.Buckets) > 5000 && i%20 > 0 {
				break
			}
		}
	}
	if len(seen) != len(want) {
		t.Errorf("%s: %d spans, want %d", name, len(seen), len(want))
	}
	return len(seen)
}

// A day without midnight.
func TestDatesWithoutMidnight(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		zone  string
		every facet.Span
		at    []string // on the clock there
		want  string
	}{
		{"America/Sao_Paulo", facet.Day, []string{"2018-11-04 12:00", "2018-11-03 23:30", "2018-11-03 12:00"}, "2018-11-03 2 2018-11-03 00:00, 2018-11-04 1 2018-11-04 01:00"},
		{"America/Havana", facet.Day, []string{"2024-03-10 12:00"}, "2024-03-10 1 2024-03-10 01:00"},
		{"America/Asuncion", facet.Month, []string{"2023-10-15 12:00", "2023-09-30 23:59"}, "2023-09 1 2023-09-01 00:00, 2023-10 1 2023-10-01 01:00"},
		{"America/Asuncion", facet.Quarter, []string{"2023-10-15 12:00"}, "2023-Q4 1 2023-10-01 01:00"},
		{"Pacific/Apia", facet.Day, []string{"2011-12-29 12:00", "2011-12-31 00:00"}, "2011-12-29 1 2011-12-29 00:00, 2011-12-31 1 2011-12-31 00:00"},
		{"Pacific/Kiritimati", facet.Year, []string{"1994-12-30 12:00", "1995-01-01 00:00"}, "1994 1 1994-01-01 00:00, 1995 1 1995-01-01 00:00"},
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		d, err := newDates(facet.Dates{Every: c.every, In: zone}, Column{Time: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range c.at {
			at, err := time.ParseInLocation("2006-01-02 15:04", s, zone)
			if err != nil {
				t.Fatal(err)
			}
			d.Add([]int64{at.UnixMicro()})
		}
		res, err := d.Result(func() error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, b := range res.Buckets {
			got = append(got, fmt.Sprint(b.Name, " ", b.Count, " ", b.Start.Format("2006-01-02 15:04")))
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s: %s, want %s", c.zone, s, c.want)
		}
	}
}
