package urlnorm_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/webquarry/quarry/crawler/urlnorm"
)

func TestURL(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ base, ref, want string }{
		// What browsers do.
		{"", "http://example.com", "http://example.com/"},
		{"", " \n http://example.com/a b\t ", "http://example.com/a%20b"},
		{"", "HTTP://EXAMPLE.COM/Up", "http://example.com/Up"},
		{"", "http://example.com:80/", "http://example.com/"},
		{"", "https://example.com:443/", "https://example.com/"},
		{"", "https://example.com:80/", "https://example.com:80/"},
		{"", `http:\\example.com\a`, "http://example.com/a"},
		{"", "http://example.com/up/../p/./1.html", "http://example.com/p/1.html"},
		{"", "http://example.com/%2e%2E/x", "http://example.com/x"},
		{"", "http://bücher.example/straße", "http://xn--bcher-kva.example/stra%C3%9Fe"},
		{"", "http://127.1/", "http://127.0.0.1/"},
		{"", "http://2130706433/", "http://127.0.0.1/"},
		{"", "http://[0:0::1]:8080/", "http://[::1]:8080/"},
		{"", "http://example.com/a^b", "http://example.com/a%5Eb"},
		{"http://example.com/dir/page?q#f", "", "http://example.com/dir/page?q"},
		{"http://example.com/dir/page?q#f", "#top", "http://example.com/dir/page?q"},
		{"http://example.com/dir/page?q", "?r", "http://example.com/dir/page?r"},
		{"http://example.com/dir/page?q", "x.html", "http://example.com/dir/x.html"},
		{"http://example.com/dir/page?q", "../x.html", "http://example.com/x.html"},
		{"http://example.com/dir/page?q", "/x/", "http://example.com/x/"},
		{"http://example.com/dir/page?q", "//other.example/x", "http://other.example/x"},
		{"https://example.com/dir/page?q", "http:x", "http://x/"},
		{"http://example.com/dir/page?q", "http:x", "http://example.com/dir/x"},
		{"nonsense", "http://example.com/", "http://example.com/"},
		{"http://example.com/a/b", "c:d", ""},
		{"http://example.com/a/b", "./c:d", "http://example.com/a/c:d"},

		// Our profile.
		{"", "http://example.com/#frag", "http://example.com/"},
		{"", "http://example.com/#!/x", "http://example.com/"},
		{"", "http://example.com/%7ejo/caf%c3%a9", "http://example.com/~jo/caf%C3%A9"},
		{"", "http://example.com/a%2fb", "http://example.com/a%2Fb"},
		{"", "http://example.com//a//b", "http://example.com//a//b"},
		{"", "http://example.com/a?q=a+b%20c", "http://example.com/a?q=a+b%20c"},
		{"", "http://example.com/a?", "http://example.com/a"},
		{"", "http://example.com/a?#", "http://example.com/a"},
		{"", "http://example.com./a", "http://example.com/a"},
		{"", "http://jo:secret@example.com/", "http://example.com/"},
		{"", "http://example.com/a?b=2&a=1&b=2&b=3", "http://example.com/a?b=2&a=1&b=3"},
		{"", "http://example.com/a?&a=1&&b&", "http://example.com/a?a=1&b"},
		{"", "http://example.com/a?b&b=", "http://example.com/a?b&b="},
		{"", "http://example.com/100%", "http://example.com/100%"},
		{"", "http://example.com/%%41", "http://example.com/%%41"},
		{"", "http://example.com/%4%31", "http://example.com/%4%31"},
		{"", "http://example.com/%zz%41", "http://example.com/%zzA"},

		// Sessions and tracking.
		{"", "http://example.com/a;jsessionid=0f9A.node1!x?b=1", "http://example.com/a?b=1"},
		{"", "http://example.com/;JSESSIONID=AAAA", "http://example.com/"},
		{"", "http://example.com/a;jsessionid=1;v=2/b", "http://example.com/a;v=2/b"},
		{"", "http://example.com/a/..;jsessionid=1", "http://example.com/a/..;jsessionid=1"},
		{"", "http://example.com/(S(4hqa0555fwsecu455xqckv45))/a.aspx", "http://example.com/a.aspx"},
		{"", "http://example.com/(4hqa0555fwsecu455xqckv45)/a.aspx", "http://example.com/a.aspx"},
		{"", "http://example.com/x/(X(1)S(4hqa0555fwsecu455xqckv45))/a", "http://example.com/x/a"},
		{"", "http://example.com/(S(4hqa0555fwsecu455xqckv45))", "http://example.com/(S(4hqa0555fwsecu455xqckv45))"},
		{"", "http://example.com/(a(bcdefghijklmnopqrstuvwxy)z)/a", "http://example.com/(a(bcdefghijklmnopqrstuvwxy)z)/a"},
		{"", "http://example.com/(abcdefghijklmnopqrstuvwxyz)/a", "http://example.com/(abcdefghijklmnopqrstuvwxyz)/a"},
		{"", "http://example.com/photos/(draft)/a", "http://example.com/photos/(draft)/a"},
		{"", "http://example.com/a?PHPSESSID=1f&x=1", "http://example.com/a?x=1"},
		{"", "http://example.com/a?sid=0123456789abcdef0123456789abcdef", "http://example.com/a"},
		{"", "http://example.com/a?sid=42", "http://example.com/a?sid=42"},
		{"", "http://example.com/a?CFID=123&x=1&CFTOKEN=45", "http://example.com/a?x=1"},
		{"", "http://example.com/a?cfid=123", "http://example.com/a?cfid=123"},
		{"", "http://example.com/a?ASPSESSIONIDQABRTQSS=LMLKBNEAGHOM", "http://example.com/a"},
		{"", "http://example.com/a?session=1b4e28ba-2fa1-11d2-883f-0016d3cca427", "http://example.com/a"},
		{"", "http://example.com/a?session=summer-2024-collection-of-dresses", "http://example.com/a?session=summer-2024-collection-of-dresses"},
		{"", "http://example.com/a?s=20240102030405060708", "http://example.com/a?s=20240102030405060708"},
		{"", "http://example.com/a?s=summer+dress", "http://example.com/a?s=summer+dress"},
		{"", "http://example.com/a?utm_source=feed&id=7&UTM_Medium=rss&fbclid=x", "http://example.com/a?id=7"},
		{"", "http://example.com/a?utm%5fsource=feed", "http://example.com/a"},
		{"", "http://example.com/a?gclid=x#y", "http://example.com/a"},
	} {
		got, err := urlnorm.URL(tt.base, tt.ref)
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("URL(%q, %q) = %q, %v, want %q", tt.base, tt.ref, got, err, tt.want)
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		base, ref string
		want      error
	}{
		{"", "mailto:someone@example.test", urlnorm.ErrScheme},
		{"http://example.com/", "javascript:void(0)", urlnorm.ErrScheme},
		{"http://example.com/", "java\nscript:void(0)", urlnorm.ErrScheme},
		{"", "ftp://example.com/", urlnorm.ErrScheme},
		{"", "data:text/plain,x", urlnorm.ErrScheme},
		{"", "", urlnorm.ErrInvalid},
		{"", "/path", urlnorm.ErrInvalid},
		{"", "example.com", urlnorm.ErrInvalid},
		{"", "http://", urlnorm.ErrInvalid},
		{"", "http://a b/", urlnorm.ErrInvalid},
		{"", "http://example.com:99999/", urlnorm.ErrInvalid},
		{"", "http://[::1/", urlnorm.ErrInvalid},
		{"", "http://256.256.256.256/", urlnorm.ErrInvalid},
		{"nonsense", "x", urlnorm.ErrBase},
		{"nonsense", "http:x", urlnorm.ErrBase},
		{"ftp://example.com/", "x", urlnorm.ErrBase},
		{"about:blank", "x", urlnorm.ErrBase},
		{"", "http://example.com/" + strings.Repeat("x", 9000), urlnorm.ErrTooLong},
		{"", "http://example.com/" + strings.Repeat("é", 4000), urlnorm.ErrTooLong},
		{"http://example.com/" + strings.Repeat("@", 9000), "x", urlnorm.ErrTooLong},
		{"http://example.com/" + strings.Repeat("@", 9000), "x", urlnorm.ErrBase},
	} {
		got, err := urlnorm.URL(tt.base, tt.ref)
		if !errors.Is(err, tt.want) || got != "" {
			t.Errorf("URL(%q, %.40q) = %q, %v, want %v", tt.base, tt.ref, got, err, tt.want)
		}
		if e, ok := errors.AsType[*urlnorm.Error](err); !ok || e.URL != tt.ref && e.URL != tt.base {
			t.Errorf("URL(%q, %.40q): error %#v names another URL", tt.base, tt.ref, err)
		} else if len(e.Error()) > 400 {
			t.Errorf("error text of %d bytes", len(e.Error()))
		}
	}
}
