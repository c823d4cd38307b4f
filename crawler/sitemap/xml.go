package sitemap

import (
	"bytes"
	"errors"
	"io"

	"golang.org/x/net/html"
)

// machine reads sitemaps and feeds in XML, element by element, by a tokenizer
// that takes anything: what is missing or wrong costs no more than the entry
// that it stands in.
type machine struct {
	*walk
	z      *html.Tokenizer
	spaces map[string]space     // of prefixes
	names  map[string]qualified // of elements met
	item   item
	field  field
	skip   []byte // name of an element whose content is not read, while in it
	nested int    // elements of the same name in it
	open   bool   // in the root element
	rooted bool   // there is one
}

// item is the entry being read.
type item struct {
	Entry
	open  bool
	loose []byte // text in no field: the URL, where there is no loc
	id    string // of a feed's item, its URL where there is no link
}

// field is the element being read whose text counts.
type field struct {
	space space
	name  string // empty: none
	text  []byte
	cut   bool // too long, so that it does not count
	items int  // tags of items within it, which belong elsewhere
}

const longestField = longestURL

// read reads to the end.
func (m *machine) read() {
	m.z.SetMaxBuf(maxToken)
	m.z.AllowCDATA(true)
	partial := false // text that may go on after what was read
	for !m.stopped {
		switch tt := m.z.Next(); tt {
		case html.ErrorToken:
			m.end(partial && len(m.z.Raw()) == 0)
			return
		case html.TextToken:
			m.text(m.z.Raw())
			partial = true
			continue
		case html.StartTagToken, html.SelfClosingTagToken:
			m.z.NextIsNotRawText()
			name, attrs := m.z.TagName()
			if !m.start(name, attrs, tt == html.SelfClosingTagToken) {
				return
			}
		case html.EndTagToken:
			name, _ := m.z.TagName()
			if !m.endTag(name) {
				return
			}
		case html.DoctypeToken, html.CommentToken:
			m.declaration(m.z.Raw())
		}
		partial = false
	}
}

// declaration looks for entities that are declared.
func (m *machine) declaration(raw []byte) {
	if !bytes.HasPrefix(raw, []byte("<!--")) && bytes.Contains(raw, []byte("<!ENTITY")) {
		m.note(ErrEntities, nil)
	}
}

// text takes a run of text.
func (m *machine) text(raw []byte) {
	switch {
	case m.skip != nil || !m.item.open:
	case m.field.name != "":
		if m.field.cut = m.field.cut || len(m.field.text)+len(raw) > 2*longestField; !m.field.cut {
			m.field.text = appendText(m.field.text, raw)
		}
	case len(m.item.loose)+len(raw) < longestField && len(bytes.TrimSpace(raw)) > 0:
		m.item.loose = appendText(m.item.loose, raw)
	}
}

// start opens an element.
func (m *machine) start(tag []byte, attrs, selfClosing bool) bool {
	if m.skip != nil {
		if !selfClosing && bytes.Equal(m.skip, tag) {
			m.nested++
		}
		return true
	}
	var a attributes
	if attrs {
		a = m.attributes()
	}
	at, name := m.local(tag)
	switch {
	case m.isRoot(name):
		m.open, m.rooted = !selfClosing, true
		m.own(tag)
	case m.field.name != "" && !m.unclosed(at, name): // an element within the text of another does not count
		if at == core && m.isItem(name) && !selfClosing {
			m.field.items++
		}
	case at == core && m.isItem(name):
		ok := m.flush()
		m.item = item{open: !selfClosing, Entry: Entry{Priority: 0.5, Sitemap: name == "sitemap"}}
		return ok
	case at == core && m.opaque(name) && !selfClosing:
		m.skip, m.nested = bytes.Clone(tag), 0
	case at == core && name == "link" && a.href != "" || at == xhtml && name == "link":
		return m.link(at, a)
	case !m.item.open || selfClosing:
	case at == core && name == "loc" && m.item.URL != "": // the next one, without a tag of its own
		sitemap := m.item.Sitemap
		ok := m.flush()
		m.item = item{open: true, Entry: Entry{Priority: 0.5, Sitemap: sitemap}}
		m.field = field{name: name}
		return ok
	case at == video && name == "video" && len(m.item.Videos) < mostExtras:
		m.item.Videos = append(m.item.Videos, Video{})
	case reads(at, name, m.walk.feed):
		m.field = field{space: at, name: name, text: m.field.text[:0]}
	}
	return true
}

// unclosed reports whether the field that is open lacks its end tag, going by
// an element that starts, and if so takes it for closed.
func (m *machine) unclosed(at space, name string) bool {
	if len(bytes.TrimSpace(m.field.text)) == 0 || !reads(at, name, m.walk.feed) && !(at == core && m.isItem(name)) {
		return false
	}
	m.note(ErrMalformed, errors.New("<"+m.field.name+"> without end"))
	m.store()
	return true
}

// endTag closes an element, and reports whether more is wanted.
func (m *machine) endTag(tag []byte) bool {
	if m.skip != nil {
		if bytes.Equal(m.skip, tag) {
			if m.nested--; m.nested < 0 {
				m.skip = nil
			}
		}
		return true
	}
	at, name := m.local(tag)
	switch {
	case m.field.name != "":
		switch {
		case at == m.field.space && name == m.field.name:
			m.store()
		case at != core || !m.isItem(name):
		case m.field.items > 0:
			m.field.items--
		default:
			m.note(ErrMalformed, errors.New("<"+m.field.name+"> without end"))
			m.store()
			return m.flush()
		}
	case m.isRoot(name):
		m.open = false
		return m.flush()
	case at == core && m.isItem(name):
		if !m.item.open {
			m.note(ErrMalformed, errors.New("</"+name+"> that closes nothing"))
		}
		return m.flush()
	}
	return true
}

// end concludes what is left when the body ends. partial says that the last
// text was cut off.
func (m *machine) end(partial bool) {
	cut := m.item.open || m.field.name != "" || m.open || m.skip != nil
	if m.field.name != "" && !partial {
		m.store()
	}
	if partial {
		m.item.loose = nil
	}
	if !m.flush() {
		return
	}
	switch err := m.z.Err(); {
	case !errors.Is(err, io.EOF):
		m.failed(err)
	case cut:
		m.note(ErrTruncated, nil)
	case !m.rooted:
		m.note(ErrMalformed, errors.New("no element around all"))
	}
}

// flush gives the entry that was read.
func (m *machine) flush() bool {
	i := m.item
	m.item, m.field.name = item{}, ""
	if !i.open {
		return true
	}
	if i.URL == "" {
		i.URL = string(bytes.TrimSpace(i.loose))
		if m.walk.feed {
			i.URL = i.id
		}
	}
	return m.give(i.Entry)
}
