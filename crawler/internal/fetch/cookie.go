package fetch

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
	"golang.org/x/net/publicsuffix"
)

const (
	maxCookie    = 4096 // bytes of name and value (RFC 6265bis, 5.6)
	maxCookies   = 100  // of one answer
	cookieSpaces = " \t"
)

// keepCookies notes the cookies of an answer.
func (c *chain) keepCookies(u *url.URL, h http.Header) {
	lines := h["Set-Cookie"]
	if len(lines) == 0 {
		return
	}
	if c.jar == nil {
		c.jar, _ = cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List}) // fails never
	}
	cookies := make([]*http.Cookie, 0, min(len(lines), maxCookies))
	for _, line := range lines[:min(len(lines), maxCookies)] {
		if k := parseCookie(line); k != nil {
			cookies = append(cookies, k)
		}
	}
	c.jar.SetCookies(u, cookies)
}

// parseCookie reads a Set-Cookie header as browsers do (RFC 6265, 5.2), where
// net/http drops names and values that servers should not have sent. It is nil
// for what is no cookie.
func parseCookie(line string) *http.Cookie {
	if end := strings.IndexAny(line, "\x00\r\n"); end >= 0 {
		line = line[:end]
	}
	pair, attributes, _ := strings.Cut(line, ";")
	name, value, ok := strings.Cut(pair, "=")
	name, value = strings.Trim(name, cookieSpaces), strings.Trim(value, cookieSpaces)
	if !ok || name == "" || len(name)+len(value) > maxCookie || !httpguts.ValidHeaderFieldValue(name+value) {
		return nil
	}
	k := &http.Cookie{Name: name, Value: value}
	for a := range strings.SplitSeq(attributes, ";") {
		name, value, _ := strings.Cut(a, "=")
		setAttribute(k, strings.ToLower(strings.Trim(name, cookieSpaces)), strings.Trim(value, cookieSpaces))
	}
	return k
}

func setAttribute(k *http.Cookie, name, value string) {
	switch name {
	case "expires":
		if t, ok := parseCookieDate(value); ok {
			k.Expires = t
		}
	case "max-age":
		digits := strings.TrimPrefix(value, "-")
		if digits == "" || strings.Trim(digits, "0123456789") != "" {
			return
		}
		age, err := strconv.ParseInt(value, 10, 32)
		switch {
		case strings.HasPrefix(value, "-"), age == 0 && err == nil:
			k.MaxAge = -1
		case err != nil:
			k.MaxAge = 1<<31 - 1
		default:
			k.MaxAge = int(age)
		}
	case "domain":
		if value != "" {
			k.Domain = value
		}
	case "path":
		k.Path = value
		if !strings.HasPrefix(value, "/") {
			k.Path = ""
		}
	case "secure":
		k.Secure = true
	case "httponly":
		k.HttpOnly = true
	}
}

// parseCookieDate reads a date in whatever way it is written (RFC 6265, 5.1.1).
func parseCookieDate(s string) (time.Time, bool) {
	var hour, minute, second, day, month, year = -1, -1, -1, -1, -1, -1
	for token := range strings.FieldsFuncSeq(s, isDateDelimiter) {
		if hour < 0 {
			if h, m, s, ok := clockTime(token); ok {
				hour, minute, second = h, m, s
				continue
			}
		}
		if n, ok := leadingNumber(token, 1, 2); ok && day < 0 {
			day = n
			continue
		}
		if n := monthOf(token); n > 0 && month < 0 {
			month = n
			continue
		}
		if n, ok := leadingNumber(token, 2, 4); ok && year < 0 {
			year = n
		}
	}
	switch {
	case year >= 70 && year <= 99:
		year += 1900
	case year >= 0 && year <= 69:
		year += 2000
	}
	if hour < 0 || hour > 23 || minute > 59 || second > 59 || day < 1 || day > 31 || month < 0 || year < 1601 {
		return time.Time{}, false
	}
	t := time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC)
	return t, t.Day() == day // 31 February is none
}

func isDateDelimiter(r rune) bool {
	return r == '\t' || r >= 0x20 && r <= 0x2f || r >= 0x3b && r <= 0x40 || r >= 0x5b && r <= 0x60 || r >= 0x7b && r <= 0x7e
}

func clockTime(token string) (hour, minute, second int, ok bool) {
	h, rest, ok1 := strings.Cut(token, ":")
	m, s, ok2 := strings.Cut(rest, ":")
	if !ok1 || !ok2 || len(h) > 2 || len(m) > 2 || strings.Trim(h+m, "0123456789") != "" { // only the seconds may have something behind them
		return 0, 0, 0, false
	}
	hour, ok1 = leadingNumber(h, 1, 2)
	minute, ok2 = leadingNumber(m, 1, 2)
	second, ok = leadingNumber(s, 1, 2)
	return hour, minute, second, ok && ok1 && ok2
}

// leadingNumber reads the digits that a token begins with, if there are as many
// as that.
func leadingNumber(s string, least, most int) (int, bool) {
	n := len(s) - len(strings.TrimLeft(s, "0123456789"))
	if n < least || n > most {
		return 0, false
	}
	v, err := strconv.Atoi(s[:n])
	return v, err == nil
}

// monthOf returns the month that a token begins with, or 0.
func monthOf(token string) int {
	if len(token) < 3 {
		return 0
	}
	at := strings.Index("janfebmaraprmayjunjulaugsepoctnovdec", strings.ToLower(token[:3]))
	if at < 0 || at%3 != 0 {
		return 0
	}
	return at/3 + 1
}

// cookies are those to be sent to u. Where one of the jar and one that redirects have set
// have the same name, that of the jar is later.
func (c *chain) cookies(u *url.URL) (all []*http.Cookie) {
	if c.jar != nil {
		all = c.jar.Cookies(u)
	}
	if c.req.Trail == "" || c.ask.Anonymous {
		return all
	}
	own := len(all)
	for _, k := range c.req.Trail.cookies(u) {
		if !slices.ContainsFunc(all[:own], func(o *http.Cookie) bool { return o.Name == k.Name }) {
			all = append(all, k)
		}
	}
	return all
}

// addCookies puts cookies into a header as they came, beside those that are there and
// have other names.
func addCookies(h http.Header, cookies []*http.Cookie) {
	var names []string
	all := h.Get("Cookie")
	for pair := range strings.SplitSeq(all, ";") {
		name, _, _ := strings.Cut(pair, "=")
		names = append(names, strings.Trim(name, cookieSpaces))
	}
	for _, k := range cookies {
		if slices.Contains(names, k.Name) {
			continue
		}
		if all != "" {
			all += "; "
		}
		all += k.Name + "=" + k.Value
	}
	if all != "" {
		h.Set("Cookie", all)
	}
}
