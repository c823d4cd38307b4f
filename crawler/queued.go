package crawler

import (
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"net/textproto"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/webquarry/quarry/crawler/internal/keys"
	"github.com/webquarry/quarry/frontier"
)

// MaxQueuedAsk is how many bytes the method, header and body of an [Ask] that waits in a
// Frontier have in all, with a few more for what is between them.
const MaxQueuedAsk = 16 << 10

// On returns a request that is put to its server as a says whenever it is visited: a POST
// with its body, say. What a says waits in the Frontier with the request, its header and
// body included, so neither is a place for secrets. It is told apart from other requests
// for its URL by a Variant, which is the same for the same Ask; a Variant that req has
// already counts, too, unless it comes from an Ask, which a replaces. An Ask that asks for
// nothing special leaves req as it is. The error is a [*ConfigError]: a cannot be sent, or
// is larger than [MaxQueuedAsk].
//
// Robots.txt, scope and pace hold for the URL as for that of a page. After a redirect of
// status 301 or 302, a POST goes on as a GET, and so does any method but HEAD after 303; else
// method and body are sent again, within the origin only: a redirect elsewhere fails.
// The header goes along within the origin. A page that such a request brings does not give
// way to its rel=canonical. Its Page.URL is that of all requests for the URL: a Sink that
// keeps pages by their URL tells them apart by Page.Response.Request.Variant.
//
// A request is sent at least once: it is sent again when the run ends by a crash before the
// Frontier is told of the visit, when [Revisit] says so, and when its host cannot be
// reached. Where that would do harm, a key in the body or header by which the server knows
// a request again helps; a request with an effect of its own is better not sent by a crawler.
func (a Ask) On(req frontier.Request) (frontier.Request, error) {
	if err := a.check(); err != nil {
		return req, err
	}
	text := a.text()
	if len(text) > MaxQueuedAsk {
		return req, &ConfigError{"request to wait in the frontier", req.URL, fmt.Sprintf("has %d bytes of method, header and body; want %d at most", len(text), MaxQueuedAsk)}
	}
	if _, ok := AskOf(req); ok {
		req.Variant, req.Meta = "", req.Meta.Without(keys.Ask)
	}
	if text == "" {
		return req, nil
	}
	h := xxh3.HashString128(text + "\n" + req.Variant).Bytes()
	req.Variant, req.Meta = keys.Ask+" "+hex.EncodeToString(h[:]), req.Meta.With(keys.Ask, text)
	return req, nil
}

// AskOf returns the Ask that a request was queued with; false: there is none.
func AskOf(req frontier.Request) (Ask, bool) {
	text := req.Meta.Get(keys.Ask)
	if text == "" {
		return Ask{}, false
	}
	first, rest, _ := strings.Cut(text, "\n")
	flag, method, _ := strings.Cut(first, " ")
	a := Ask{Method: method, Anonymous: flag == "anonymous"}
	for rest != "" {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		if line == "" {
			a.Body = []byte(rest)
			break
		}
		name, value, _ := strings.Cut(line, ": ")
		if a.Header == nil {
			a.Header = http.Header{}
		}
		a.Header[name] = append(a.Header[name], value)
	}
	return a, a.check() == nil
}

// text is what waits in the Frontier: whether it is anonymous, a blank, the method, and a
// line for each value of the header, in the order of their names; where there is a body, an
// empty line and the body.
func (a Ask) text() string {
	var b strings.Builder
	if a.Anonymous {
		b.WriteString("anonymous")
	}
	b.WriteString(" ")
	if a.Method != http.MethodGet {
		b.WriteString(a.Method)
	}
	b.WriteString("\n")
	for _, k := range slices.Sorted(maps.Keys(a.Header)) {
		for _, v := range a.Header[k] {
			b.WriteString(textproto.CanonicalMIMEHeaderKey(k) + ": " + v + "\n")
		}
	}
	if a.Body != nil {
		b.WriteString("\n")
		b.Write(a.Body)
	}
	if s := b.String(); s != " \n" {
		return s
	}
	return ""
}
