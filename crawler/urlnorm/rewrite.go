package urlnorm

import (
	"bytes"
	"slices"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// append appends the canonical form of u to dst.
func (p *Profile) append(dst []byte, u *parts) []byte {
	dst = append(dst, u.scheme...)
	dst = append(dst, "://"...)
	if p.KeepUserinfo && u.user != "" {
		dst = append(dst, u.user...)
		dst = append(dst, '@')
	}
	dst = append(dst, p.host(u.host)...)
	if u.port != "" {
		dst = append(dst, ':')
		dst = append(dst, u.port...)
	}
	dst = p.appendPath(dst, u)
	if u.hasQuery {
		dst = p.appendQuery(dst, u.query)
	}
	if p.keepFragment(u.fragment) {
		dst = append(dst, '#')
		dst = p.appendEscaped(dst, parser.PercentEncodeString(u.fragment, whatwg.FragmentPercentEncodeSet))
	}
	return dst
}

// host drops the dot of the root, which names the same host. More dots than
// one are left: what is no name must not become one.
func (p *Profile) host(h string) string {
	n := len(h)
	if p.KeepRootDot || n < 2 || h[n-1] != '.' || h[n-2] == '.' {
		return h
	}
	return h[:n-1]
}

func (p *Profile) appendPath(dst []byte, u *parts) []byte {
	at := len(dst)
	dst = p.appendEscaped(dst, u.dir)
	dst = p.appendEscaped(dst, u.path)
	if !p.KeepSessions && (bytes.IndexByte(dst[at:], ';') >= 0 || bytes.IndexByte(dst[at:], '(') >= 0) {
		dst = dropPathSessions(dst, at)
	}
	return dst
}

// appendQuery appends "?" and what remains of a query.
func (p *Profile) appendQuery(dst []byte, query string) []byte {
	at := len(dst)
	dst = append(dst, '?')
	whole, kept := query, 0
	var seen pairSet
	for more := true; more; {
		var pair string
		pair, query, more = strings.Cut(query, "&")
		if pair == "" && !p.KeepEmpty {
			continue
		}
		end := len(dst)
		if kept > 0 {
			dst = append(dst, '&')
		}
		from := len(dst)
		dst = p.appendEscaped(dst, pair)
		if added := dst[from:]; p.drop(added, whole) || !p.KeepDuplicates && len(added) > 0 && !seen.add(dst[at+1:end], added) {
			dst = dst[:end]
			continue
		}
		kept++
	}
	if len(dst) == at+1 && !p.KeepEmpty {
		return dst[:at]
	}
	if p.SortQuery {
		sortQuery(dst[at+1:])
	}
	return dst
}

// pairSet tells whether a parameter came before. Up to a dozen it searches the
// query so far, beyond that, so as not to take quadratic time, a map.
type pairSet struct {
	n    int
	many map[string]bool
}

// add reports whether pair is not yet among the pairs of query.
func (s *pairSet) add(query, pair []byte) bool {
	const few = 12
	s.n++
	if s.n <= few {
		return !among(query, pair)
	}
	if s.many == nil {
		s.many = make(map[string]bool)
		for before := range strings.SplitSeq(string(query), "&") {
			s.many[before] = true
		}
	}
	if s.many[string(pair)] {
		return false
	}
	s.many[string(pair)] = true
	return true
}

// among reports whether pair is one of the pairs of query.
func among(query, pair []byte) bool {
	for len(query) >= len(pair) {
		n := bytes.IndexByte(query, '&')
		if n < 0 {
			n = len(query)
		}
		if bytes.Equal(query[:n], pair) {
			return true
		}
		query = query[min(n+1, len(query)):]
	}
	return false
}

// sortQuery sorts the parameters of a query by name, in place.
func sortQuery(query []byte) {
	pairs := bytes.Split(bytes.Clone(query), []byte("&"))
	slices.SortStableFunc(pairs, func(a, b []byte) int { return bytes.Compare(name(a), name(b)) })
	copy(query, bytes.Join(pairs, []byte("&")))
}

// name returns the name of a parameter.
func name(pair []byte) []byte {
	n, _, _ := bytes.Cut(pair, []byte("="))
	return n
}

// appendEscaped appends s with its percent-escapes in one spelling: digits in
// upper case, characters that never need an escape as themselves.
func (p *Profile) appendEscaped(dst []byte, s string) []byte {
	if p.KeepEscapes {
		return append(dst, s...)
	}
	for {
		i := strings.IndexByte(s, '%')
		if i < 0 {
			return append(dst, s...)
		}
		dst = append(dst, s[:i]...)
		if s = s[i:]; len(s) < 3 || !hex(s[1]) || !hex(s[2]) {
			dst, s = append(dst, '%'), s[1:]
			continue
		}
		c := unhex(s[1])<<4 | unhex(s[2])
		if unreserved(c) && !(hex(c) && completes(dst)) {
			dst = append(dst, c)
		} else {
			dst = append(dst, '%', upper(s[1]), upper(s[2]))
		}
		s = s[3:]
	}
}

// completes reports whether a hexadecimal digit appended to dst could belong
// to a percent sign that has been literal so far, as in %%41 or %4%31.
func completes(dst []byte) bool {
	return bytes.IndexByte(dst[max(0, len(dst)-2):], '%') >= 0
}

func unreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		c == '-' || c == '.' || c == '_' || c == '~'
}

func hex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c&^0x20 - 'A' + 10
}

func upper(c byte) byte {
	if c >= 'a' {
		return c &^ 0x20
	}
	return c
}
