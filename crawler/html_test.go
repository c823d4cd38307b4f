package crawler

import (
	"context"
	"net/http"
	"testing"
)

// parseHTML reads body as a page at http://www.example.com/dir/page.
func parseHTML(t testing.TB, h *HTML, contentType, body string) *Page {
	t.Helper()
	page, err := h.Parse(context.Background(), response(contentType, body))
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	return page
}

// response is what a fetcher brings from http://www.example.com/dir/page.
// header holds names and values in turn.
func response(contentType, body string, header ...string) *Response {
	h := http.Header{}
	if contentType != "" {
		h.Set("Content-Type", contentType)
	}
	for i := 0; i+1 < len(header); i += 2 {
		h.Add(header[i], header[i+1])
	}
	return &Response{URL: "http://www.example.com/dir/page", Status: 200, Header: h, Body: []byte(body)}
}
