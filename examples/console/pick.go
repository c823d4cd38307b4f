package main

import (
	"bytes"
	"crypto/rand"
	_ "embed"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
)

//go:embed web/pick.js
var pickScript string

// dropped are elements that do something, or load something.
const dropped = "script, iframe, frame, object, embed, applet, link, meta, base, template, portal, audio, video, source, track"

// addresses are attributes that lead or load somewhere.
var addresses = []string{"href", "src", "srcset", "action", "formaction", "poster", "background", "ping", "srcdoc", "data", "xlink:href", "manifest", "cite", "longdesc", "usemap", "lowsrc", "dynsrc", "code", "codebase", "archive", "classid", "nonce", "http-equiv", "target", "autofocus"}

// harmless is a document without anything that runs, loads or leads away. What it was is
// still told: the address of a link stands in data-quarry-href.
func harmless(body []byte) ([]byte, error) {
	doc, err := goquery.NewDocumentFromReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	doc.Find(dropped).Remove()
	doc.Find("noscript").Each(func(_ int, s *goquery.Selection) { s.Remove() })
	doc.Find("*").Each(func(_ int, s *goquery.Selection) {
		n := s.Get(0)
		var kept []html.Attribute
		for _, a := range n.Attr {
			name := strings.ToLower(a.Key)
			if a.Namespace != "" {
				name = a.Namespace + ":" + name
			}
			switch {
			case strings.HasPrefix(name, "on"), strings.HasPrefix(name, "data-quarry"):
			case slices.Contains(addresses, name), strings.HasSuffix(name, ":href"):
				if name == "href" || name == "src" {
					kept = append(kept, html.Attribute{Key: "data-quarry-" + name, Val: a.Val})
				}
			default:
				kept = append(kept, a)
			}
		}
		n.Attr = kept
	})
	out, err := doc.Html()
	return []byte(out), err
}

// frame sends the page that is picked from. It is in a sandbox: an origin of its own, which
// may load nothing and run nothing but the script that tells the editor what was clicked.
func (t *tries) frame(out http.ResponseWriter, r *http.Request) {
	x, ok := t.find(r.PathValue("id"))
	if !ok || x.html == nil {
		http.NotFound(out, r)
		return
	}
	nonce := rand.Text()
	h := out.Header()
	h.Set("Content-Security-Policy", "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'nonce-"+nonce+"'; frame-ancestors 'self'")
	h.Set("X-Frame-Options", "SAMEORIGIN")
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	_, _ = out.Write(x.html)
	fmt.Fprintf(out, "\n<script nonce=%q>%s</script>\n", nonce, pickScript)
}
