package chrome

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// flat puts what is in shadow roots where a reader of the page sees it: at the
// beginning of their host. Chrome writes them as templates, whose content is not
// that of the page to a parser.
func flat(doc string) string {
	if !strings.Contains(doc, " shadowrootmode=") {
		return doc
	}
	var out bytes.Buffer
	out.Grow(len(doc))
	var roots []bool // for each template that is open, whether it is a shadow root
	for z := html.NewTokenizer(strings.NewReader(doc)); ; {
		kind := z.Next()
		raw := z.Raw()
		if kind == html.ErrorToken {
			out.Write(raw) // of a tag that was cut off
			return out.String()
		}
		name, more := z.TagName()
		switch {
		case string(name) != "template":
		case kind == html.StartTagToken:
			root := more && hasMode(z)
			if roots = append(roots, root); root {
				continue
			}
		case kind == html.EndTagToken && len(roots) > 0:
			root := roots[len(roots)-1]
			if roots = roots[:len(roots)-1]; root {
				continue
			}
		}
		out.Write(raw)
	}
}

func hasMode(z *html.Tokenizer) bool {
	for {
		key, _, more := z.TagAttr()
		if string(key) == "shadowrootmode" {
			return true
		}
		if !more {
			return false
		}
	}
}
