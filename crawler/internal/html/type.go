package html

import (
	"bytes"
	"net/http"
	"regexp"
	"strings"

	"github.com/webquarry/quarry/crawler/internal/charset"
)

// Kind is how a body is read.
type Kind int

const (
	Other     Kind = iota // not at all
	Hypertext             // HTML or XHTML
	Plain                 // plain text
)

// TypeOf returns the type of a body and how to read it. The header decides,
// the first bytes do where it is missing, broken or application/octet-stream.
func TypeOf(h http.Header, body []byte) (media string, kind Kind) {
	declared := h.Get("Content-Type")
	media, _, _ = strings.Cut(declared, ";")
	media = strings.ToLower(strings.TrimSpace(media))
	head := body[:min(len(body), 1024)]
	switch media {
	case "text/html", "application/xhtml+xml":
		kind = Hypertext
	case "text/plain", "text/markdown":
		kind = Plain
	case "text/xml", "application/xml":
		if looksLikeHTML(head) {
			return media, Hypertext
		}
		return media, Other
	case "application/octet-stream", "application/unknown", "unknown/unknown", "*/*":
		return sniff(head)
	default:
		if !strings.Contains(media, "/") {
			return sniff(head)
		}
		return media, Other
	}
	if isBinary(head, declared) {
		return binaryType(head), Other
	}
	return media, kind
}

// sniff judges by the first bytes, as browsers do (WHATWG MIME sniffing).
func sniff(head []byte) (media string, kind Kind) {
	media, _, _ = strings.Cut(http.DetectContentType(head), ";")
	switch {
	case media == "text/html":
		return media, Hypertext
	case (strings.HasPrefix(media, "text/") || charset.SixteenBit(head) != "") && looksLikeHTML(head):
		return "text/html", Hypertext
	case media == "text/plain":
		return media, Plain
	}
	return media, Other
}

// looksLikeHTML looks for a tag that only HTML pages have near their start.
func looksLikeHTML(head []byte) bool {
	s := strings.ToLower(strings.ReplaceAll(string(head), "\x00", "")) // it may be UTF-16
	for _, tag := range [...]string{"<!doctype html", "<html", "<head", "<body", "<title"} {
		if strings.Contains(s, tag) {
			return true
		}
	}
	return false
}

// withEndTags writes elements that XML lets end in their start tag as HTML
// wants them, where it would take the rest of the page for their content.
func withEndTags(body []byte) []byte {
	closed := regexp.MustCompile(`<(script|style|title|textarea|iframe|noscript)(\s[^<>]*)?/>`)
	return closed.ReplaceAll(body, []byte("<$1$2></$1>"))
}

// isBinary reports whether a body that was declared as text is none.
func isBinary(head []byte, contentType string) bool {
	if bytes.HasPrefix(head, []byte("%PDF-")) || isFile(head) {
		return true
	}
	if name, _ := charset.ByteOrderMark(head); strings.HasPrefix(name, "utf-16") || charset.SixteenBit(head) != "" ||
		strings.HasPrefix(charset.Name(charset.InHeader(contentType)), "utf-16") {
		return false
	}
	var zeros, controls int
	for _, c := range head {
		if c >= ' ' {
			continue
		}
		switch c {
		case 0:
			zeros++
		case '\t', '\n', '\f', '\r', 0x0e, 0x0f, 0x1b: // the last three belong to ISO 2022
		default:
			controls++
		}
	}
	return controls > 8 && controls*20 > len(head) || zeros > 8 && zeros*2 > len(head)
}

// isFile knows by their first bytes the pictures, fonts and archives that servers
// send as text, however short they are. net/http's DetectContentType knows more, but
// takes two letters (BM) or a word (OTTO, ID3) for a file, by which texts begin.
func isFile(head []byte) bool {
	for _, magic := range [...]string{
		"\x89PNG\r\n\x1a\n", "GIF87a", "GIF89a", "\xff\xd8\xff", "\x00\x00\x01\x00", "RIFF", "wOFF\x00", "wOF2\x00",
		"\x1f\x8b\x08", "PK\x03\x04", "7z\xbc\xaf\x27\x1c", "Rar!\x1a\x07", "\x28\xb5\x2f\xfd", "\xfd7zXZ\x00",
	} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return magic != "RIFF" || len(head) >= 12 && string(head[8:12]) == "WEBP"
		}
	}
	return false
}

// binaryType names the type of a body that is no text.
func binaryType(head []byte) string {
	if media := http.DetectContentType(head); !strings.HasPrefix(media, "text/") {
		return media
	}
	return "application/octet-stream"
}
