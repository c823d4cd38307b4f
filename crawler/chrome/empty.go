package chrome

import (
	_ "embed"
	"net/http"
	"strings"
)

// A page must not be another one because it was not given all that it asked for:
// many take out what an image, a film or a style did not load for, and keep texts
// hidden whose font failed. So such are empty, and not errors, where they are refused. Scripts and data are errors to
// the page: nobody can say what it would have made of them.

type empty struct {
	kind string
	body []byte
}

// emptyOf are what is given in place of a resource, by the destination of its
// request (Fetch standard, 2.2.5), or Chrome's word for what has several.
var emptyOf = map[string]empty{
	"image": pixel, "media": silence, "audio": silence, "video": silence,
	"style": {kind: "text/css"}, "track": {"text/vtt", []byte("WEBVTT\n\n")}, "font": {"font/ttf", blank},
}

var (
	// pixel is one that is transparent.
	pixel = empty{"image/gif", []byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x01D\x00;")}
	// silence is a tenth of a second long, at 8,000 samples a second of one byte.
	silence = empty{"audio/wav", []byte("RIFF\x44\x03\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x40\x1f\x00\x00\x01\x00\x08\x00data\x20\x03\x00\x00" + strings.Repeat("\x80", 800))}
)

// blank is a TrueType font of 1,000 units an em without a character, so that the
// next family of the page's list is seen. It has the tables that Chrome's sanitizer
// asks for, with nothing but .notdef in them (fontTools' FontBuilder made it).
//
//go:embed empty.ttf
var blank []byte

// header is that of the answer, for a page of any origin.
func (e empty) header(origin string) http.Header {
	h := http.Header{"Content-Type": {e.kind}, "Cache-Control": {"no-store"}, "Timing-Allow-Origin": {"*"}}
	if origin == "" || origin == "<nil>" {
		return h
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Allow-Credentials", "true")
	return h
}

// refuse answers a request for what is not to be loaded. Sec-Fetch-Dest is told to
// secure origins only; what Accept says of images and styles, and Range of films,
// is told to all.
func refuse(w http.ResponseWriter, r *http.Request) {
	dest, accept := r.Header.Get("Sec-Fetch-Dest"), r.Header.Get("Accept")
	switch {
	case dest != "":
	case strings.HasPrefix(accept, "image/"):
		dest = "image"
	case strings.HasPrefix(accept, "text/css,"):
		dest = "style"
	case strings.HasPrefix(r.Header.Get("Range"), "bytes=0-") && r.Header.Get("Origin") == "":
		dest = "media"
	}
	e, ok := emptyOf[dest]
	if !ok {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	for name, v := range e.header(r.Header.Get("Origin")) {
		w.Header()[name] = v
	}
	w.Write(e.body)
}
