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

// Entry is what is kept for a key.
type Entry struct {
	Anchors []Anchor // of links that lead to it
	Targets []string // that the page of this key said something of when all its links were set at once, ascending
}

// Sources is how many pages of a host are kept that say the same of a target, so that its text
// stays when one of them takes it back.
const Sources = 8

// said is a text of a host.
type said struct{ host, text string }

// Texts returns the texts of anchors: of each host each once.
func Texts(of []Anchor) (texts []string) {
	seen := make(map[said]bool, len(of))
	for _, a := range of {
		if s := (said{a.host(), a.Text}); !seen[s] {
			seen[s] = true
			texts = append(texts, a.Text)
		}
	}
	return texts
}

// Fold returns the anchors of a target after a link, with at most so many texts of one
// host. It may append to those before, and changes none of them.
func Fold(of []Anchor, l Link, most int) []Anchor {
	if l.None {
		return nil
	}
	host := Anchor{Source: l.Source, Host: l.Host}.host()
	sources, ofHost := map[said]int{}, 0 // of texts, by other pages
	var before, after []Anchor
	for _, a := range of {
		if a.Source == l.Source {
			before = append(before, a)
			continue
		}
		s := said{a.host(), a.Text}
		if sources[s]++; sources[s] == 1 && s.host == host {
			ofHost++
		}
	}
	own := map[string]bool{}
	for _, text := range l.Texts {
		s := said{host, text}
		n := sources[s]
		if own[text] || n == Sources || n == 0 && (ofHost >= most || len(sources) >= schema.MostAnchors) {
			continue
		}
		own[text] = true
		if sources[s]++; n == 0 {
			ofHost++
		}
		after = append(after, Anchor{Target: l.Target, Source: l.Source, Text: text, Host: l.Host})
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

// An entry is kept as a record with three lists of the same length, sources, texts, and hosts,
// where the last is left out when all hosts are those of the sources, and a list of targets.
const (
	anchorSources = iota
	anchorTexts
	anchorHosts
	targets
)

// Record makes a record of an entry. One of nothing is empty.
func Record(e Entry) (small, large []byte) {
	lists := make([][]string, targets+1)
	hosts := false
	for _, a := range e.Anchors {
		for i, s := range []string{a.Source, a.Text, a.Host} {
			lists[i] = append(lists[i], s)
		}
		hosts = hosts || a.Host != ""
	}
	if !hosts {
		lists[anchorHosts] = nil
	}
	lists[targets] = e.Targets
	var values []segment.Value
	for i, l := range lists {
		if len(l) > 0 {
			values = append(values, segment.Value{Field: i, List: true, Strings: l})
		}
	}
	if len(values) == 0 {
		return nil, nil
	}
	return segment.Record(values)
}

// Read makes an entry of what a record in a file holds.
func Read(h *commit.File, target string, values []segment.Value, err error) (e Entry, _ error) {
	if err != nil {
		return e, fault.Damage(h.Name(), err)
	}
	var lists [targets + 1][]string
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
		return e, &fault.CorruptError{File: h.Name(), Offset: 0, Err: errors.New("damaged anchors of " + strconv.Quote(target))}
	}
	for i, source := range lists[anchorSources] {
		e.Anchors = append(e.Anchors, Anchor{target, source, lists[anchorTexts][i], lists[anchorHosts][i]})
	}
	e.Targets = lists[targets]
	return e, nil
}
