package crawler

import (
	"strings"

	"github.com/webquarry/quarry/crawler/canon"
)

// SameHost follows links to the hosts of the seeds, over http and https alike.
// A port that is not the scheme's own is part of the host.
func SameHost(seeds ...string) Follow { return within(seeds, hostPort) }

// SameSite follows links to the sites of the seeds: their registrable domains
// with all subdomains, so that from http://www.example.com also
// https://example.com and http://docs.example.com belong. IP addresses and
// names like localhost are sites of their own, on whatever port.
func SameSite(seeds ...string) Follow { return within(seeds, canon.Site) }

// within follows links that share a key with one of the seeds.
func within(seeds []string, key func(string) string) Follow {
	inside := make(map[string]bool, len(seeds))
	for _, s := range seeds {
		if u, err := canon.URL("", s); err == nil {
			inside[key(u)] = true
		}
	}
	return func(_ *Page, link Link) (float64, bool) { return 0, inside[key(link.URL)] }
}

// hostPort returns what stands between scheme and path of a canonical URL.
func hostPort(u string) string {
	_, rest, _ := strings.Cut(u, "://")
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	return rest
}

// Prefix follows links to URLs that begin with one of the given ones, as in
// Prefix("https://example.com/docs/"). Mind the slash at the end: without it
// https://example.com/docs-old belongs too.
func Prefix(urls ...string) Follow {
	prefixes := make([]string, 0, len(urls))
	for _, s := range urls {
		if u, err := canon.URL("", s); err == nil {
			prefixes = append(prefixes, u)
		}
	}
	return func(_ *Page, link Link) (float64, bool) {
		for _, p := range prefixes {
			if strings.HasPrefix(link.URL, p) {
				return 0, true
			}
		}
		return 0, false
	}
}

// MaxDepth follows what f does, but no further than n links from a seed.
func MaxDepth(f Follow, n int) Follow {
	return func(from *Page, link Link) (float64, bool) {
		if from.Response != nil && from.Response.Request.Depth >= n {
			return 0, false
		}
		return f(from, link)
	}
}

// Include follows what f does of the URLs that match one of the globs. A star
// stands for any characters, all others for themselves. A glob that begins with
// a slash is matched against path and query, any other against the whole URL:
// "/docs/*.html", "https://*.example.com/*".
func Include(f Follow, globs ...string) Follow { return filter(f, globs, true) }

// Exclude follows what f does of the URLs that match none of the globs, which
// are those of [Include].
func Exclude(f Follow, globs ...string) Follow { return filter(f, globs, false) }

func filter(f Follow, globs []string, want bool) Follow {
	return func(from *Page, link Link) (float64, bool) {
		if matchesAny(globs, link.URL) != want {
			return 0, false
		}
		return f(from, link)
	}
}

// matchesAny reports whether a URL matches one of the globs.
func matchesAny(globs []string, u string) bool {
	_, path, _ := strings.Cut(u, "://")
	path = path[len(hostPort(u)):]
	for _, g := range globs {
		s := u
		if strings.HasPrefix(g, "/") {
			s = path
		}
		if glob(g, s) {
			return true
		}
	}
	return false
}

// glob reports whether pattern, in which stars stand for any characters,
// matches all of s. The parts between stars are found from left to right, the
// earliest fit each, which is enough since a star can make up for it.
func glob(pattern, s string) bool {
	first, rest, starred := strings.Cut(pattern, "*")
	if !starred {
		return pattern == s
	}
	s, ok := strings.CutPrefix(s, first)
	if !ok {
		return false
	}
	for {
		part, more, again := strings.Cut(rest, "*")
		if !again {
			return strings.HasSuffix(s, part)
		}
		i := strings.Index(s, part)
		if i < 0 {
			return false
		}
		s, rest = s[i+len(part):], more
	}
}
