package middleware

import (
	"bytes"
	"mime"
	"net/http"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/webquarry/quarry/crawler"
)

// What of a document makes it a shell. The numbers are letters and digits that a
// reader would see without scripts; see docs/guides/chrome.md for how they were
// chosen.
const (
	shellText   = 150     // so little, and scripts, is no page
	shellMount  = 400     // nor is so little beside an element that scripts fill
	shellNotice = 600     // or beside a notice that scripts are needed
	shellScript = 30      // bytes of scripts for each letter, where there are less than shellMount
	shellToLook = 1 << 20 // bytes of a document that are looked at
)

// mounts are the ids of elements that frameworks fill, and the names of elements
// that are themselves to be filled.
const mounts = " root app __next __nuxt ___gatsby app-root react-root main-app reactroot q-app svelte ember-app app-container app-mount " +
	"application vue-app single-spa-application mount "

// Shell reports whether a response is a document without a page: one whose
// scripts have yet to make it. It reads the beginning of the document once, 2 ms
// for 100 KB.
func Shell(resp *crawler.Response) bool {
	if resp.Status < 200 || resp.Status > 299 || len(resp.Body) == 0 {
		return false
	}
	t, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if t == "" {
		t, _, _ = mime.ParseMediaType(http.DetectContentType(resp.Body))
	}
	if t != "text/html" && t != "application/xhtml+xml" {
		return false
	}
	return signalsOf(resp.Body).shell()
}

// signals are what tells a shell from a page.
type signals struct {
	text    int // letters and digits that are shown without scripts
	links   int
	script  int  // bytes of scripts that are in the document
	sources int  // scripts that it loads
	mount   bool // has an element that is to be filled
	notice  bool // says that scripts are needed
}

func (s signals) shell() bool {
	switch {
	case s.script == 0 && s.sources == 0:
		return false
	case s.text < shellText, s.mount && s.text < shellMount, s.notice && s.text < shellNotice:
		return true
	}
	return s.text < shellMount && s.script > shellScript*s.text
}

// signalsOf reads a document.
func signalsOf(doc []byte) (s signals) {
	z := html.NewTokenizer(bytes.NewReader(doc[:min(len(doc), shellToLook)]))
	var in unshown
	for {
		switch z.Next() {
		case html.ErrorToken:
			return s
		case html.StartTagToken:
			name, more := z.TagName()
			if e := s.element(z, name, more); in.tag == 0 {
				in = e
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); in.tag != 0 && atom.Lookup(name) == in.tag {
				in = unshown{}
			}
		case html.TextToken:
			s.read(z.Text(), in)
		}
	}
}

// unshown is an element whose text is not shown. The zero value is none.
type unshown struct {
	tag  atom.Atom
	data bool // is no script, though its element is
}

// element takes a start tag.
func (s *signals) element(z *html.Tokenizer, name []byte, more bool) (in unshown) {
	a := atom.Lookup(name)
	s.mount = s.mount || bytes.HasSuffix(name, []byte("-root")) || string(name) == "app"
	source := false
	for more {
		var k, v []byte
		k, v, more = z.TagAttr()
		switch string(k) {
		case "id":
			s.mount = s.mount || strings.Contains(mounts, " "+strings.ToLower(string(v))+" ")
		case "ng-app":
			s.mount = true
		case "src":
			source = true
		case "type":
			in.data = !isScriptType(string(v))
		}
	}
	switch {
	case a == atom.Script && source && !in.data:
		s.sources++
	case a == atom.A:
		s.links++
	}
	switch a {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Title, atom.Textarea, atom.Select:
		in.tag = a
	}
	return in
}

func isScriptType(t string) bool {
	t = strings.ToLower(strings.TrimSpace(t))
	return t == "" || t == "module" || strings.HasSuffix(t, "javascript") || strings.HasSuffix(t, "ecmascript")
}

func (s *signals) read(text []byte, in unshown) {
	switch {
	case in.tag == 0:
		for _, r := range string(text) {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				s.text++
			}
		}
	case in.tag == atom.Script && !in.data:
		s.script += len(text)
	case in.tag == atom.Noscript:
		s.notice = s.notice || bytes.Contains(bytes.ToLower(text), []byte("javascript"))
	}
}
