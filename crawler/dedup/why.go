package dedup

import (
	"fmt"
	"strings"
)

// MirrorOf returns the verdict that the host of a URL is a mirror, if it is, by what
// was added so far.
func (x *Index) MirrorOf(url string) (m Mirror, ok bool) {
	host, _ := origin(url)
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, other := range x.mirrors.with[host] {
		k := hosts{min(host, other), max(host, other)}
		if v, is := k.verdict(x.mirrors.pairs[k]); is && v.Host == host && v.Agree > m.Agree {
			m, ok = v, true
		}
	}
	return m, ok
}

// Why says in one line what an Index knows of a page and of its host, and nothing
// where that is like no page before it. With it an Index is a Judge of package monitor.
func (x *Index) Why(url string) string {
	var said []string
	if m, ok, err := x.Group(url); err == nil && ok && m.Kind != Unique {
		said = append(said, fmt.Sprintf("%s duplicate of %s", m.Kind, m.Group))
	}
	if m, ok := x.MirrorOf(url); ok {
		said = append(said, fmt.Sprintf("its host is a mirror of %s (%d pages agree, %d do not)", m.Of, m.Agree, m.Differ))
	}
	if len(said) == 0 {
		return ""
	}
	return "dedup: " + strings.Join(said, "; ")
}
