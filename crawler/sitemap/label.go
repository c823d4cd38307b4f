package sitemap

import (
	"strconv"
	"strings"
)

// Label is the Label of a request for a sitemap that was found depth indexes
// down from the first. hosts are those whose robots.txt names it, and which it
// may therefore list URLs of, beside its own.
func Label(depth int, hosts ...string) string {
	s := "sitemap"
	if depth > 0 || len(hosts) > 0 {
		s += " " + strconv.Itoa(max(depth, 0))
	}
	for _, h := range hosts {
		s += " " + h
	}
	return s
}

// ParseLabel undoes Label. ok is false for other labels.
func ParseLabel(label string) (depth int, hosts []string, ok bool) {
	words := strings.Fields(label)
	if len(words) == 0 || words[0] != "sitemap" {
		return 0, nil, false
	}
	if len(words) > 1 {
		n, err := strconv.Atoi(words[1])
		if err != nil || n < 0 {
			return 0, nil, false
		}
		depth, hosts = n, words[2:]
	}
	return depth, hosts, true
}
