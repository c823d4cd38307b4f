package urlnorm

import (
	"errors"
	"fmt"
	"strings"
)

// What an [Error] matches with errors.Is.
var (
	ErrInvalid = errors.New("not a URL")                // a browser would not follow it either
	ErrScheme  = errors.New("not an http or https URL") // mailto:, javascript:, data:, ftp: ...
	ErrBase    = errors.New("unusable base URL")        // the base, not the reference, is at fault
	ErrTooLong = errors.New("URL too long")             // beyond Profile.MaxLen
)

// Error says why a URL has no canonical form.
type Error struct {
	URL string // the reference, or the base where that is at fault
	Err error  // matches one of the sentinels
}

func (e *Error) Error() string {
	u := e.URL
	if len(u) > 200 {
		u = u[:200] + "..."
	}
	return fmt.Sprintf("urlnorm: %q: %v", u, e.Err)
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// URL returns the canonical form, by the default [Profile], of a reference
// found in a document at base. An empty base stands for none: ref must be
// absolute then. Canonical URLs are their own canonical form. The error is an
// [*Error]. A plain link costs less than a microsecond, one that needs the
// full parser some ten.
func URL(base, ref string) (string, error) { return new(Profile).URL(base, ref) }

// URLIn is [URL] for a document in the named encoding, which non-ASCII
// characters of a query are sent in. Any label of the WHATWG encoding standard
// will do ("windows-1251", "sjis"); unknown ones mean UTF-8.
func URLIn(base, ref, charset string) (string, error) {
	return new(Profile).URLIn(base, ref, charset)
}

// URL is the function [URL] with the steps of p.
func (p *Profile) URL(base, ref string) (string, error) { return p.URLIn(base, ref, "") }

// URLIn is the function [URLIn] with the steps of p.
func (p *Profile) URLIn(base, ref, charset string) (string, error) {
	if len(ref) > p.maxLen() {
		return "", &Error{ref, ErrTooLong}
	}
	if len(base) > p.maxLen() {
		return "", &Error{base, fmt.Errorf("%w: %w", ErrBase, ErrTooLong)}
	}
	clean, fragment := tidy(ref)
	if foreign(clean) {
		return "", &Error{ref, ErrScheme}
	}
	if charset != "" && !ascii(clean) {
		clean = encodeQuery(clean, charset)
	}
	u, err := parse(base, clean)
	if err != nil {
		return "", err
	}
	u.fragment = fragment

	var buf [256]byte
	out := p.append(buf[:0], &u)
	if len(out) > p.maxLen() {
		return "", &Error{ref, ErrTooLong}
	}
	if string(out) == ref {
		return ref, nil
	}
	return string(out), nil
}

// tidy removes what the URL standard ignores, control characters and spaces
// around a URL, tabs and newlines within, and parts the fragment from it.
func tidy(ref string) (clean, fragment string) {
	for len(ref) > 0 && ref[0] <= ' ' {
		ref = ref[1:]
	}
	for len(ref) > 0 && ref[len(ref)-1] <= ' ' {
		ref = ref[:len(ref)-1]
	}
	for i := 0; i < len(ref); i++ {
		if c := ref[i]; c == '\t' || c == '\n' || c == '\r' {
			ref = ignored.Replace(ref)
			break
		}
	}
	clean, fragment, cut := strings.Cut(ref, "#")
	if cut && clean != "" && clean[len(clean)-1] <= ' ' {
		clean += "#" // or the parser would take spaces there for those around
	}
	return clean, fragment
}

var ignored = strings.NewReplacer("\t", "", "\n", "", "\r", "")

// foreign reports whether ref has a scheme that is not crawled.
func foreign(ref string) bool {
	n := schemeLen(ref)
	return n > 0 && !strings.EqualFold(ref[:n], "http") && !strings.EqualFold(ref[:n], "https")
}

// schemeLen returns the length of the scheme that ref starts with, 0 when it
// is relative.
func schemeLen(ref string) int {
	for i := 0; i < len(ref); i++ {
		switch c := ref[i]; {
		case c == ':':
			return i
		case c|0x20 >= 'a' && c|0x20 <= 'z':
		case i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return 0
		}
	}
	return 0
}

func ascii(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
