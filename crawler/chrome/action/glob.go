package action

import (
	"net/url"
	"regexp"
	"strings"
)

// globs reports whether a URL matches a glob: one star is any characters but a
// slash, two are any at all. A glob that begins with a slash is about what
// follows the host.
func globs(glob, s string) bool {
	if strings.HasPrefix(glob, "/") {
		if u, err := url.Parse(s); err == nil {
			u.Scheme, u.Host, u.User = "", "", nil
			s = u.String()
		}
	}
	pattern := regexp.QuoteMeta(glob)
	pattern = strings.ReplaceAll(pattern, `\*\*`, ".*")
	pattern = strings.ReplaceAll(pattern, `\*`, "[^/]*")
	ok, err := regexp.MatchString("^(?s:"+pattern+")$", s)
	return ok && err == nil
}
