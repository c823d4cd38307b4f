package extract

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/currency"
)

// Price is an amount of money.
type Price struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency,omitempty"` // ISO 4217; empty when the text does not tell
}

// longestPrice is how much of a text a price is looked for in, in bytes.
const longestPrice = 4096

// ParsePrice reads a price as shops write them: "$1,299.90", "1.299,90 €",
// "CHF 1'299.–", "12 500 Kč", "35€ 99", "99 ¢". Of several numbers it is the first
// that a currency stands beside, so that "2 for $5" are five dollars, or else the
// first. A point or comma before three digits parts thousands, but for currencies
// with three decimals. Of signs that several countries have the one is meant that
// most texts mean: $ alone is USD, ¥ JPY and Rs INR; for kr no currency is given, nor
// for a dollar of letters that are not known. It looks at the first 4 KiB of a text.
func ParsePrice(s string) (Price, error) {
	if f, ok := written(s); ok {
		return Price{Amount: f}, nil
	}
	s = strings.Map(westernDigit, clip(s, longestPrice))
	if rands.MatchString(s) {
		s = strings.Replace(s, "R", "ZAR", 1)
	}
	if pence.MatchString(strings.TrimSpace(s)) {
		s = strings.Replace(s, "p", " GBp", 1)
	}
	all := slices.Collect(numbers(s))
	if len(all) == 0 {
		return Price{}, fmt.Errorf("%q holds no number", clip(s, 40))
	}
	marks := marksIn(s)
	n, m := choose(s, all, marks)
	number := all[n]
	if m < 0 { // none beside it: a sign elsewhere will do
		m = slices.IndexFunc(marks, func(m mark) bool { return m.sign && m.code != "" })
	}
	if apart := apart.FindStringSubmatch(s); apart != nil {
		number.text = apart[1] + "." + apart[2]
	}
	code := ""
	if m >= 0 {
		code = marks[m].code
		if slices.Contains([]string{"$", "¥", "￥"}, marks[m].text) {
			code = refine(code, marks, m, number)
		}
		number.text = withDecimals(s, all, n, marks[m])
	}
	amount, err := number.value(thousandths(code))
	if err != nil {
		return Price{}, err
	}
	if m >= 0 && marks[m].cents {
		amount /= 100
	}
	return Price{amount, code}, nil
}

// rands are South African ones where they are all of a text: R2 may be a name.
var rands = regexp.MustCompile(`^\s*R ?\d{1,3}(?:[ ,\x{a0}]?\d{3})*(?:[.,]\d\d)?\s*$`)

// pence are British ones where they are all of a text: 1080p is none.
var pence = regexp.MustCompile(`^\d{1,2}p$`)

// apart is a number whose decimals stand apart, and nothing else.
var apart = regexp.MustCompile(`^\s*(\d+)[.,] (\d\d)\s*$`)

// mark is what names a currency in a text.
type mark struct {
	text     string
	code     string
	from, to int
	sign     bool // not a word that may stand for another thing
	before   bool // stands before its amounts, where it could be either
	cents    bool
}

// beside is what may stand between a number and its currency.
var beside = regexp.MustCompile(`^[\s:.,()*=–-]{0,4}$`)

