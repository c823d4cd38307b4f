package index

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/webquarry/quarry/index/internal/fault"
	"github.com/webquarry/quarry/index/internal/links"
	"github.com/webquarry/quarry/index/internal/schema"
)

// Anchor is the text of a link: what the page Source says of the document Target.
type Anchor struct {
	Target string // key of the document that the link leads to, which need not be there yet
	Source string // key of the page that the link is on, or any other name for it
	Text   string // "": there is no link (any more)
	// Host is what texts are counted by, see FieldType.Anchors; "": the host of
	// Source when that is a URL, and else Source. Of several anchors of a Target and
	// a Source in one call, that of the first counts for all.
	Host string
}

// maxAnchorText is how long the text of an anchor is at most, in bytes.
const maxAnchorText = 1000

// AddAnchors gives documents the texts of links that lead to them. They are
// searched as the field of the schema that has Anchors, whether they come before
// their document, with it or later: those of a key without a document wait for
// it. They belong to the key: a document that is added again keeps them, and
// after Delete they wait again.
//
// What one call says of a target and a source takes the place of what earlier
// calls said of both, so that a page that is visited again counts once; a link
// that is gone is taken away by one without text, or with all others of its page by
// [Writer.SetAnchors]. Of each host a document has
// as many texts as the schema says, those that came first, each text once; of all
// hosts 1,000. Texts are cut at 1,000 bytes. Of the pages of a host that say the same,
// eight are kept: a text stays until all of these take it back. What is not kept is forgotten,
// and so are texts that were too many: they count once their links are added again. An anchor over which the
// analyzer panics is refused with a [*DocumentError]; the others are added. When the
// context ends the call, some may have been added.
//
// As all changes, they are seen after Commit, in one step; those that come late
// may be left to a later time, see [Options.AnchorsWithin]. Commit writes the field
// anew for each segment that has documents with new anchors: about 0.1 s and one
// file for each million words of anchors there. Anchors that are there already cost
// a look-up.
func (w *Writer) AddAnchors(ctx context.Context, anchors ...Anchor) error {
	given, refused, err := w.linksOf(ctx, anchors)
	if err != nil {
		return err
	}
	return errors.Join(append(refused, w.link(ctx, len(anchors)-len(refused), given))...)
}

// SetAnchors gives documents the texts of all links on the page source: what it said of any
// document in an earlier call of SetAnchors is taken back, unless it says so still. Without
// anchors the page has no links, or is gone. The Source of anchors may be left out. In other ways it
// is [Writer.AddAnchors], in one step; what was added by that, and is not known to
// SetAnchors, stays.
func (w *Writer) SetAnchors(ctx context.Context, source string, anchors ...Anchor) error {
	if err := checkAnchorKey("source", source); err != nil {
		return err
	}
	anchors = slices.Clone(anchors)
	for i, a := range anchors {
		if a.Source != "" && a.Source != source {
			return &schema.Error{Field: "", Msg: fmt.Sprintf("an anchor of %q among those of %q", a.Source, source)}
		}
		anchors[i].Source = source
	}
	given, refused, err := w.linksOf(ctx, anchors)
	if err != nil {
		return err
	}
	var targets []string
	for _, l := range given {
		if len(l.Texts) > 0 {
			targets = append(targets, l.Target)
		}
	}
	slices.Sort(targets)
	err = w.anchored(ctx, len(anchors)-len(refused), func() error {
		if err := w.makeRoomForAnchors(ctx); err != nil {
			return err
		}
		return w.linkSome(ctx, given, func() { w.anchors.setTargets(source, targets) })
	})
	return errors.Join(append(refused, err)...)
}

// keepTargets says of which targets a source says something, where that was read of damaged files.
func (w *Writer) keepTargets(source string, targets []string) {
	if len(targets) == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.anchors.setTargets(source, targets)
}

