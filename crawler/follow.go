package crawler

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/webquarry/quarry/crawler/urlnorm"
)

// The functions below make up the scope of a crawl, and wrap each other:
//
//	Exclude(MaxDepth(SameSite(seed), 5), "/calendar/**", "*.pdf")
//
// They look at canonical URLs, whatever a Parser gives, and follow nothing that
// has none. Links marked nofollow never get as far as Follow.

// Any follows all links.
func Any(_ *Page, link Link) (priority float64, ok bool) {
	_, err := urlnorm.URL("", link.URL)
	return 0, err == nil
}

// SameHost follows links to the hosts of the seeds, over http and https alike.
// A port that is not the scheme's own is part of the host.
func SameHost(seeds ...string) Follow { return within(seeds, hostPort) }

// SameSite follows links to the sites of the seeds: their registrable domains
// with all subdomains, so that from http://www.example.com also
// https://example.com and http://docs.example.com belong. IP addresses and
// names like localhost are sites of their own, on whatever port.
func SameSite(seeds ...string) Follow { return within(seeds, urlnorm.Site) }

// within follows links that share a key with one of the seeds.
func within(seeds []string, key func(string) string) Follow {
	inside := make(map[string]bool, len(seeds))
	for _, s := range seeds {
		if k := key(s); k != "" {
			inside[k] = true
		}
	}
	known := memo{key: key}
	return func(_ *Page, link Link) (float64, bool) { return 0, inside[known.of(link.URL)] }
}

// memo remembers the keys of origins, which many links share: to find the site
// of a URL takes longer than all else that is asked about a link.
type memo struct {
	key func(url string) string // of the origin alone
	n   atomic.Int32
	all sync.Map // of string, by origin as written
}

const maxMemo = 10_000 // origins; then it begins anew

func (m *memo) of(url string) string {
	origin := written(url)
	if origin == "" {
		return m.key(url)
	}
	if key, ok := m.all.Load(origin); ok {
		return key.(string)
	}
	if m.n.Add(1) > maxMemo {
		m.all.Clear()
		m.n.Store(0)
	}
	key := m.key(url)
	m.all.Store(strings.Clone(origin), key)
	return key
}

// written returns what stands before the path of a URL, and nothing where that
// is not as plain as in canonical URLs.
func written(url string) string {
	n := len("http://")
	if strings.HasPrefix(url, "https://") {
		n++
	} else if !strings.HasPrefix(url, "http://") {
		return ""
	}
	for i := n; i < len(url); i++ {
		switch c := url[i]; {
		case c == '/' && i > n:
			return url[:i]
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-', c == '.', c == ':', c == '[', c == ']':
		default:
			return ""
		}
	}
	return ""
}

// sameSiteAsPage stays where it is: whatever brought the crawl to a page's site
// holds for the rest of the site.
func sameSiteAsPage() Follow {
	site := memo{key: urlnorm.Site}
	return func(from *Page, link Link) (float64, bool) { return 0, site.of(link.URL) == site.of(from.URL) }
}

// hostPort returns host and port of a URL.
func hostPort(u string) string {
	_, rest, _ := strings.Cut(urlnorm.Origin(u), "://")
	return rest
}

