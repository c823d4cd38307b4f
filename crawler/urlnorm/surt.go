package urlnorm

import (
	"bytes"
	"slices"
	"strings"
)

// SURT returns the key under which web archives file a URL in their CDX
// indexes, the "sort-friendly URI reordering transform" in its usual form:
//
//	http://www.Example.com:80/Goo/?b&a=1  →  com,example)/goo?a=1&b
//
// The host is turned round and loses a leading "www." or "www2.", the rest is
// unescaped as far as it goes, put in lower case and sorted; a slash at the end
// and session ids of 32 characters go. So many URLs share a key: it finds
// captures, it does not tell pages apart as [URL] does. URLs without a host
// (dns:example.com) and those that cannot be read, or have more than 64 KiB,
// are their own key; the key of "" is "-".
func SURT(u string) string {
	if u == "" {
		return "-"
	}
	const tooLong = 64 << 10
	if len(u) > tooLong {
		return u
	}
	parsed, err := parser.Parse(u)
	if err != nil || parsed.Hostname() == "" || parsed.Scheme() == "filedesc" { // of ARC files
		return u
	}
	host := withoutWWW(strings.ToLower(strings.Trim(parsed.Hostname(), ".")))
	if !strings.HasPrefix(host, "[") {
		labels := strings.Split(host, ".")
		slices.Reverse(labels)
		host = strings.Join(labels, ",")
	}
	if port := parsed.Port(); port != "" {
		host += ":" + port
	}
	return host + ")" + surtPath(parsed.Pathname()) + surtQuery(strings.TrimPrefix(parsed.Search(), "?"))
}

// withoutWWW drops a first label of "www" and digits.
func withoutWWW(host string) string {
	rest, ok := strings.CutPrefix(host, "www")
	if rest = strings.TrimLeft(rest, "0123456789"); ok && strings.HasPrefix(rest, ".") {
		return rest[1:]
	}
	return host
}

func surtPath(path string) string {
	var kept []string
	for segment := range strings.SplitSeq(unescapeAll(path, -1), "/") {
		switch segment {
		case "", ".":
		case "..":
			kept = kept[:max(0, len(kept)-1)]
		default:
			kept = append(kept, segment)
		}
	}
	if len(kept) > 1 && strings.Contains(strings.ToLower(kept[len(kept)-1]), ".aspx") {
		kept = slices.DeleteFunc(kept, func(s string) bool { return cookieless([]byte(s)) })
	}
	return strings.ToLower(escapeOnce("/" + strings.Join(kept, "/")))
}

func surtQuery(query string) string {
	query = escapeOnce(unescapeAll(query, '&'))
	for _, name := range [...]string{"jsessionid=", "phpsessid=", "sid="} {
		query = cutSession(query, name)
	}
	if query == "" {
		return ""
	}
	pairs := strings.Split(strings.ToLower(query), "&")
	slices.SortFunc(pairs, func(a, b string) int { // by name, then by value
		return strings.Compare(strings.Replace(a, "=", "\x00", 1), strings.Replace(b, "=", "\x00", 1))
	})
	return "?" + strings.Join(pairs, "&")
}

// cutSession removes the last parameter whose name ends in name and whose
// value is 32 letters and digits, from where name starts.
func cutSession(query, name string) string {
	const size = 32
	for at := len(query) - len(name) - size; at >= 0; at-- {
		value := query[at+len(name):]
		if !strings.EqualFold(query[at:at+len(name)], name) || !alphanumeric(value[:size]) {
			continue
		}
		if rest := value[size:]; rest == "" {
			return query[:at]
		} else if rest[0] == '&' {
			return query[:at] + rest[1:]
		}
	}
	return query
}

// unescapeAll undoes percent-escapes until there are none, but for those of
// the byte keep.
func unescapeAll(s string, keep int) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var out []byte
	for i := 0; i < len(s); i++ {
		out = append(out, s[i])
		for n := len(out) - 3; n >= 0 && out[n] == '%' && hex(out[n+1]) && hex(out[n+2]); n = len(out) - 3 {
			c := unhex(out[n+1])<<4 | unhex(out[n+2])
			if int(c) == keep {
				break
			}
			out = append(out[:n], c)
		}
	}
	return string(out)
}

// escapeOnce escapes what cannot stand in a URL, and percent signs that are
// not part of an escaped ampersand.
func escapeOnce(s string) string {
	const digits = "0123456789ABCDEF"
	var b bytes.Buffer
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c > ' ' && c < 0x7f && c != '#' && c != '%', c == '%' && strings.HasPrefix(s[i:], "%26"):
			b.WriteByte(c)
		default:
			b.WriteByte('%')
			b.WriteByte(digits[c>>4])
			b.WriteByte(digits[c&15])
		}
	}
	return b.String()
}
