package index

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/webquarry/quarry/index/internal/segment"
)

// link is what one call says of a target and a source.
type link struct {
	target, source, host string
	texts                []string
	none                 bool // the target has no anchors, of any source
}

// size is about what it takes in memory.
func (l link) size() int64 {
	n := 120 + len(l.target) + len(l.source) + len(l.host)
	for _, t := range l.texts {
		n += 16 + len(t)
	}
	return int64(n)
}

// fold returns the anchors of a target after a link, with at most so many of one
// host. It may append to those before, and changes none of them.
func fold(of []Anchor, l link, most int) []Anchor {
	if l.none {
		return nil
	}
	host := Anchor{Source: l.source, Host: l.host}.host()
	said := map[string]bool{} // by other pages of the host
	var before, after []Anchor
	for _, a := range of {
		if a.Source == l.source {
			before = append(before, a)
		} else if a.host() == host {
			said[a.Text] = true
		}
	}
	room := min(most-len(said), mostAnchors-len(of)+len(before))
	for _, text := range l.texts {
		if len(after) < room && !said[text] {
			said[text] = true
			after = append(after, Anchor{Target: l.target, Source: l.source, Text: text, Host: l.host})
		}
	}
	if sameAnchors(before, after) {
		return of
	}
	if len(before) > 0 {
		of = slices.DeleteFunc(slices.Clone(of), func(a Anchor) bool { return a.Source == l.source })
	}
	return append(of, after...)
}

// sameAnchors reports whether two lists hold the same, in any order.
func sameAnchors(a, b []Anchor) bool {
	if len(a) != len(b) {
		return false
	}
	if slices.Equal(a, b) {
		return true
	}
	byAll := func(a, b Anchor) int {
		return cmp.Or(strings.Compare(a.Source, b.Source), strings.Compare(a.Text, b.Text), strings.Compare(a.Host, b.Host))
	}
	return slices.Equal(slices.SortedFunc(slices.Values(a), byAll), slices.SortedFunc(slices.Values(b), byAll))
}

// host is what the anchor is counted by.
func (a Anchor) host() string {
	if a.Host != "" {
		return a.Host
	}
	_, rest, ok := strings.Cut(a.Source, "://")
	if !ok {
		return a.Source
	}
	rest = strings.TrimPrefix(rest, "(") // of a SURT form, which has host and port before a )
	if end := strings.IndexAny(rest, "/?#)"); end >= 0 {
		rest = rest[:end]
	}
	return rest[strings.LastIndexByte(rest, '@')+1:]
}

// The anchors of a target are kept as a record with three lists of the same
// length: sources, texts, and hosts, where the last is left out when all hosts are
// those of the sources.
const (
	anchorSources = iota
	anchorTexts
	anchorHosts
)

func anchorRecord(of []Anchor) (small, large []byte) {
	if len(of) == 0 {
		return nil, nil
	}
	lists := make([]segment.Value, 3)
	hosts := false
	for _, a := range of {
		for i, s := range []string{a.Source, a.Text, a.Host} {
			lists[i].Strings = append(lists[i].Strings, s)
		}
		hosts = hosts || a.Host != ""
	}
	for i := range lists {
		lists[i].Field, lists[i].List = i, true
	}
	if !hosts {
		lists = lists[:anchorHosts]
	}
	return segment.Record(lists)
}

// readAnchors makes anchors of what a record in a file holds.
func readAnchors(h *handle, target string, values []segment.Value, err error) ([]Anchor, error) {
	if err != nil {
		return nil, damage(h.name(), err)
	}
	var lists [3][]string
	for _, v := range values {
		if v.Field < len(lists) {
			lists[v.Field] = v.Strings
		}
	}
	n := len(lists[anchorSources])
	if lists[anchorHosts] == nil {
		lists[anchorHosts] = make([]string, n)
	}
	if len(lists[anchorTexts]) != n || len(lists[anchorHosts]) != n {
		return nil, &CorruptError{h.name(), 0, errors.New("damaged anchors of " + quoted(target))}
	}
	var out []Anchor
	for i, source := range lists[anchorSources] {
		out = append(out, Anchor{target, source, lists[anchorTexts][i], lists[anchorHosts][i]})
	}
	return out, nil
}
