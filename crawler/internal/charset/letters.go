package charset

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"

	"github.com/webquarry/quarry/internal/lang"
)

// latinCharsets are the encodings that Latin script is tried in. Of two that fit as well
// the first is taken.
var latinCharsets = []struct {
	name      string
	enc       encoding.Encoding
	languages []string
}{
	{"windows-1252", charmap.Windows1252, []string{"en", "de", "fr", "es", "pt", "it", "nl", "da", "nb", "sv", "fi", "is", "ca", "ga", "sq"}},
	{"iso-8859-2", charmap.ISO8859_2, []string{"cs", "sk", "pl", "hu", "sl", "hr", "ro", "sq"}},
	{"windows-1250", charmap.Windows1250, []string{"cs", "sk", "pl", "hu", "sl", "hr", "ro", "sq"}},
	{"windows-1254", charmap.Windows1254, []string{"tr"}},
	{"windows-1257", charmap.Windows1257, []string{"lt", "lv", "et"}},
}

// lettersOf are the letters of languages that are not ASCII, in lower case.
var lettersOf = map[string]string{
	"en": "éèêëïîñçâàüöäáóíúå", "de": "äöüßé", "fr": "àâæçéèêëîïôœùûüÿ", "es": "áéíñóúüªº", "pt": "áâãàçéêíóôõúüªº", "it": "àèéìíîòóùú", "nl": "ëïéèöüáóêç",
	"da": "æøåéö", "nb": "æøåéòôóèö", "sv": "åäöéàü", "fi": "äöåšž", "is": "áðéíóúýþæö", "ca": "àçèéíïòóúü", "ga": "áéíóú", "sq": "ëç",
	"cs": "áčďéěíňóřšťúůýž", "sk": "áäčďéíĺľňóôŕšťúýž", "pl": "ąćęłńóśźż", "hu": "áéíóöőúüű", "sl": "čšžćđ", "hr": "čćđšž", "ro": "ăâîşţșț",
	"tr": "çğıöşüâîû", "lt": "ąčęėįšųūž", "lv": "āčēģīķļņšūžōŗ", "et": "äõöüšž",
}

// latin returns the encoding whose letters are those of one language. Of languages that
// fit as well, that of the text is taken, as it is told by letters that are the same in
// all of these, or that of the hint, which does not count for more than some letters.
func latin(sample []byte, hint string) string {
	best, most := latinCharsets[0].name, math.MinInt
	told := ""
	for i, c := range latinCharsets {
		text, err := c.enc.NewDecoder().String(string(sample))
		if err != nil {
			continue
		}
		if i == 0 {
			told = lang.Detect(withoutTags(text))
		}
		count, signs, faults := countLetters(text)
		for _, code := range c.languages {
			fit := signs - 3*faults
			for r, n := range count {
				if !strings.ContainsRune(lettersOf[code], r) {
					fit -= 3 * n
				} else if fit += n; code == told || code == hint {
					fit += n / 5
				}
			}
			if code == told || code == hint {
				fit++
			}
			if fit > most {
				best, most = c.name, fit
			}
		}
	}
	return best
}

// countLetters counts the letters that are not ASCII, taken as small ones. Signs are what
// stands where signs do, faults what no language has: signs and controls within words,
// capitals after small letters, digits after these letters, consonants alone.
func countLetters(text string) (count map[rune]int, signs, faults int) {
	count = make(map[rune]int)
	var before, last rune // last is the one before that
	sign := false         // before is one, right after a letter
	for _, r := range text + " " {
		letter := unicode.IsLetter(r)
		switch {
		case sign && letter:
			faults++
		case sign:
			signs++
		}
		sign = false
		if before >= utf8.RuneSelf && unicode.IsLetter(before) && !letter && (unicode.IsDigit(r) || !unicode.IsLetter(last) && !isVowel(before)) {
			faults++
		}
		switch {
		case r < utf8.RuneSelf:
		case letter:
			count[unicode.ToLower(r)]++
			if unicode.IsUpper(r) && unicode.IsLower(before) {
				faults++
			}
		case unicode.IsControl(r), r == utf8.RuneError:
			faults++
		case r == '’', r == '\u00ad', r == '\u00a0':
		case unicode.IsLetter(before):
			sign = true
		default:
			signs++
		}
		last, before = before, r
	}
	return count, signs, faults
}