// choose returns the number that is the price and the mark that stands beside it,
// -1 for none: the first with one that is not a common word as well, or else the
// first with any, or else the first that is no percentage.
func choose(s string, all []span, marks []mark) (n, m int) {
	owner := make([]int, len(all)) // the mark of each number
	for i := range owner {
		owner[i] = -1
	}
	for i, k := range marks {
		after, _ := slices.BinarySearchFunc(all, k.to, func(n span, to int) int { return cmp.Compare(n.from, to) })
		best, far := -1, 0
		if after > 0 && all[after-1].to <= k.from {
			if gap := s[all[after-1].to:k.from]; len(gap) <= 12 && beside.MatchString(gap) {
				best, far = after-1, len(gap)
			}
		}
		if after < len(all) {
			gap := s[k.to:all[after].from]
			if len(gap) <= 12 && beside.MatchString(gap) && (best < 0 || len(gap) < far || len(gap) == far && k.before) {
				best = after
			}
		}
		if best >= 0 && (owner[best] < 0 || !marks[owner[best]].sign && k.sign) {
			owner[best] = i
		}
	}
	for j := len(all) - 2; j >= 0; j-- { // from 5 to 10 €
		if gap := strings.TrimSpace(s[all[j].to:all[j+1].from]); owner[j] < 0 && owner[j+1] >= 0 && (gap == "–" || gap == "-" || gap == "" && strings.HasPrefix(all[j+1].text, "-")) {
			owner[j] = owner[j+1]
		}
	}
	for _, common := range []bool{false, true} {
		for j, i := range owner {
			if i >= 0 && (common || marks[i].code == "" || marks[i].sign || !alsoWords[marks[i].code]) {
				return j, i
			}
		}
	}
	for j, number := range all {
		if !strings.HasPrefix(strings.TrimLeft(s[number.to:], " \u00a0"), "%") {
			return j, -1
		}
	}
	return 0, -1
}

// alsoWords are codes that are English words or names as well. They count only where
// nothing else tells which number is the price, and only beside one.
var alsoWords = map[string]bool{"ALL": true, "TRY": true, "TOP": true, "CUP": true, "PEN": true, "MOP": true, "BAM": true, "SOS": true, "GEL": true, "COP": true, "MAD": true, "AMD": true, "BOB": true, "RON": true, "LAK": true, "ANG": true}

// withDecimals returns the number with decimals that stand apart from it: behind
// the currency, as in 35€ 99, behind a point and a space, as in $119. 95 and
// 118, 99 €, or raised, as in $35 99 where nothing follows.
func withDecimals(s string, all []span, n int, m mark) string {
	number := all[n]
	twoDigits := func(i int) bool {
		return i >= 0 && i < len(all) && len(all[i].text) == 2 && all[i].text[0] >= '0' && all[i].text[0] <= '9'
	}
	isEnd := func(i int) bool { return strings.TrimLeft(s[i:], " *\u00a0") == "" }
	whole := !strings.ContainsAny(number.text, ".,")
	if whole && twoDigits(n+1) {
		next := all[n+1]
		gap := s[number.to:next.from]
		behind := m.from >= number.to && m.to <= next.from && strings.Trim(gap, " \u00a0") == m.text
		r, _ := utf8.DecodeRuneInString(s[next.to:])
		switch {
		case behind && (strings.HasSuffix(gap, m.text) && !unicode.IsLetter(r) && r != '%' && m.sign || isEnd(next.to)),
			m.to <= number.from && gap == " " && isEnd(next.to),
			m.to <= number.from && (gap == ". " || gap == ", ") && endsPrice(s[next.to:]):
			return number.text + "." + next.text
		}
	}
	if twoDigits(n) && n > 0 && m.from >= number.to {
		if gap := s[all[n-1].to:number.from]; (gap == ". " || gap == ", ") && !strings.Contains(all[n-1].text, gap[:1]) {
			return all[n-1].text + gap[:1] + number.text
		}
	}
	return number.text
}

// endsPrice reports whether no word or number goes on after a price.
func endsPrice(after string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(after, " \u00a0"))
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '%'
}

