package warc

import (
	"bytes"
	"strconv"
	"strings"
	"time"
)

const (
	maxLine   = 64 << 10
	maxHeader = 1 << 20
)

// isVersion reports whether a line is the first of a WARC record. 0.17 and 0.18
// were drafts that look as 1.0 does; earlier ones do not.
func isVersion(line []byte) bool {
	v, ok := bytes.CutPrefix(line, []byte("WARC/"))
	return ok && len(v) >= 3 && len(v) <= 4 && (v[0] == '1' || string(v) == "0.17" || string(v) == "0.18") && v[1] == '.'
}

// warcHead reads the fields of a record whose first line was version.
func (s *stream) warcHead(version string) (*Record, error) {
	rec := &Record{Version: version}
	for total := 0; ; {
		line, err := s.line(maxLine)
		if total += len(line); err != nil || total > maxHeader {
			return nil, headerError(err)
		}
		if len(line) == 0 {
			break
		}
		if last := len(rec.Header) - 1; last >= 0 && (line[0] == ' ' || line[0] == '\t') {
			v := &rec.Header[last].Value
			*v = strings.TrimSpace(*v + " " + string(bytes.TrimSpace(line)))
			continue
		}
		name, value, ok := bytes.Cut(line, []byte(":"))
		if !ok {
			return nil, ErrHeader
		}
		rec.Header = append(rec.Header, Field{string(bytes.TrimSpace(name)), string(bytes.TrimSpace(value))})
	}
	size, err := strconv.ParseInt(rec.Header.Get("Content-Length"), 10, 64)
	if err != nil || size < 0 {
		return nil, ErrHeader
	}
	rec.Size = size
	rec.Type = strings.ToLower(rec.Header.Get("WARC-Type"))
	rec.Date = parseDate(rec.Header.Get("WARC-Date"))
	rec.URL = strings.TrimSuffix(strings.TrimPrefix(rec.Header.Get("WARC-Target-URI"), "<"), ">")
	return rec, nil
}

// headerError is what the end of a member within a header is.
func headerError(err error) error {
	if err == nil || isEOF(err) {
		return ErrHeader
	}
	return err
}

// parseDate reads the dates of WARC, with or without fractions, and those of
// ARC, of which some have too many digits and some too few.
func parseDate(s string) time.Time {
	if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
		return t.UTC()
	}
	const layout = "20060102150405"
	if len(s) > len(layout) {
		s = s[:len(layout)]
	}
	t, err := time.Parse(layout[:len(s)], s)
	if err != nil || s == "" {
		return time.Time{}
	}
	return t
}

// arcHead reads the one line that begins a record of an ARC file:
//
//	URL address date type length
//	URL address date type status checksum location offset file length
//
// in versions 1 and 2. URLs may have spaces, and types too, so that address and
// date are looked for; nothing is nil.
func arcHead(line []byte) *Record {
	if len(line) == 0 || !bytes.Contains(line[:min(len(line), 32)], []byte(":")) {
		return nil // a URL begins with its scheme
	}
	f := strings.Split(string(line), " ")
	if len(f) < 5 {
		return nil
	}
	at := 0
	for i := 2; i < len(f)-2 && at == 0; i++ {
		if isDigits(f[i]) && len(f[i]) >= 8 && len(f[i]) <= 18 && isAddress(f[i-1]) {
			at = i
		}
	}
	if at == 0 {
		return nil
	}
	rec := &Record{Version: "ARC/1", Type: Response, URL: strings.Join(f[:at-1], " "), Date: parseDate(f[at])}
	kind := f[at+1]
	if len(f)-at == 8 {
		rec.Version = "ARC/2"
	}
	size, err := strconv.ParseInt(f[len(f)-1], 10, 64)
	if err != nil || size < 0 {
		rec.Size = -1
	} else {
		rec.Size = size
	}
	switch scheme, _, _ := strings.Cut(strings.ToLower(rec.URL), ":"); scheme {
	case "filedesc":
		rec.Type = Warcinfo
	case "http", "https":
		kind = "application/http; msgtype=response"
	default:
		rec.Type = Resource
	}
	rec.Header = Header{
		{"WARC-Type", rec.Type}, {"WARC-Target-URI", rec.URL}, {"WARC-Date", rec.Date.Format(time.RFC3339)},
		{"WARC-IP-Address", f[at-1]}, {"Content-Type", kind}, {"Content-Length", f[len(f)-1]},
	}
	return rec
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// isAddress takes IP addresses of both kinds, and "-" and "unknown" for none.
func isAddress(s string) bool {
	return strings.Count(s, ".") == 3 || strings.Count(s, ":") >= 2 || s == "-" || s == "unknown"
}
