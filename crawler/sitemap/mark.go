package sitemap

import (
	"strconv"
	"strings"

	"github.com/webquarry/quarry/crawler/internal/keys"
	"github.com/webquarry/quarry/frontier"
)

// Mark returns the Meta of a request for a sitemap that was found depth indexes
// down from the first. hosts are those whose robots.txt names it, and which it
// may therefore list URLs of, beside its own.
func Mark(m frontier.Meta, depth int, hosts ...string) frontier.Meta {
	s := strconv.Itoa(max(depth, 0))
	for _, h := range hosts {
		s += " " + h
	}
	return m.With(keys.Sitemap, s)
}

// Marked returns what Mark noted. ok is false where the request is not for a sitemap.
func Marked(m frontier.Meta) (depth int, hosts []string, ok bool) {
	words := strings.Fields(m.Get(keys.Sitemap))
	if len(words) == 0 {
		return 0, nil, false
	}
	depth, err := strconv.Atoi(words[0])
	if err != nil || depth < 0 {
		return 0, nil, false
	}
	return depth, words[1:], true
}
