package middleware

import (
	"cmp"
	"context"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/internal/around"
	"github.com/webquarry/quarry/frontier"
)

// Head asks for the header of a page first, and for the page only if that is
// wanted: by its type, and by its length as far as HTTP.MaxBody goes. What is not
// wanted comes back as the answer to HEAD, without a body: a Crawler skips it by
// its type. A server that does not answer HEAD properly is asked for the page.
//
// It costs a second request for every page that is wanted, so by default only
// URLs are asked about that look like a file: with an extension that is none of
// a page. Both requests are one visit to the Frontier; the second waits for Gap.
type Head struct {
	Only   func(req frontier.Request) bool // which requests; nil: those for what looks like a file
	Wanted func(mediaType string) bool     // lower case, without parameters; nil: text, HTML and XML; none is wanted too
	Gap    time.Duration                   // from the answer to HEAD to the request for the page; 1 s; negative: none
}

// Wrap is a [crawler.Middleware].
func (h Head) Wrap(next crawler.Fetcher) crawler.Fetcher {
	only, wanted := h.Only, h.Wanted
	if only == nil {
		only = func(req frontier.Request) bool { return looksLikeFile(req.URL) }
	}
	if wanted == nil {
		wanted = isPage
	}
	return around.Of(next, func(ctx context.Context, req frontier.Request) (*crawler.Response, error) {
		if a := crawler.Asked(ctx); a.Method != "" && a.Method != http.MethodGet || !only(req) {
			return next.Fetch(ctx, req)
		}
		resp, err := next.Fetch(crawler.Ask{Method: http.MethodHead}.Within(ctx), req)
		if err != nil {
			return nil, err
		}
		t, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
		switch ok := resp.Status >= 200 && resp.Status <= 299; {
		case ok && t != "" && !wanted(t), resp.Status >= 300 && resp.Status <= 399, resp.Status == http.StatusTooManyRequests, resp.Status == http.StatusServiceUnavailable:
			return resp, nil
		}
		if err := sleep(ctx, cmp.Or(h.Gap, time.Second)); err != nil {
			return nil, err
		}
		return next.Fetch(ctx, req)
	})
}

// looksLikeFile reports whether a URL's path ends in an extension that pages do
// not have.
func looksLikeFile(s string) bool {
	u, err := url.Parse(s)
	if err != nil {
		return false
	}
	ext := strings.ToLower(strings.TrimPrefix(path.Ext(u.Path), "."))
	if ext == "" || len(ext) > 5 || u.Path == "/robots.txt" {
		return false
	}
	switch ext {
	case "html", "htm", "xhtml", "shtml", "php", "asp", "aspx", "jsp", "jspx", "do", "cgi", "cfm", "pl", "txt", "md", "xml", "json", "rss", "atom":
		return false
	}
	return strings.Trim(ext, "abcdefghijklmnopqrstuvwxyz0123456789") == "" && strings.Trim(ext, "0123456789") != ""
}

func isPage(t string) bool {
	return strings.HasPrefix(t, "text/") || strings.HasSuffix(t, "xml") || strings.HasSuffix(t, "html")
}
