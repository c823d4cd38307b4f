package urlnorm

import (
	"strings"

	"golang.org/x/net/publicsuffix"
)

// Host returns the host of an absolute URL in lower case, without port;
// international names in Punycode, IPv6 addresses in brackets. It is empty
// where [URL] returns an error.
func Host(u string) string {
	_, host := authority(u)
	return host
}

// Origin returns scheme, host and port of an absolute URL in the form
// http://example.com or https://example.com:8443, the default port left out.
// Each origin has a robots.txt of its own. It is empty where [URL] returns an
// error.
func Origin(u string) string {
	origin, _ := authority(u)
	return origin
}

// Site returns the registrable domain of an absolute URL: example.co.uk for
// http://www.example.co.uk/, user.github.io for http://user.github.io/ (the
// private part of the Public Suffix List counts). IP addresses, localhost and
// public suffixes are sites of their own. It is empty where [URL] returns an
// error.
func Site(u string) string {
	_, host := authority(u)
	site, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil || address(host) {
		return host
	}
	return site
}

// address reports whether a canonical host is an IP address. No domain ends
// in a digit there: the URL standard reads such a host as an address.
func address(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	return strings.HasPrefix(host, "[") || last != "" && last[0] >= '0' && last[0] <= '9'
}

// authority returns the origin and the host of an absolute URL.
func authority(u string) (origin, host string) {
	p := new(Profile)
	if len(u) > p.maxLen() {
		return "", ""
	}
	clean, _ := tidy(u)
	parts, err := parse("", clean)
	if err != nil {
		return "", ""
	}
	host = p.host(parts.host)
	origin = parts.scheme + "://" + host
	if parts.port != "" {
		origin += ":" + parts.port
	}
	return origin, host
}