// marksIn finds the currencies that a text names, in their order.
func marksIn(s string) []mark {
	var out []mark
	taken := make([]bool, len(s))
	add := func(m mark) {
		if slices.Contains(taken[m.from:m.to], true) {
			return
		}
		for i := m.from; i < m.to; i++ {
			taken[i] = true
		}
		out = append(out, m)
	}
	for _, at := range dollars.FindAllStringSubmatchIndex(s, -1) {
		letters, space := strings.ToUpper(s[at[2]:at[3]]), at[4] >= 0 && at[5] > at[4]
		code, known := dollar[letters]
		if r, _ := utf8.DecodeLastRuneInString(s[:at[2]]); unicode.IsLetter(r) || space && (!known || len(letters) < 2) || !known && len(letters) > 2 ||
			letters == "U" && strings.HasPrefix(s[at[1]:], "S") {
			continue // the end of a word, or U$S
		}
		add(mark{text: s[at[2]:at[1]], code: code, from: at[2], to: at[1], sign: true, before: true})
	}
	for _, at := range latin.FindAllStringIndex(s, -1) {
		code := s[at[0]:at[1]]
		if len(code) != 3 || code != strings.ToUpper(code) && !(code == strings.ToLower(code) && lower[strings.ToUpper(code)]) {
			continue
		}
		if u, err := currency.ParseISO(strings.ToUpper(code)); err == nil {
			add(mark{text: code, code: u.String(), from: at[0], to: at[1], before: true})
		} else if code == "RMB" {
			add(mark{text: code, code: "CNY", from: at[0], to: at[1], before: true})
		}
	}
	for _, c := range names {
		for at := 0; ; {
			i := strings.Index(s[at:], c.text)
			if i < 0 {
				break
			}
			m := mark{text: c.text, code: c.code, from: at + i, to: at + i + len(c.text), sign: !c.word, before: c.before, cents: hundredths[c.text]}
			at = m.to
			first, _ := utf8.DecodeRuneInString(c.text)
			last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(c.text, "."))
			before, _ := utf8.DecodeLastRuneInString(s[:m.from])
			after, _ := utf8.DecodeRuneInString(s[m.to:])
			if c.word && (isWord(first) && isWord(before) || isWord(last) && isWord(after) && !c.stem) {
				continue
			}
			add(m)
		}
	}
	slices.SortFunc(out, func(a, b mark) int { return cmp.Compare(a.from, b.from) })
	return out
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) }

// refine returns which dollar or yen is meant where a code stands beside the sign
// or the number, as in SGD$4.90 and ¥99元.
func refine(code string, marks []mark, m int, number span) string {
	from, to := min(marks[m].from, number.from), max(marks[m].to, number.to)
	family := "USD AUD CAD NZD SGD HKD TWD MXN ARS CLP COP UYU DOP JMD TTD BBD BSD BZD BND FJD GYD KYD LRD NAD SBD SRD XCD ZWL CUP BRL"
	if code != "USD" {
		family = "JPY CNY"
	}
	for i, k := range marks {
		if i != m && k.code != "" && strings.Contains(family, k.code) && k.to >= from-2 && k.from <= to+2 {
			return k.code
		}
	}
	return code
}

var (
	latin = regexp.MustCompile(`[A-Za-z]+`)
	lower = map[string]bool{"EUR": true, "USD": true, "GBP": true, "CHF": true, "PLN": true, "CZK": true, "SEK": true, "NOK": true, "DKK": true, "NZD": true, "AUD": true, "CAD": true, "JPY": true, "HUF": true, "RON": true, "INR": true, "MKD": true, "RUB": true, "UAH": true, "TRY": true, "BRL": true}

	// dollars are signs of dollars, pesos and reals with the letters before them.
	dollars = regexp.MustCompile(`([A-Za-z]{1,4})( ?)\$`)
	dollar  = map[string]string{
		"US": "USD", "U": "UYU", "USD": "USD", "A": "AUD", "AU": "AUD", "AUD": "AUD", "C": "CAD", "CA": "CAD", "CAN": "CAD", "CAD": "CAD", "CDN": "CAD", "NZ": "NZD", "NZD": "NZD", "HK": "HKD", "HKD": "HKD",
		"NT": "TWD", "NTD": "TWD", "TW": "TWD", "S": "SGD", "SG": "SGD", "SGD": "SGD", "MX": "MXN", "MEX": "MXN", "MXN": "MXN", "R": "BRL", "BR": "BRL", "AR": "ARS", "ARS": "ARS", "CL": "CLP", "CLP": "CLP", "COL": "COP", "COP": "COP",
		"RD": "DOP", "J": "JMD", "JA": "JMD", "TT": "TTD", "BZ": "BZD", "BB": "BBD", "BDS": "BBD", "BS": "BSD", "BN": "BND", "EC": "XCD", "FJ": "FJD", "FJD": "FJD", "G": "GYD", "GY": "GYD", "CI": "KYD", "KY": "KYD",
		"L": "LRD", "LD": "LRD", "N": "NAD", "NA": "NAD", "SI": "SBD", "SR": "SRD", "T": "TOP", "WS": "WST", "MOP": "MOP", "CUC": "CUC", "UY": "UYU", "Z": "ZWL",
	}
)

