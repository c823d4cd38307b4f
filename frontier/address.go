package frontier

import (
	"fmt"
	"math"
	"net/netip"
	"strconv"
	"strings"
	"sync"

	"github.com/zeebo/xxh3"
	"golang.org/x/net/publicsuffix"
)

// maxText is the greatest length of a URL, Via or Label in bytes.
const maxText = 64 << 10

// candidate is a request whose URL was looked at and found good.
type candidate struct {
	Request
	fp   uint64 // of the URL
	host uint64 // of scheme, host name and port
	name string // host name

	again bool // it is to be queued although it is known, unless it is in memory
}

// candidates is a list that is used again.
type candidates []candidate

var lists = sync.Pool{New: func() any { return new(candidates) }}

func takeList() *candidates { return lists.Get().(*candidates) }

// give lets others use the list.
func (cs *candidates) give() {
	cs.reset()
	lists.Put(cs)
}

// reset empties the list, and lets go of the texts.
func (cs *candidates) reset() {
	clear(*cs)
	*cs = (*cs)[:0]
}

// newCandidate refuses what cannot be visited. Fingerprints depend on seed, so that nobody can make up a URL
// that hides another one.
func newCandidate(req Request, seed uint64) (candidate, error) {
	key, name, msg := splitHost(req.URL)
	if msg != "" {
		return candidate{}, &URLError{URL: req.URL, Variant: req.Variant, Msg: msg}
	}
	if err := mend(&req); err != nil {
		return candidate{}, err
	}
	return candidate{Request: req, fp: req.key(seed), host: fingerprint(key, seed), name: name}, nil
}

// mend brings a request into the range that can be stored and ordered, or refuses it.
func mend(r *Request) error {
	if math.IsNaN(r.Priority) {
		r.Priority = 0
	}
	r.Depth, r.Hops, r.Attempt = count(r.Depth), count(r.Hops), count(r.Attempt)
	r.Via, r.Label = r.Via[:min(len(r.Via), maxText)], r.Label[:min(len(r.Label), maxText)]
	if len(r.Variant) > MaxVariant {
		return &URLError{URL: r.URL, Variant: r.Variant, Msg: fmt.Sprintf("variant: more than %d bytes", MaxVariant)}
	}
	if r.Meta == (Meta{}) { // as most
		return nil
	}
	if err := r.Meta.check(); err != nil {
		return &URLError{URL: r.URL, Variant: r.Variant, Msg: err.Error(), Err: err}
	}
	r.Meta = r.Meta.Merge(Meta{})
	return nil
}

// key is what a request goes by: the fingerprint of its URL and its Variant.
func (r *Request) key(seed uint64) uint64 {
	url := fingerprint(r.URL, seed)
	if r.Variant == "" {
		return url
	}
	return keyOf(url, r.Variant)
}

// keyOf is the fingerprint of a variant of a URL of which that is the fingerprint.
func keyOf[T string | []byte](url uint64, variant T) uint64 {
	if len(variant) == 0 {
		return url
	}
	return fingerprint(string(variant), url)
}

// fingerprint stands for a URL or host name. Two of n URLs have the same one
// with a probability of n²/2⁶⁵: 3 in a million for ten million URLs. The
// chance that a new URL is taken for one of n known ones, and so is never visited, is
// n/2⁶⁴: among a billion URLs 0.03 are expected to be lost so.
func fingerprint(s string, seed uint64) uint64 { return xxh3.HashStringSeed(s, seed) }

// count is n within the range that is stored.
func count(n int) int { return min(max(n, 0), math.MaxInt32) }

// splitHost finds the host of an absolute http or https URL. The key is the same
// for all URLs of one scheme, name and port; msg says what is wrong, if anything
// is. It does not judge path and query: only canon knows what they may be. What the
// URL standard allows in a host is taken, such as empty labels; the resolver may refuse it.
func splitHost(url string) (key, name, msg string) {
	scheme, rest, ok := strings.Cut(url, "://")
	port := "80"
	switch {
	case len(url) > maxText:
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
	name = toLower(name)
	key = toLower(scheme) + "://" + name
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

// toLower changes ASCII letters only: what others are equal is canon's business.
func toLower(s string) string {
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

// domainOf is the registrable domain of a host name, or the name itself where
// there is none: addresses, public suffixes, names of one label.
func domainOf(name string) string {
	if _, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil {
		return name
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(name)
	if err != nil {
		return name
	}
	return domain
}
