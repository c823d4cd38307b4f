package focus

import (
	"math"
	"net/netip"
	"strings"
)

// Address is what can be said of a URL before it is visited. The classes and
// figures are those that studies of crawl ordering by URL found telling.
type Address struct {
	HTTPS      bool
	Suffix     Suffix
	Length     int     // bytes
	Digits     float64 // share of digits in path and query
	Depth      int     // segments of the path
	Separators int     // of words: - _ + . , ~ in path and query
	Params     int     // of the query
	English    float64 // how alike the letters are to those of English text, 0..1; 0.5 with less than 4 letters
}

// Suffix is the class of a host's last label.
type Suffix string

// The classes of suffixes.
const (
	Commercial Suffix = "commercial" // com, biz, shop
	Public     Suffix = "public"     // org, edu, gov, int, mil, museum
	Network    Suffix = "network"    // net, info, io, dev and others of three letters and more
	Country    Suffix = "country"    // two letters
	Numeric    Suffix = "numeric"    // an IP address
)

// AddressOf looks at a URL.
func AddressOf(url string) Address {
	a := Address{Length: len(url), HTTPS: strings.HasPrefix(url, "https://")}
	_, rest, _ := strings.Cut(url, "://")
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	host, path := rest[:end], rest[end:]
	path, query, _ := strings.Cut(path, "?")
	a.Suffix = suffixOf(host)
	for s := range strings.SplitSeq(path, "/") {
		if s != "" {
			a.Depth++
		}
	}
	if query != "" {
		a.Params = 1 + strings.Count(query, "&")
	}
	digits := 0
	for _, c := range []byte(path + query) {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case strings.IndexByte("-_+.,~", c) >= 0:
			a.Separators++
		}
	}
	if n := len(path) + len(query); n > 0 {
		a.Digits = float64(digits) / float64(n)
	}
	a.English = English(rest)
	return a
}

func suffixOf(host string) Suffix {
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		host = host[:i]
	}
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return Numeric
	}
	label := host[strings.LastIndexByte(host, '.')+1:]
	switch label {
	case "com", "biz", "shop":
		return Commercial
	case "org", "edu", "gov", "int", "mil", "museum":
		return Public
	}
	if len(label) == 2 {
		return Country
	}
	return Network
}

// frequencies of the letters a to z in English text, per cent (R. Lewand,
// Cryptological Mathematics, 2000).
var frequencies = [26]float64{
	8.167, 1.492, 2.782, 4.253, 12.702, 2.228, 2.015, 6.094, 6.966, 0.153, 0.772, 4.025, 2.406,
	6.749, 7.507, 1.929, 0.095, 5.987, 6.327, 9.056, 2.758, 0.978, 2.360, 0.150, 1.974, 0.074,
}

// English compares the letters of a text with those of English: 1 less the
// Jensen-Shannon divergence of the two distributions, to the base 2. Session
// ids and hashes are low, as are other languages. Less than four letters are
// 0.5.
func English(text string) float64 {
	var n [26]float64
	total := 0.0
	for _, c := range []byte(text) {
		if c |= 0x20; c >= 'a' && c <= 'z' {
			n[c-'a']++
			total++
		}
	}
	if total < 4 {
		return 0.5
	}
	sum := 0.0
	for _, f := range frequencies {
		sum += f
	}
	divergence := 0.0
	for i := range n {
		p, q := n[i]/total, frequencies[i]/sum
		m := (p + q) / 2
		divergence += (part(p, m) + part(q, m)) / 2
	}
	return min(max(1-divergence, 0), 1)
}

// part is a term of the Kullback-Leibler divergence.
func part(p, m float64) float64 {
	if p == 0 {
		return 0
	}
	return p * math.Log2(p/m)
}