// isVowel reports whether a letter may be a word.
func isVowel(r rune) bool {
	plain := []rune(norm.NFD.String(string(unicode.ToLower(r))))
	return strings.ContainsRune("aeiouyæøœı", plain[0])
}

// withoutTags returns what stands between the tags of a page, roughly.
func withoutTags(s string) string {
	var b strings.Builder
	for s != "" {
		text, rest, _ := strings.Cut(s, "<")
		b.WriteString(text)
		_, s, _ = strings.Cut(rest, ">")
		b.WriteByte(' ')
	}
	return b.String()
}

// script is one whose text has next to no ASCII letters.
type script struct {
	letters  string // in small, the most frequent first
	charsets []codePage
}

type codePage struct {
	name string
	enc  encoding.Encoding
}

var (
	cyrillic = script{"оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъёіїєјљњћђџўґ", []codePage{
		{"windows-1251", charmap.Windows1251}, {"koi8-r", charmap.KOI8R}, {"iso-8859-5", charmap.ISO8859_5},
		{"x-mac-cyrillic", charmap.MacintoshCyrillic}, {"ibm866", charmap.CodePage866}, {"ibm855", charmap.CodePage855}}}
	arabic = script{"ايلمونرتبةعدسفهكقأحجشطصخىذثءضإغزئظؤآپچگژک", []codePage{
		{"windows-1256", charmap.Windows1256}, {"iso-8859-6", charmap.ISO8859_6}}}
)

// dense reports whether a text is in a script that has its letters beyond ASCII: most
// of them stand between two of their kind.
func dense(sample []byte) bool {
	high, within := 0, 0
	for i, c := range sample {
		if c < utf8.RuneSelf {
			continue
		}
		high++
		if i > 0 && i+1 < len(sample) && sample[i-1] >= utf8.RuneSelf && sample[i+1] >= utf8.RuneSelf {
			within++
		}
	}
	return within*2 > high
}

// inScript returns the encoding in which a text is most likely in a script without ASCII
// letters, if it is likelier than that.
func inScript(sample []byte, least float64) (name string) {
	for _, s := range []script{cyrillic, arabic} {
		if found, likely := s.read(sample); likely > least {
			name, least = found, likely
		}
	}
	return name
}

// read returns the encoding in which a text is most likely in the script, and by how
// much more a letter of it is so than one taken at random.
func (s script) read(sample []byte) (name string, likely float64) {
	likely = math.Inf(-1)
	for _, c := range s.charsets {
		text, err := c.enc.NewDecoder().String(string(sample))
		if err != nil {
			continue
		}
		if l := s.likelihood(text); l > likely {
			name, likely = c.name, l
		}
	}
	return name, likely
}

// likelihood is the mean of the logarithm of the frequencies of a text's letters, against
// that of letters at random. Frequencies follow the rank.
func (s script) likelihood(text string) float64 {
	const rare = 200 // rank of what is no letter
	rank := make(map[rune]int)
	var all float64
	for i, r := range []rune(s.letters) {
		rank[r] = i
		all += 1 / float64(i+4)
	}
	sum, n := 0.0, 0
	var before rune
	for _, r := range text {
		if r >= utf8.RuneSelf {
			at, ok := rank[unicode.ToLower(r)]
			if !ok || unicode.IsUpper(r) && unicode.IsLower(before) {
				at = rare
			}
			sum += math.Log(float64(len(rank)) / float64(at+4) / all)
			n++
		}
		before = r
	}
	if n == 0 {
		return math.Inf(-1)
	}
	return sum / float64(n)
}
