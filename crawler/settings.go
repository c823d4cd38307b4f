package crawler

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/webquarry/quarry/crawler/internal/fetch"
	"github.com/webquarry/quarry/crawler/robots"
)

// check refuses settings with which no fetch could succeed, or every one would
// do harm.
func (h *HTTP) check() error {
	if err := checkUserAgent(h.UserAgent); err != nil {
		return err
	}
	for what, v := range map[string]int64{"limit of bytes": h.MaxBody, "timeout": int64(h.Timeout), "number of redirects": int64(h.Redirects)} {
		if v < 0 {
			return &ConfigError{what, strconv.FormatInt(v, 10), "must not be negative"}
		}
	}
	for k := range h.Header {
		switch http.CanonicalHeaderKey(k) {
		case "Authorization", "Cookie", "Proxy-Authorization":
			return &ConfigError{"header", k, "would go to every host; put it in Credentials, by origin"}
		}
	}
	if err := checkHeader(h.Header); err != nil {
		return err
	}
	for o, header := range h.Credentials {
		if err := checkOrigin("credentials", o); err != nil {
			return err
		}
		if err := checkHeader(header); err != nil {
			return err
		}
	}
	return h.checkNetwork()
}

func (h *HTTP) checkNetwork() error {
	for o := range h.Network.Certificates {
		if err := checkOrigin("a certificate", o); err != nil {
			return err
		}
		if h.Transport != nil || !strings.HasPrefix(strings.ToLower(o), "https:") {
			return &ConfigError{"origin of a certificate", o, "want https, and no Transport of one's own"}
		}
	}
	if h.Proxy != nil && len(h.Network.Proxies) > 0 {
		return &ConfigError{"proxy", h.Proxy.Redacted(), "is set beside Network.Proxies; set one of them"}
	}
	for _, u := range h.Network.Proxies {
		if u == nil {
			return &ConfigError{"proxy", "", "is nil"}
		}
		if err := checkProxy(u); err != nil {
			return err
		}
	}
	return checkProxy(h.Proxy)
}

func checkOrigin(of, o string) error {
	if u, err := url.Parse(o); err != nil || u.Host == "" || fetch.Origin(u) != strings.ToLower(o) {
		return &ConfigError{"origin of " + of, o, "want scheme://host or scheme://host:port and nothing else"}
	}
	return nil
}

// checkHeader refuses what cannot be sent.
func checkHeader(h http.Header) error {
	for k, values := range h {
		if !httpguts.ValidHeaderFieldName(k) {
			return &ConfigError{"header", k, "is no name of a header"}
		}
		for _, v := range values {
			if !httpguts.ValidHeaderFieldValue(v) {
				return &ConfigError{"header", k, "has a value with control characters"} // which may be a secret
			}
		}
	}
	return nil
}

// checkProxy refuses a proxy that cannot be asked.
func checkProxy(u *url.URL) error {
	if u == nil {
		return nil
	}
	why := ""
	switch port, err := strconv.ParseUint(u.Port(), 10, 16); {
	case u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "socks5" && u.Scheme != "socks5h":
		why = "want http://host:port, https://..., socks5://... or socks5h://..."
	case u.Hostname() == "":
		why = "has no host"
	case u.Port() != "" && (err != nil || port == 0):
		why = "has no port between 1 and 65535"
	default:
		return nil
	}
	return &ConfigError{"proxy", u.Redacted(), why}
}

// checkUserAgent wants a product token (RFC 9110, 10.1.5) and a way to reach
// whoever runs the crawler.
func checkUserAgent(ua string) error {
	why := ""
	switch {
	case strings.TrimSpace(ua) == "":
		why = "is required: product/version and a contact, such as acme/1.0 (+https://acme.example/bot)"
	case robots.Token(ua) == "":
		why = "must begin with a product token, such as acme/1.0"
	case !httpguts.ValidHeaderFieldValue(ua):
		why = "must be one line without control characters"
	case !strings.Contains(ua, "://") && !strings.Contains(ua, "@"):
		why = "names no contact: add a URL or an e-mail address"
	default:
		return nil
	}
	return &ConfigError{"user agent", ua, why}
}

// A ConfigError says that a crawl or a fetcher was set up wrongly: a user
// agent without contact, a seed that is no http URL.
type ConfigError struct {
	What  string // "user agent", "seed", "header"
	Value string
	Why   string
}

// Error says what and why.
func (e *ConfigError) Error() string {
	return fmt.Sprintf("crawler: %s %q: %s", e.What, e.Value, e.Why)
}
