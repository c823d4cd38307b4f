package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"

	"github.com/webquarry/quarry/crawler"
)

// pdf is a web with one document.
type pdf []byte

func (p pdf) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/pdf"}}, Body: io.NopCloser(bytes.NewReader(p)), Request: r}, nil
}

func Example() {
	printed, err := os.ReadFile("../../../crawler/content/testdata/printed.pdf")
	if err != nil {
		panic(err)
	}
	if err := text(context.Background(), &crawler.HTTP{UserAgent: userAgent, Transport: pdf(printed)}, "http://a.example/printed"); err != nil {
		panic(err)
	}
	// Output:
	// Printed page
	// Ships of the line
	// An efficient fleet sails swiftly to the harbour. Съешь ещё этих мягких французских булок.
	// The first column begins here and goes on for a while,
	// so that it breaks into several lines of text.
	// The second column follows it.
	// left right
	// Second page of the document.
}
