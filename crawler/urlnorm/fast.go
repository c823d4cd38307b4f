package urlnorm

import (
	"bytes"
	"strings"
)

// fast does the work of slow for the URLs that most links are: ASCII all
// through, nothing to escape, a name for a host. It is some thirty times
// quicker. ok is false where it is not sure, be it only of an error. That both
// agree is what TestFastAgrees and FuzzFast are for.
func fast(base, ref string) (u parts, ok bool) {
	if schemeLen(ref) > 0 {
		return u, u.readAbsolute(ref)
	}
	base, _, _ = strings.Cut(base, "#")
	if !u.readAbsolute(base) {
		return u, false
	}
	switch {
	case ref == "":
		return u, true
	case strings.HasPrefix(ref, "//"):
		u = parts{scheme: u.scheme}
		return u, u.readAuthority(ref[2:])
	case ref[0] == '/':
		return u, u.readPath("", ref)
	case ref[0] == '?':
		return u, u.readQuery(ref[1:])
	}
	return u, u.readPath(u.path[:strings.LastIndexByte(u.path, '/')+1], ref)
}

// readAbsolute reads a whole URL without fragment.
func (u *parts) readAbsolute(s string) bool {
	switch n := strings.IndexByte(s, ':'); {
	case n == 4 && strings.EqualFold(s[:n], "http"):
		u.scheme = "http"
	case n == 5 && strings.EqualFold(s[:n], "https"):
		u.scheme = "https"
	default:
		return false
	}
	s = s[len(u.scheme)+1:]
	return strings.HasPrefix(s, "//") && u.readAuthority(s[2:])
}

// readAuthority reads host, port and what follows. All is as in a name but
// for what could be an IPv4 address, Punycode, or an odd number of dots.
func (u *parts) readAuthority(s string) bool {
	label, upper := 0, false // start of the last label; any capital letters
	i := 0
	for ; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-', c == '_':
		case c >= 'A' && c <= 'Z':
			upper = true
		case c == '.':
			if i == label || punycode(s[label:i]) {
				return false
			}
			label = i + 1
		default:
			goto end
		}
	}
end:
	if i == label || s[label]|0x20 < 'a' || s[label]|0x20 > 'z' || punycode(s[label:i]) {
		return false
	}
	if u.host = s[:i]; upper {
		u.host = strings.ToLower(u.host)
	}
	s = s[i:]
	if s != "" && s[0] == ':' {
		n := u.readPort(s[1:])
		if n < 0 {
			return false
		}
		s = s[1+n:]
	}
	switch {
	case s == "":
		u.path = "/"
		return true
	case s[0] == '?':
		u.path = "/"
		return u.readQuery(s[1:])
	}
	return s[0] == '/' && u.readPath("", s)
}

func punycode(label string) bool {
	return len(label) >= 4 && strings.EqualFold(label[:4], "xn--")
}

// readPort reads the port that s starts with and returns its length, -1 when
// it is no plain one.
func (u *parts) readPort(s string) int {
	n, port := 0, 0
	for ; n < len(s) && s[n] >= '0' && s[n] <= '9'; n++ {
		port = port*10 + int(s[n]-'0')
	}
	if n > 5 || port > 65535 || n > 0 && s[0] == '0' {
		return -1
	}
	if u.port = s[:n]; u.port == "80" && u.scheme == "http" || u.port == "443" && u.scheme == "https" {
		u.port = ""
	}
	return n
}

// readPath reads a path behind dir, and the query that may follow.
func (u *parts) readPath(dir, s string) bool {
	dots, before := false, byte('/')
	i := 0
	for ; i < len(s) && s[i] != '?'; i++ {
		switch c := s[i]; c {
		case '"', '<', '>', '\\', '^', '`', '{', '}':
			return false
		case '%':
			if strings.HasPrefix(s[i+1:], "2e") || strings.HasPrefix(s[i+1:], "2E") {
				return false
			}
		case '.':
			dots = dots || before == '/'
		default:
			if c <= ' ' || c >= 0x7f {
				return false
			}
		}
		before = s[i]
	}
	u.dir, u.path = dir, s[:i]
	if dots {
		u.dir, u.path = "", resolveDots(dir, s[:i])
	}
	u.query, u.hasQuery = "", false
	return i == len(s) || u.readQuery(s[i+1:])
}

func (u *parts) readQuery(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '"', '\'', '<', '>':
			return false
		default:
			if c <= ' ' || c >= 0x7f {
				return false
			}
		}
	}
	u.query, u.hasQuery = s, true
	return true
}

// resolveDots appends path to dir, which is empty or ends in a slash, and
// resolves the segments "." and ".." of path.
func resolveDots(dir, path string) string {
	var buf [256]byte
	out := buf[:0]
	if dir == "" {
		path = path[1:]
	} else {
		out = append(out, dir[:len(dir)-1]...)
	}
	for more := true; more; {
		var segment string
		segment, path, more = strings.Cut(path, "/")
		switch segment {
		case "..":
			out = out[:max(0, bytes.LastIndexByte(out, '/'))]
		case ".":
		default:
			out = append(out, '/')
			out = append(out, segment...)
			continue
		}
		if !more {
			out = append(out, '/')
		}
	}
	return string(out)
}