// Prefix follows links to URLs that begin with one of the given ones, as in
// Prefix("https://example.com/docs/"). Mind the slash at the end: without it
// https://example.com/docs-old belongs too.
func Prefix(urls ...string) Follow {
	prefixes := make([]string, 0, len(urls))
	for _, s := range urls {
		if u, err := urlnorm.URL("", s); err == nil {
			prefixes = append(prefixes, u)
		}
	}
	return func(_ *Page, link Link) (float64, bool) {
		u, err := urlnorm.URL("", link.URL)
		if err != nil {
			return 0, false
		}
		for _, p := range prefixes {
			if strings.HasPrefix(u, p) {
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

// Include follows what f does of the URLs that match one of the globs:
//
//	/docs/*.html              path and query, from the root on
//	*.html, print/*           the end of the path, from any slash on, and query
//	https://*.example.com/**  the whole URL
//
// A star stands for any characters but a slash, two stars for any at all, and
// /**/ also for a single slash. All else, the question mark included, stands
// for itself, and may be written without escapes: /straße/*.
func Include(f Follow, globs ...string) Follow { return filter(f, globs, true) }

// Exclude follows what f does of the URLs that match none of the globs, which
// are those of [Include].
func Exclude(f Follow, globs ...string) Follow { return filter(f, globs, false) }

func filter(f Follow, globs []string, want bool) Follow {
	compiled := make([]*regexp.Regexp, len(globs))
	for i, g := range globs {
		compiled[i] = compileGlob(g)
	}
	return func(from *Page, link Link) (float64, bool) {
		u, err := urlnorm.URL("", link.URL)
		if err != nil {
			return 0, false
		}
		matched := false
		for _, g := range compiled {
			matched = matched || g.MatchString(u)
		}
		if matched != want {
			return 0, false
		}
		return f(from, link)
	}
}

// compileGlob makes an expression for whole URLs of a glob.
func compileGlob(glob string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	switch {
	case strings.Contains(glob, "://"):
	case strings.HasPrefix(glob, "/"):
		b.WriteString(`[^/]*//[^/]*`)
	default:
		b.WriteString(`[^/]*//[^/]*/(?:[^?]*/)?`)
	}
	for glob != "" {
		switch {
		case strings.HasPrefix(glob, "/**/"):
			b.WriteString(`/(?:.*/)?`)
			glob = glob[4:]
		case strings.HasPrefix(glob, "**"):
			b.WriteString(`.*`)
			glob = glob[2:]
		case glob[0] == '*':
			b.WriteString(`[^/]*`)
			glob = glob[1:]
		default:
			n := 1 + strings.IndexAny(glob[1:], "*/")
			if n == 0 {
				n = len(glob)
			}
			b.WriteString(regexp.QuoteMeta(escapeBytes(glob[:n], escapedInURLs)))
			glob = glob[n:]
		}
	}
	b.WriteString(`\z`)
	return regexp.MustCompile(b.String()) // all but our own is quoted
}

// escapedInURLs is what canonical URLs have escaped everywhere.
func escapedInURLs(c byte) bool { return c <= ' ' || c >= 0x7f }

// escapeBytes escapes some of the bytes of s.
func escapeBytes(s string, which func(byte) bool) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if which(c) {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// SkipFiles follows what f does but links to files of the given extensions
// ("pdf"); without any, to those that hold no text to search: images, audio,
// video, archives, programs, fonts, scripts and style sheets.
func SkipFiles(f Follow, extensions ...string) Follow {
	if len(extensions) == 0 {
		extensions = strings.Fields(textless)
	}
	skip := make(map[string]bool, len(extensions))
	for _, e := range extensions {
		skip[strings.ToLower(strings.TrimPrefix(e, "."))] = true
	}
	return func(from *Page, link Link) (float64, bool) {
		if skip[extension(link.URL)] {
			return 0, false
		}
		return f(from, link)
	}
}

const textless = `
	apng avif bmp eps gif heic ico jpe jpeg jpg png psd svg svgz tif tiff webp
	aac aif aiff flac m4a mid midi mp3 oga ogg opus wav wma
	3gp avi flv m4v mkv mov mp4 mpeg mpg ogv webm wmv
	7z bz2 cab dmg gz img iso jar rar tar tbz2 tgz war xz z zip zst
	apk bin deb dll exe msi pkg rpm so wasm
	eot otf ttf woff woff2
	css js map mjs`

// extension returns the lower-case extension of a URL's path, without the dot.
func extension(u string) string {
	if i := strings.IndexAny(u, "?#"); i >= 0 {
		u = u[:i]
	}
	_, u, _ = strings.Cut(u, "://")
	slash, dot := strings.LastIndexByte(u, '/'), strings.LastIndexByte(u, '.')
	if slash < 0 || dot < slash {
		return ""
	}
	return strings.ToLower(u[dot+1:])
}