// linksOf makes links of anchors, and refuses those over which an analyzer panics.
func (w *Writer) linksOf(ctx context.Context, anchors []Anchor) (given []links.Link, refused []error, _ error) {
	for _, a := range anchors {
		if err := a.check(); err != nil {
			return nil, nil, err
		}
	}
	given = make([]links.Link, 0, len(anchors))
	at := map[[2]string]int{}
	for i, a := range anchors {
		if i%someTokens == 0 && ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		if err := w.tryAnchor(ctx, a); err != nil {
			refused = append(refused, &DocumentError{a.Target, err})
			continue
		}
		of := [2]string{a.Target, a.Source}
		i, known := at[of]
		if !known {
			i, at[of] = len(given), len(given)
			given = append(given, links.Link{Target: a.Target, Source: a.Source, Host: a.Host})
		}
		if text := cutText(strings.TrimSpace(a.Text), maxAnchorText); text != "" {
			given[i].Texts = append(given[i].Texts, text)
		}
	}
	return given, refused, nil
}

// tryAnchor has an analyzer of the user's look at an anchor, to tell now, and not in
// a commit, that it panics over it.
func (w *Writer) tryAnchor(ctx context.Context, a Anchor) error {
	if w.anchors.field < 0 {
		return nil
	}
	if _, own := w.ix.opt.Analyzers[w.analyst.schema[w.anchors.field].Analyzer]; !own {
		return nil
	}
	_, err := w.analyst.anchors(ctx, w.anchors.field, a.Target, []links.Anchor{{Text: cutText(strings.TrimSpace(a.Text), maxAnchorText)}}, func() (string, error) { return "", nil })
	return err
}

// DeleteAnchors takes away all anchors that lead to targets. Those of a key that moved can
// be given to another before, see [Snapshot.Anchors].
func (w *Writer) DeleteAnchors(ctx context.Context, targets ...string) error {
	given := make([]links.Link, len(targets))
	for i, t := range targets {
		given[i] = links.Link{Target: t, None: true}
	}
	return w.link(ctx, 0, given)
}

// linksAtATime is how many links are taken up before others have their turn.
const linksAtATime = 1024

func (w *Writer) link(ctx context.Context, anchors int, given []links.Link) error {
	return w.anchored(ctx, anchors, func() error {
		for some := range slices.Chunk(given, linksAtATime) {
			if err := w.makeRoomForAnchors(ctx); err != nil {
				return err
			}
			if err := w.linkSome(ctx, some, func() {}); err != nil {
				return err
			}
		}
		return nil
	})
}

// anchored takes up anchors, and counts them.
func (w *Writer) anchored(ctx context.Context, anchors int, take func() error) error {
	if w.anchors.field < 0 {
		return &schema.Error{Field: "", Msg: "no field is for anchors"}
	}
	if err := take(); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts.Anchors += anchors
	return w.usable()
}

// linkSome adds links, with what else is to be done in the same step.
func (w *Writer) linkSome(ctx context.Context, given []links.Link, also func()) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.usable(); err != nil {
		return err
	}
	also()
	w.anchors.add(given)
	w.state.changed = true
	w.touch()
	return nil
}

// makeRoomForAnchors puts anchors that are waiting in a file when they are many.
func (w *Writer) makeRoomForAnchors(ctx context.Context) error {
	full := func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.anchors.bytes >= w.ix.opt.budget()/8
	}
	if !full() {
		return nil
	}
	return w.do(ctx, func(ctx context.Context) error {
		if err := w.own(ctx); err != nil {
			return err
		}
		defer w.disown()
		if !full() { // somebody was quicker
			return nil
		}
		err := fault.Guard("anchors", func() error {
			if err := w.spillAnchors(ctx); err != nil {
				return err
			}
			return w.mergeSpilled(ctx)
		})
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.fail(ctx, err)
	})
}

func (a Anchor) check() error {
	if err := checkAnchorKey("target", a.Target); err != nil {
		return err
	}
	return checkAnchorKey("source", a.Source)
}

func checkAnchorKey(what, key string) error {
	if key == "" || len(key) > maxKey {
		return &schema.Error{Field: "", Msg: fmt.Sprintf("an anchor needs a %s of 1 to %d bytes, not %d", what, maxKey, len(key))}
	}
	return nil
}

// cutText cuts a text to so many bytes, between characters.
func cutText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// Anchors returns the anchors that are kept for a key, whether there is a
// document of it or not, in the order in which they came.
func (s *Snapshot) Anchors(key string) (of []Anchor, err error) {
	err = s.read(func() (err error) {
		found, err := links.Of(s.commit.Anchors, key)
		for _, a := range found.Anchors {
			of = append(of, Anchor(a))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return of, nil
}
