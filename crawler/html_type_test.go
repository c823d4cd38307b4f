package crawler

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestHTMLTypes(t *testing.T) {
	t.Parallel()
	const page = "<!DOCTYPE html><title>T</title><p>text"
	noise := strings.Repeat("\x8f\x02\xfe\x11\x03\x80\x1e\x00\x99", 200)
	tests := map[string]struct{ header, body, want string }{ // want: title, or the type in the error
		"html":               {"text/html", page, "T"},
		"parameters, case":   {"Text/HTML ; charset=utf-8", page, "T"},
		"xhtml":              {"application/xhtml+xml", page, "T"},
		"missing":            {"", page, "T"},
		"octets":             {"application/octet-stream", page, "T"},
		"broken":             {";;;=", page, "T"},
		"no slash":           {"html", page, "T"},
		"missing, mark":      {"", "\xef\xbb\xbf" + page, "T"},
		"missing, late html": {"", "  some text <html><title>T</title>", "T"},
		"xml":                {"application/xml", `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title></head></html>`, "T"},
		"zeros in the text":  {"text/html", page + strings.Repeat("te\x00xt ", 500), "T"},
		"plain":              {"text/plain", "\n\n First  line\nsecond", "First line"},
		"markdown":           {"text/markdown", "# Read me\n\ntext", "Read me"},
		"missing, plain":     {"", "Just some words\nand more", "Just some words"},
		"plain, no title":    {"text/plain", strings.Repeat("word ", 100), "page"},
		"plain, empty":       {"text/plain", "", "page"},
		"plain, tags":        {"text/plain", "<title>T</title>", "<title>T</title>"},
		"image":              {"image/png", page, "!image/png"},
		"json":               {"application/json", "{}", "!application/json"},
		"feed":               {"application/xml", "<?xml version='1.0'?><rss></rss>", "!application/xml"},
		"missing, pdf":       {"", "%PDF-1.7\n" + noise, "!application/pdf"},
		"missing, gzip":      {"", "\x1f\x8b\x08\x00" + noise, "!application/x-gzip"},
		"missing, noise":     {"", noise, "!application/octet-stream"},
		"html that is pdf":   {"text/html", "%PDF-1.4\n" + noise, "!application/pdf"},
		"html that is noise": {"text/html; charset=utf-8", noise, "!application/octet-stream"},
		"html of zeros":      {"text/html", strings.Repeat("\x00", 2000), "!application/octet-stream"},
		"html that is a dot": {"text/html", "GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\xff\xff\x00\x00\x00!\xf9", "!image/gif"},
		"html that is gzip":  {"text/html", "\x1f\x8b\x08\x00abc", "!application/x-gzip"},
		"html about gifs":    {"text/plain", "GIF is a format", "GIF is a format"},
		"riff in a text":     {"text/plain", "RIFF, a fantasy", "RIFF, a fantasy"},
		"plain that is png":  {"text/plain", "\x89PNG\r\n\x1a\n" + noise, "!image/png"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page, err := new(HTML).Parse(context.Background(), response(tt.header, tt.body))
			media, refused := strings.CutPrefix(tt.want, "!")
			if !refused {
				if err != nil || page.Title != tt.want {
					t.Fatalf("page %+v, error %v; want title %q", page, err, tt.want)
				}
				return
			}
			fe, ok := errors.AsType[*FetchError](err)
			if !ok || !errors.Is(err, ErrUnsupportedType) || fe.URL == "" || fe.Err.Error() != media {
				t.Errorf("error %v, want ErrUnsupportedType for %s", err, media)
			}
		})
	}
}

func TestPlainText(t *testing.T) {
	t.Parallel()
	resp := response("text/plain; charset=windows-1252", "\r\nNa\xefve  caf\xe9\r\n\r\n  indented\tline\rlast\n\n")
	page, err := new(HTML).Parse(context.Background(), resp)
	if err != nil {
		t.Fatal(err)
	}
	if want := "Naïve  café\n\n  indented\tline\nlast"; page.Text != want || page.Title != "Naïve café" {
		t.Errorf("title %q, text %q, want %q", page.Title, page.Text, want)
	}
	for rawURL, want := range map[string]string{
		"http://www.example.com/docs/read%20me.txt": "read me.txt",
		"http://www.example.com/docs/":              "docs",
		"http://www.example.com/":                   "www.example.com",
		"http://www.example.com/%ff.txt":            "\uFFFD.txt",
	} {
		resp := response("text/plain", "")
		resp.URL = rawURL
		page, err := new(HTML).Parse(context.Background(), resp)
		if err != nil || page.Title != want {
			t.Errorf("%s: title %q, error %v, want %q", rawURL, page.Title, err, want)
		}
	}
}

func TestHTMLPageURL(t *testing.T) {
	t.Parallel()
	resp := response("text/html", `<a href=b>b</a>`)
	resp.URL = "HTTP://WWW.Example.com:80/a/../c/#x"
	page, err := new(HTML).Parse(context.Background(), resp)
	if err != nil || page.URL != "http://www.example.com/c/" || page.Links[0].URL != "http://www.example.com/c/b" {
		t.Errorf("URL %q, links %v, error %v", page.URL, page.Links, err)
	}
}

func TestHTMLOfXML(t *testing.T) {
	t.Parallel()
	const body = `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><script src="x.js"/><title>T</title><style /></head>` +
		`<body><a id="here"/><p>text<iframe src="f"/> <a href="b">link</a></p></body></html>`
	for _, media := range []string{"application/xhtml+xml", "text/xml"} {
		page := parseHTML(t, &HTML{}, media, body)
		if page.Title != "T" || page.Text != "text link" || len(page.Links) != 2 {
			t.Errorf("%s: title %q, text %q, links %v", media, page.Title, page.Text, page.Links)
		}
	}
}

func TestHTMLCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := new(HTML).Parse(ctx, response("text/html", "<p>text")); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
