package static

import (
	"net/netip"
	"net/url"
	"strings"
	"unicode/utf8"
)

// URLNames are the names of what URLFeatures returns:
//
//	url.https       1 if the protocol is https
//	url.ip          1 if the host is an address
//	url.port        1 if there is a port
//	url.www         1 if the host begins with www
//	url.labels      labels of the host, www not counted
//	url.suffix      what is thought of the last label, see [SuffixScore]
//	url.length      characters of the whole URL
//	url.host        characters of the host
//	url.path        characters of the path
//	url.query       characters of the query
//	url.parameters  parts of the query
//	url.depth       segments of the path, a file that is named as the index of its folder not counted
//	url.root        1 for the front page of a host: no path, no query
//	url.subroot     1 for a first folder: one segment, that ends in / or as an index
//	url.folder      1 for deeper folders
//	url.digits      digits, as a part of all characters behind the host
//	url.dots        . in host and path
//	url.hyphens     - and _ in host and path
//	url.tilde       1 if the path has a ~
//	url.escapes     % in path and query
func URLNames() []string { return append([]string(nil), urlNames...) }

var urlNames = []string{
	"url.https", "url.ip", "url.port", "url.www", "url.labels", "url.suffix",
	"url.length", "url.host", "url.path", "url.query", "url.parameters",
	"url.depth", "url.root", "url.subroot", "url.folder",
	"url.digits", "url.dots", "url.hyphens", "url.tilde", "url.escapes",
}

// URLFeatures returns the features of a URL, by the order of [URLNames]. Of what is no URL they are what can be told.
func URLFeatures(rawURL string) []float64 {
	u, err := url.Parse(rawURL)
	if err != nil {
		u = &url.URL{Path: rawURL}
	}
	host := strings.ToLower(u.Hostname())
	_, notAddress := netip.ParseAddr(host)
	path, query := u.EscapedPath(), u.RawQuery
	segments := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
	folder := path == "" || strings.HasSuffix(path, "/")
	if n := len(segments); n > 0 && !folder && isIndex(segments[n-1]) {
		segments, folder = segments[:n-1], true
	}
	labels := strings.Split(strings.TrimPrefix(host, "www."), ".")
	digits := 0
	behind := path + query
	for _, c := range []byte(behind) {
		if c >= '0' && c <= '9' {
			digits++
		}
	}
	return []float64{
		flag(strings.EqualFold(u.Scheme, "https")),
		flag(notAddress == nil),
		flag(u.Port() != ""),
		flag(strings.HasPrefix(host, "www.")),
		float64(len(labels)),
		SuffixScore(labels[len(labels)-1]),
		float64(utf8.RuneCountInString(rawURL)),
		float64(len(host)),
		float64(len(path)),
		float64(len(query)),
		float64(len(strings.FieldsFunc(query, func(r rune) bool { return r == '&' || r == ';' }))),
		float64(len(segments)),
		flag(folder && len(segments) == 0 && query == ""),
		flag(folder && len(segments) == 1 && query == ""),
		flag(folder && len(segments) > 1 && query == ""),
		float64(digits) / float64(max(len(behind), 1)),
		float64(strings.Count(host+path, ".")),
		float64(strings.Count(host+path, "-") + strings.Count(host+path, "_")),
		flag(strings.Contains(path, "~")),
		float64(strings.Count(behind, "%")),
	}
}

func flag(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// isIndex reports whether a file is what servers show of a folder.
func isIndex(file string) bool {
	name, _, _ := strings.Cut(strings.ToLower(file), ".")
	return name == "index" || name == "default" || name == "home"
}

// suffixScores are of general labels, and of some that are mostly given away.
var suffixScores = map[string]float64{
	"edu": 1, "gov": 1, "mil": 0.8, "int": 0.9, "museum": 0.8, "org": 0.7, "com": 0.5, "net": 0.4, "name": 0.3,
	"info": 0.2, "biz": 0.1, "xyz": 0.1, "top": 0, "tk": 0, "ml": 0, "ga": 0, "cf": 0, "gq": 0,
}

// SuffixScore is what is thought of sites under a top-level domain, from 0 to 1: of edu and gov the most, of countries 0.5, of
// those that are given away 0, of one that is not known 0.3. The table is an opinion; a model learnt from pages says how
// much it counts.
func SuffixScore(topLevel string) float64 {
	if score, ok := suffixScores[topLevel]; ok {
		return score
	}
	if len(topLevel) == 2 {
		return 0.5
	}
	return 0.3
}
