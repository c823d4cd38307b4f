package links

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/webquarry/quarry/index/internal/commit"
	"github.com/webquarry/quarry/index/internal/fault"
	"github.com/webquarry/quarry/index/internal/schema"
	"github.com/webquarry/quarry/index/internal/segment"
)

// Anchor is the text of a link, see index.Anchor.
type Anchor struct{ Target, Source, Text, Host string }

// Link is what one call says of a target and a source.
type Link struct {
	Target, Source, Host string
	Texts                []string
	None                 bool // the target has no anchors, of any source
}

// Size is about what it takes in memory.
func (l Link) Size() int64 {
	n := 120 + len(l.Target) + len(l.Source) + len(l.Host)
	for _, t := range l.Texts {
		n += 16 + len(t)
	}
	return int64(n)
}

// Fold returns the anchors of a target after a link, with at most so many of one
// host. It may append to those before, and changes none of them.
func Fold(of []Anchor, l Link, most int) []Anchor {
	if l.None {
		return nil
	}
	host := Anchor{Source: l.Source, Host: l.Host}.host()
	said := map[string]bool{} // by other pages of the host
	var before, after []Anchor
	for _, a := range of {
		if a.Source == l.Source {
			before = append(before, a)
		} else if a.host() == host {
			said[a.Text] = true
		}
	}
	room := min(most-len(said), schema.MostAnchors-len(of)+len(before))
	for _, text := range l.Texts {
		if len(after) < room && !said[text] {
			said[text] = true
			after = append(after, Anchor{Target: l.Target, Source: l.Source, Text: text, Host: l.Host})
		}
	}
	if Same(before, after) {
		return of
	}
	if len(before) > 0 {
		of = slices.DeleteFunc(slices.Clone(of), func(a Anchor) bool { return a.Source == l.Source })
	}
	return append(of, after...)
}

// Same reports whether two lists hold the same, in any order.
func Same(a, b []Anchor) bool {
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

// Record makes a record of the anchors of a target.
func Record(of []Anchor) (small, large []byte) {
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

// Read makes anchors of what a record in a file holds.
func Read(h *commit.File, target string, values []segment.Value, err error) ([]Anchor, error) {
	if err != nil {
		return nil, fault.Damage(h.Name(), err)
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
		return nil, &fault.CorruptError{File: h.Name(), Offset: 0, Err: errors.New("damaged anchors of " + strconv.Quote(target))}
	}
	var out []Anchor
	for i, source := range lists[anchorSources] {
		out = append(out, Anchor{target, source, lists[anchorTexts][i], lists[anchorHosts][i]})
	}
	return out, nil
}