// names are signs and words for currencies, longer ones first where one is in the
// other. What several countries write alike, as kr, is not there, but for $, ¥ and
// Rs.
var names = func() []currencyName {
	var out []currencyName
	add := func(word, before, stem bool, pairs string) {
		for pair := range strings.FieldsSeq(pairs) {
			text, code, _ := strings.Cut(pair, "=")
			out = append(out, currencyName{strings.ReplaceAll(text, "_", " "), code, word, before, stem})
		}
	}
	add(false, true, false, `U$S=USD $U=UYU $b=BOB E£=EGP LE£=EGP GB£=GBP CN¥=CNY JP¥=JPY RMB¥=CNY S/.=PEN B/.=PAB £=GBP ￡=GBP ¥=JPY ￥=JPY ₹=INR ₱=PHP ₦=NGN GH₵=GHS GH¢=GHS ₵=GHS ₲=PYG ₡=CRC $=USD`)
	add(false, false, false, `€=EUR ₽=RUB ₩=KRW ₺=TRY ₴=UAH ₫=VND ฿=THB ₪=ILS ₸=KZT ₮=MNT ₾=GEL ₼=AZN ֏=AMD ৳=BDT ៛=KHR ₭=LAK ؋=AFN ¢=USD 円=JPY 人民币=CNY 元=CNY 圆=CNY 圓=CNY 원=KRW บาท=THB`)
	add(true, true, false, `Rp.=IDR Rp=IDR RM=MYR Rs.=INR Rs=INR SFr.=CHF SFr=CHF Fr.=CHF KSh=KES KShs=KES TSh=TZS USh=UGX S/=PEN stg=GBP RMB=CNY GBp=GBP GBX=GBP`)
	add(true, false, true, `руб.=RUB руб=RUB грн.=UAH грн=UAH тенге=KZT`)
	add(true, false, false, `zł=PLN Zł=PLN ZŁ=PLN zl=PLN Zl=PLN złotych=PLN Kč=CZK kč=CZK KČ=CZK Ft=HUF лв.=BGN лв=BGN р.=RUB р=RUB Р=RUB Р.=RUB lei=RON Lei=RON LEI=RON TL=TRY đ=VND Đ=VND vnđ=VND VNĐ=VND
		KD=KWD OMR=OMR Dhs=AED DHS=AED тг=KZT сум=UZS so'm=UZS сом=KGS ден=MKD ДЕН=MKD дин=RSD Дин=RSD din.=RSD hrn=UAH nis=ILS NIS=ILS ש״ח=ILS ש"ח=ILS lari=GEL ლარი=GEL
		د.إ=AED ر.س=SAR د.ك=KWD ر.ق=QAR ر.ع=OMR ج.م=EGP د.ب=BHD د.ت=TND د.ج=DZD دج=DZD د.م=MAD د.ع=IQD د.أ=JOD ل.ل=LBP ل.س=SYP ر.ي=YER د.ل=LYD ل.د=LYD
		euro=EUR Euro=EUR EURO=EUR euros=EUR Euros=EUR dollars=USD yen=JPY yuan=CNY rupees=INR cents= cent= Cent=EUR`)
	return out
}()

// hundredths are names of the hundredth of a currency.
var hundredths = map[string]bool{"¢": true, "GBp": true, "GBX": true, "cent": true, "cents": true, "Cent": true}

type currencyName struct {
	text, code string
	word       bool // letters beside it make it part of another word
	before     bool
	stem       bool // endings may follow
}

func thousandths(code string) bool {
	u, err := currency.ParseISO(cmp.Or(code, "EUR"))
	if err != nil {
		return false
	}
	scale, _ := currency.Standard.Rounding(u)
	return scale == 3
}
