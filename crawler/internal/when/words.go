package when

import (
	"strings"
	"time"
	"unicode/utf8"
)

// monthNames are the names of the months, in the languages of western Europe
// first. Of these the first three letters or more will do, of the others, which
// begin as many words do, four in Latin letters.
var monthNames = [12]struct{ west, others string }{
	{"january januar jänner janvier enero gennaio janeiro januari", "ledna leden stycznia styczeń ocak ianuarie január tammikuuta tammikuu января январь січня січень ιανουαρίου ιανουάριος"},
	{"february februar feber février fevrier febrero febbraio fevereiro februari", "února únor lutego luty şubat februarie február helmikuuta helmikuu февраля февраль лютого лютий φεβρουαρίου φεβρουάριος"},
	{"march märz mrz mars marzo março maart marts", "března březen marca marzec mart martie március maaliskuuta maaliskuu марта март березня березень μαρτίου μάρτιος"},
	{"april avril abril aprile", "dubna duben kwietnia kwiecień nisan aprilie április huhtikuuta huhtikuu апреля апрель квітня квітень απριλίου απρίλιος"},
	{"may mai mayo maggio maio mei maj", "května květen maja mayıs május toukokuuta toukokuu мая май травня травень μαΐου μάιος"},
	{"june juni juin junio giugno junho", "června červen czerwca czerwiec haziran iunie június kesäkuuta kesäkuu июня июнь червня червень ιουνίου ιούνιος"},
	{"july juli juillet julio luglio julho", "července červenec lipca lipiec temmuz iulie július heinäkuuta heinäkuu июля июль липня липень ιουλίου ιούλιος"},
	{"august août aout agosto augustus augusti", "srpna srpen sierpnia sierpień ağustos augusztus elokuuta elokuu августа август серпня серпень αυγούστου αύγουστος"},
	{"september septembre septiembre setembro settembre", "září września wrzesień eylül septembrie szeptember syyskuuta syyskuu сентября сентябрь вересня вересень σεπτεμβρίου σεπτέμβριος"},
	{"october oktober octobre octubre ottobre outubro", "října říjen października październik ekim octombrie október lokakuuta lokakuu октября октябрь жовтня жовтень οκτωβρίου οκτώβριος"},
	{"november novembre noviembre novembro", "listopadu listopad listopada kasım noiembrie marraskuuta marraskuu ноября ноябрь листопада листопад νοεμβρίου νοέμβριος"},
	{"december dezember desember décembre decembre diciembre dicembre dezembro", "prosince prosinec grudnia grudzień aralık decembrie joulukuuta joulukuu декабря декабрь грудня грудень δεκεμβρίου δεκέμβριος"},
}

// monthOf returns the number of the month that a word names, 0 for none. A whole
// name goes before what is the start of one: červenec is no červen.
func monthOf(word string) int {
	word = strings.ToLower(word)
	start := 0
	for i, names := range monthNames {
		for n := range strings.FieldsSeq(names.west) {
			if strings.HasPrefix(n, word) && start == 0 {
				start = i + 1
			}
		}
		for n := range strings.FieldsSeq(names.others) {
			switch {
			case n == word:
				return i + 1
			case strings.HasPrefix(n, word) && start == 0 && (utf8.RuneCountInString(word) > 3 || word[0] >= 0xcd):
				start = i + 1
			}
		}
	}
	return start
}

// zones are names of time zones, in minutes east of Greenwich. Of a name that
// several places have, the one that most texts mean.
var zones = map[string]int{
	"UT": 0, "UTC": 0, "GMT": 0, "Z": 0, "WET": 0, "ZULU": 0,
	// North America; those of mail (RFC 822, 5.1) are among them.
	"EST": -5 * 60, "EDT": -4 * 60, "CST": -6 * 60, "CDT": -5 * 60, "MST": -7 * 60, "MDT": -6 * 60, "PST": -8 * 60, "PDT": -7 * 60,
	"AST": -4 * 60, "ADT": -3 * 60, "NST": -3*60 - 30, "NDT": -2*60 - 30, "AKST": -9 * 60, "AKDT": -8 * 60, "HST": -10 * 60, "HADT": -9 * 60, "HAST": -10 * 60,
	// South America.
	"BRT": -3 * 60, "BRST": -2 * 60, "CLT": -4 * 60, "CLST": -3 * 60, "COT": -5 * 60, "UYT": -3 * 60, "VET": -4 * 60,
	// Europe and Africa.
	"BST": 60, "WEST": 60, "CET": 60, "CEST": 2 * 60, "MET": 60, "MEST": 2 * 60, "MEZ": 60, "MESZ": 2 * 60, "HNEC": 60, "HAEC": 2 * 60,
	"EET": 2 * 60, "EEST": 3 * 60, "MSK": 3 * 60, "MSD": 4 * 60, "TRT": 3 * 60, "WAT": 60, "SAST": 2 * 60, "IDT": 3 * 60,
	// Asia and Oceania.
	"IRST": 3*60 + 30, "PKT": 5 * 60, "IST": 5*60 + 30, "NPT": 5*60 + 45, "ICT": 7 * 60, "WIB": 7 * 60, "WITA": 8 * 60,
	"HKT": 8 * 60, "SGT": 8 * 60, "PHT": 8 * 60, "MYT": 8 * 60, "AWST": 8 * 60, "JST": 9 * 60, "KST": 9 * 60,
	"ACST": 9*60 + 30, "ACDT": 10*60 + 30, "AEST": 10 * 60, "AEDT": 11 * 60, "NZST": 12 * 60, "NZDT": 13 * 60,
}

// american are zones of the United States that are named without telling whether
// it is summer there, by their names in winter.
var american = map[string]string{"ET": "EST", "CT": "CST", "MT": "MST", "PT": "PST", "EASTERN": "EST", "CENTRAL": "CST", "MOUNTAIN": "MST", "PACIFIC": "PST"}

// zoneNamed returns the minutes east of Greenwich of a zone in upper case, at a
// time of its clocks.
func zoneNamed(name string, at time.Time) (minutes int, ok bool) {
	if winter, some := american[name]; some {
		minutes = zones[winter]
		if americanSummer(at) {
			minutes += 60
		}
		return minutes, true
	}
	minutes, ok = zones[name]
	return minutes, ok
}

// americanSummer reports whether clocks in the United States are put forward: by
// the rules since 1987, at two in the morning of a Sunday.
func americanSummer(at time.Time) bool {
	from, to := sunday(at.Year(), time.March, 8), sunday(at.Year(), time.November, 1)
	if at.Year() < 2007 {
		from, to = sunday(at.Year(), time.April, 1), sunday(at.Year(), time.October, 25)
	}
	return !at.Before(from) && at.Before(to)
}

// sunday returns two o'clock of the first Sunday from a day on.
func sunday(year int, month time.Month, day int) time.Time {
	t := time.Date(year, month, day, 2, 0, 0, 0, time.UTC)
	return t.AddDate(0, 0, (7-int(t.Weekday()))%7)
}
