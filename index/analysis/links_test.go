package analysis

import (
	"slices"
	"strings"
	"testing"
)

// What signs make of the words that they stand between.
func TestLinks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		// acronyms
		"U.S.A. usa": "usa|u|s|a usa", "U.S. Army": "us|usa|u|s army", "u.k": "uk|u|k", "J.R.R. Tolkien": "jrr|j|r|r tolkien",
		"e.g. this": "eg|e|g this", "p.m.": "pm|p|m", "С.С.С.Р.": "ссср|с|с|с|р", "Ε.Ε.": "εε|ε|ε", "M.I.T.,": "mit|m|i|t",
		"end. U.S.": "end us|usa|u|s", "x.org": "x org", "a.b.list": "a b list", "node.js": "node js", "v.1.2": "v 1 2", "A. B.": "a b",
		// numbers
		"1,000,000": "1000000", "1.000.000": "1000000", "1,000": "1000", "12,34,567": "1234567", "1.000,50": "1000 50", "1,000.50": "1000 50",
		"999,999,999,999": "999999999999", "3.14": "3 14", "1.000": "1 000", "0,123": "0 123", "1,00": "1 00", "1,0000": "1 0000",
		"192.168.100.200": "192 168 100 200", "10.0.0.1": "10 0 0 1", "2024-01-31": "2024 01 31", "1, 000": "1 000", "١٬٠٠٠ ١٢": "1 000 12",
		"1,000,000.00 $2,500": "1000000 00 2500", "1,2,3": "1 2 3", "100,200,300x": "100 200 300x", "5,000-6,000": "5000 6000",
		// ampersands
		"AT&T": "att|at|t", "R&D": "rd|r|d", "Q&A Q & A": "qa|q|a q a", "B&B": "bb|b|b", "rock&roll": "rock roll", "a=1&b=2": "a 1 b 2", "H&M’s": "hm|h|m s",
		// hyphens
		"wi-fi": "wi wifi|fi", "Wi‐Fi": "wi wifi|fi", "wi‑fi": "wi wifi|fi", "COVID-19": "covid covid19|19", "F-16s": "f f16s|16s", "state-of-the-art": "state of the art",
		"e-mail.com": "e email|mail com", "--help": "help", "a -b": "a b", "co-opération": "co cooperation|operation", "вай-фай": "вай вайфай|фай",
		"re-use's": "re use", "C-C++": "c c++", "-": "", "a-": "a", "e-mail-address": "e mail address",
		// signs that are part of a word
		".NET": ".net|net", "(.NET)": ".net|net", ".NET 8": ".net|net 8", "ASP.NET": "asp net", ".network": "network", "C# F# C++": "c# f# c++",
		// emoji
		"👍 ok": "👍 ok", "👍🏽": "👍", "a👍b": "a 👍 b", "👩‍👧": "👩\u200d👧", "👩🏽‍🚀": "👩\u200d🚀", "🇩🇪🇫🇷": "🇩🇪 🇫🇷", "❤️": "❤", "❤": "❤", "★★": "★ ★",
		"🏴󠁧󠁢󠁥󠁮󠁧󠁿": "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "😀😀": "😀 😀", "1️⃣": "1⃣", "🏳️‍🌈": "🏳\u200d🌈", "→ ©": "",
		// names
		"#go @gopher #100DaysOfCode": "go gopher 100daysofcode", "@a_b": "a b",
	} {
		if got := words(Standard{}, text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// A query asks for the parts of a word with a hyphen in a row, or for any of its other forms.
func TestVariants(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"wi-fi": "wifi", "Wi-Fi": "wifi", "wi‑fi": "wifi", "wifi": "wi fi", "e-mail": "email", "email": "e mail", "emails": "e mails", "antivirus": "anti virus",
		"covid19": "covid 19", "covid-19": "covid19", "mp3": "mp 3", "3d": "3 d", "well-known": "wellknown", "multimedia": "multi media", "on-line": "online", "online": "on line",
		"state-of-the-art": "", "2024-01": "", "a_b": "", "vacuum": "", "inter": "", "": "", "-x": "", "x86a64": "", "interest": "", "C++": "", "👍": "", "вай-фай": "вайфай",
	} {
		got := strings.Join(Variants(&English{}, word), "|")
		if got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
	if got := Variants(ownWords{}, "wi-fi"); got != nil {
		t.Errorf("of an analyzer with other words: %q", got)
	}
	joints := Joints(&English{}, strings.Fields("free wi fi and e mails for anti virus"))
	if want := []Joint{{1, 3, "wifi"}, {4, 6, "email"}, {7, 9, "antivirus"}}; !slices.Equal(joints, want) {
		t.Errorf("joints %v, want %v", joints, want)
	}
}

// Words with a hyphen are in groups of synonyms.
func TestSynonymsOfLinks(t *testing.T) {
	t.Parallel()
	s := NewSynonyms(nil, []string{"e-mail", "electronic mail"}, []string{"O'Reilly", "publisher"})
	for text, want := range map[string]string{
		"an e-mail now": "an e mail|e email|mail now", "publisher": "oreilly|publisher", "an O'Reilly": "an oreilly|reilly",
	} {
		if got := words(s, text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

type ownWords struct{ Standard }
