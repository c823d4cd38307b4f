package urlnorm

import (
	"errors"
	"fmt"
	"strings"

	whatwgerrors "github.com/nlnwa/whatwg-url/errors"
	whatwg "github.com/nlnwa/whatwg-url/url"
)

// parts is an http or https URL, read and serialised part by part as the URL
// standard has it. The fragment is as it was given.
type parts struct {
	scheme, user, host, port string
	dir, path                string // the path is dir + path
	query, fragment          string
	hasQuery                 bool
}

// parser reads URLs. The library's set of what is escaped in a path lacks the
// caret, which the standard got in 2024.
var parser = whatwg.NewParser(whatwg.WithPathPercentEncodeSet(whatwg.PathPercentEncodeSet.Set('^')))

// parse resolves ref, which has no fragment, against base. A base that is not
// needed may be anything.
func parse(base, ref string) (parts, error) {
	if n := schemeLen(ref); n > 0 && strings.HasPrefix(ref[n:], "://") {
		base = ""
	}
	if u, ok := fast(base, ref); ok {
		return u, nil
	}
	return slow(base, ref)
}

// slow is parse by the full parser.
func slow(base, ref string) (parts, error) {
	var from *whatwg.Url
	if base != "" {
		b, err := parser.Parse(base)
		if err != nil {
			return parts{}, &Error{base, fmt.Errorf("%w: %s", ErrBase, reason(err))}
		}
		if !crawlable(b.Scheme()) {
			return parts{}, &Error{base, fmt.Errorf("%w: %w", ErrBase, ErrScheme)}
		}
		from = b
	}
	if base == "" && schemeLen(ref) == 0 {
		return parts{}, &Error{ref, fmt.Errorf("%w: relative, and there is no base", ErrInvalid)}
	}
	u, err := parser.BasicParser(ref, from, nil, whatwg.NoState)
	if err != nil {
		return parts{}, &Error{ref, fmt.Errorf("%w: %s", ErrInvalid, reason(err))}
	}
	if !crawlable(u.Scheme()) {
		return parts{}, &Error{ref, ErrScheme}
	}
	return split(u), nil
}

func crawlable(scheme string) bool { return scheme == "http" || scheme == "https" }

func split(u *whatwg.Url) parts {
	out := parts{scheme: u.Scheme(), user: u.Username(), host: u.Hostname(), port: u.Port(), path: u.Pathname()}
	if u.Password() != "" {
		out.user += ":" + u.Password()
	}
	// Search cannot tell an empty query from none, Href can.
	href := u.Href(true)
	if _, query, ok := strings.Cut(href, "?"); ok {
		out.query, out.hasQuery = query, true
	}
	return out
}

// reason is the library's error without the URL, which Error names already.
func reason(err error) string {
	if v, ok := errors.AsType[*whatwgerrors.ValidationError](err); ok {
		return strings.ToLower(strings.TrimSuffix(string(v.Type()), "."))
	}
	return err.Error()
}
