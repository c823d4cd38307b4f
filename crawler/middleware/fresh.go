package middleware

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/webquarry/quarry/crawler"
)

const (
	heuristicShare = 10             // a page that has not changed for ten days is taken to be fresh for one
	maxHeuristic   = 24 * time.Hour // and no longer than this
	maxFresh       = 365 * 24 * time.Hour
)

// directives are those of Cache-Control, names in lower case.
type directives map[string]string

func directivesOf(h http.Header) directives {
	d := make(directives)
	for _, line := range h["Cache-Control"] {
		for part := range strings.SplitSeq(line, ",") {
			name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
			if name != "" {
				d[strings.ToLower(name)] = strings.Trim(strings.TrimSpace(value), `"`)
			}
		}
	}
	if len(d) == 0 && strings.EqualFold(h.Get("Pragma"), "no-cache") {
		d["no-cache"] = ""
	}
	return d
}

func (d directives) has(name string) bool {
	_, ok := d[name]
	return ok
}

// seconds returns a directive's time. What is no number counts as none, which is
// to say stale (RFC 9111, 4.2.1).
func (d directives) seconds(name string) (time.Duration, bool) {
	v, ok := d[name]
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(v, 10, 64)
	if err != nil && !strings.HasPrefix(v, "-") && strings.Trim(v, "0123456789") == "" && v != "" {
		n = uint64(maxFresh / time.Second) // a number out of range
	} else if err != nil {
		n = 0
	}
	return time.Duration(min(n, uint64(maxFresh/time.Second))) * time.Second, true
}

// varies returns the names in Vary, canonical, without those that never differ
// within a crawl.
func varies(h http.Header) (names []string) {
	for _, line := range h["Vary"] {
		for name := range strings.SplitSeq(line, ",") {
			switch name = http.CanonicalHeaderKey(strings.TrimSpace(name)); name {
			case "", "Accept-Encoding", "User-Agent":
			default:
				names = append(names, name)
			}
		}
	}
	return names
}

// mayKeep reports whether an answer may be kept (RFC 9111, 3). The cache is one
// of a single user, so private answers and those to credentials may. Without a
// time for which it is fresh and without a validator there is no use in it.
func mayKeep(resp *crawler.Response, d directives) bool {
	switch resp.Status {
	case 200, 203, 204, 300, 301, 308, 404, 410, 414, 501:
	case 302, 307:
		if !d.has("max-age") && resp.Header.Get("Expires") == "" {
			return false
		}
	default:
		return false
	}
	if resp.Truncated || d.has("no-store") || slices.Contains(varies(resp.Header), "*") {
		return false
	}
	e := newEntry(resp, nil)
	return e.lifetime() > 0 || e.hasValidator()
}

func (e *entry) hasValidator() bool {
	return e.Header.Get("Etag") != "" || e.Header.Get("Last-Modified") != ""
}

// lifetime is how long the answer is fresh after it was made (RFC 9111, 4.2.1),
// by a guess where nothing is said (4.2.2): a tenth of the time for which it had
// not changed, a day at most. What depends on cookies is never fresh.
func (e *entry) lifetime() time.Duration {
	d := directivesOf(e.Header)
	if d.has("no-cache") || slices.Contains(varies(e.Header), "Cookie") {
		return 0
	}
	if s, ok := d.seconds("max-age"); ok {
		return s
	}
	date := e.date()
	if v := e.Header.Get("Expires"); v != "" {
		at, err := http.ParseTime(v)
		if err != nil {
			return 0
		}
		return min(at.Sub(date), maxFresh)
	}
	changed, err := http.ParseTime(e.Header.Get("Last-Modified"))
	if err != nil || changed.After(date) || strings.Contains(e.URL, "?") {
		return 0
	}
	return min(date.Sub(changed)/heuristicShare, maxHeuristic)
}

// date is when the server made the answer.
func (e *entry) date() time.Time {
	if at, err := http.ParseTime(e.Header.Get("Date")); err == nil {
		return at
	}
	return e.Fetched
}

// age is how old the answer is (RFC 9111, 4.2.3).
func (e *entry) age(now time.Time) time.Duration {
	said := time.Duration(0)
	if n, err := strconv.ParseUint(e.Header.Get("Age"), 10, 31); err == nil {
		said = time.Duration(n) * time.Second
	}
	apparent := e.Fetched.Add(e.Took).Sub(e.date())
	return max(apparent, said+e.Took, 0) + now.Sub(e.Fetched.Add(e.Took))
}

func secondsOf(d time.Duration) string { return strconv.FormatInt(int64(max(d, 0)/time.Second), 10) }

// refresh takes over the header of a 304 (RFC 9111, 3.2).
func (e *entry) refresh(resp *crawler.Response) {
	for k, v := range resp.Header {
		switch k {
		case "Content-Length", "Content-Encoding", "Content-Type", "Content-Range", "Transfer-Encoding", "Connection":
		default:
			e.Header[k] = slices.Clone(v)
		}
	}
	if resp.Header.Get("Age") == "" {
		e.Header.Del("Age")
	}
	e.Fetched, e.Took, e.Addr = resp.Fetched, resp.Took, resp.Addr
}
