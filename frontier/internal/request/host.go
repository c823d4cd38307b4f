package request

import (
	"net/netip"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"
	"golang.org/x/net/publicsuffix"
)

// KeyOf is the fingerprint of a variant of a URL of which that is the fingerprint.
func KeyOf[T string | []byte](url uint64, variant T) uint64 {
	if len(variant) == 0 {
		return url
	}
	return Fingerprint(string(variant), url)
}

// Fingerprint stands for a URL or host name. Two of n URLs have the same one
// with a probability of n²/2⁶⁵: 3 in a million for ten million URLs. The
// chance that a new URL is taken for one of n known ones, and so is never visited, is
// n/2⁶⁴: among a billion URLs 0.03 are expected to be lost so.
func Fingerprint(s string, seed uint64) uint64 { return xxh3.HashStringSeed(s, seed) }

// SplitHost finds the host of an absolute http or https URL. The key is the same
// for all URLs of one scheme, name and port; msg says what is wrong, if anything
// is. It does not judge path and query: that is left to URL normalisation. What the
// URL standard allows in a host is taken, such as empty labels; the resolver may refuse it.
func SplitHost(url string) (key, name, msg string) {
	scheme, rest, ok := strings.Cut(url, "://")
	port := "80"
	switch {
	case len(url) > MaxText:
		return "", "", "too long"
	case !ok:
		return "", "", "not absolute"
	case strings.EqualFold(scheme, "https"):
		port = "443"
	case !strings.EqualFold(scheme, "http"):
		return "", "", "neither http nor https"
	}
	if hasControl(url) {
		return "", "", "space or control character"
	}
	end := 0
	for end < len(rest) && rest[end] != '/' && rest[end] != '?' && rest[end] != '#' {
		end++
	}
	authority := rest[:end]
	plain := url[:len(scheme)+3+len(authority)]
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		authority, plain = authority[i+1:], ""
	}
	name, given, msg := splitPort(authority)
	if msg != "" {
		return "", "", msg
	}
	if plain != "" && (given == "" || given != port) && name+portSuffix(given) == authority && isLower(plain) {
		return plain, name, "" // no string to be built
	}
	name = ToLower(name)
	key = ToLower(scheme) + "://" + name
	if given != "" && given != port {
		key += ":" + given
	}
	return key, name, ""
}

// hasControl says whether there is a space or a control character of ASCII. It looks at
// eight bytes at a time.
func hasControl(s string) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; len(s) >= 8; s = s[8:] {
		x := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		del := x ^ 0x7f*ones
		if ((x-(' '+1)*ones)&^x|(del-ones)&^del)&highs != 0 {
			return true
		}
	}
	for i := range len(s) {
		if s[i] <= ' ' || s[i] == 0x7f {
			return true
		}
	}
	return false
}

func portSuffix(port string) string {
	if port == "" {
		return ""
	}
	return ":" + port
}

// splitPort parts an authority without user into host name and port. Dots at
// the end of the name and zeros at the start of the port mean nothing.
func splitPort(authority string) (name, port, msg string) {
	name = authority
	colon := strings.LastIndexByte(authority, ':')
	if colon > strings.LastIndexByte(authority, ']') {
		name, port = authority[:colon], authority[colon+1:]
	}
	if port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || port[0] == '+' {
			return "", "", "bad port"
		}
		port = strconv.Itoa(int(n))
	}
	if strings.HasPrefix(name, "[") {
		inner, ok := strings.CutSuffix(name[1:], "]")
		if ip, err := netip.ParseAddr(inner); !ok || err != nil || !ip.Is6() || ip.Zone() != "" {
			return "", "", "bad IPv6 address"
		}
		return name, port, ""
	}
	switch {
	case name == "":
		return "", "", "no host"
	case hasBad(name):
		return "", "", "bad character in host"
	}
	if trimmed := strings.TrimRight(name, "."); trimmed != "" {
		name = trimmed
	}
	return name, port, ""
}

// hasBad says whether any of :<>[\]^|% is in a host name, which the URL standard
// forbids there.
func hasBad(name string) bool {
	const (
		low  = 1<<':' | 1<<'<' | 1<<'>' | 1<<'%'
		high = 1<<('['-64) | 1<<('\\'-64) | 1<<(']'-64) | 1<<('^'-64) | 1<<('|'-64)
	)
	for i := range len(name) {
		bad := uint64(low)
		if name[i] >= 64 {
			bad = high
		}
		if name[i] < 128 && bad>>(name[i]&63)&1 != 0 {
			return true
		}
	}
	return false
}

func isLower(s string) bool {
	for i := range len(s) {
		if 'A' <= s[i] && s[i] <= 'Z' {
			return false
		}
	}
	return true
}

// ToLower changes ASCII letters only: which others are equal is left to URL normalisation.
func ToLower(s string) string {
	if isLower(s) {
		return s
	}
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// DomainOf is the registrable domain of a host name, or the name itself where
// there is none: addresses, public suffixes, names of one label.
func DomainOf(name string) string {
	if _, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil {
		return name
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(name)
	if err != nil {
		return name
	}
	return domain
}
