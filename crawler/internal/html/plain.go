package html

import (
	"net/url"
	"path"
	"strings"
)

// plain reads a plain text. Its title is its first line if that is short
// enough to be one, else the name of the file.
func (r *reader) plain(s string) {
	page := r.page
	const longest = 120 // bytes of a title
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.ReplaceAll(s, "\r", "\n")
	var t blockText
	t.addLines(s)
	page.Text = strings.TrimRight(string(t.buf), " \t\n")
	first, _, _ := strings.Cut(strings.TrimLeft(page.Text, " \t\n"), "\n")
	if first = strings.TrimLeft(oneLine(first), "# "); first != "" && len(first) <= longest {
		page.Title = first
		return
	}
	page.Title = fileName(page.URL)
}

// fileName returns the last part of a URL's path, the host if there is none.
func fileName(rawURL string) string {
	u, err := url.Parse(rawURL)
	if err != nil {
		return ""
	}
	if name := path.Base(u.Path); name != "." && name != "/" {
		return strings.ToValidUTF8(name, "\uFFFD")
	}
	return u.Hostname()
}
