package fetch

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestRedirected: what a redirect leaves of a request, for each status, each method, with
// and without a body, within the origin and to another.
func TestRedirected(t *testing.T) {
	t.Parallel()
	const from = "http://a.test/"
	has := func(h http.Header, name string) bool { return h[name] != nil } // names are in any case
	header := http.Header{"x-key": {"secret"}, "content-type": {"text/plain"}, "Content-Encoding": {"gzip"}, "if-none-match": {"x"}}
	for _, status := range []int{200, 300, 301, 302, 303, 307, 308} {
		for _, method := range []string{"", "GET", "HEAD", "POST", "PUT", "DELETE", "REPORT"} {
			for _, body := range [][]byte{nil, {}, []byte("b")} {
				for _, to := range []string{"http://a.test/b", "http://A.test:80/", "https://a.test/", "http://b.test/", "http://a.test:81/"} {
					for _, same := range []bool{false, true} {
						name := fmt.Sprintf("%d, %q with %q to %s", status, method, body, to)
						got, ok := Ask{Method: method, Body: body, Header: header, Anonymous: true}.Redirected(status, from, to, same)
						safe := got.Method == "" || got.Method == "GET" || got.Method == "HEAD"
						within := strings.HasPrefix(strings.ToLower(to), "http://a.test/") || strings.Contains(to, ":80/")
						keeps := status == 307 || status == 308 || (status == 301 || status == 302) && method != "POST" || method == "HEAD"
						if want := within || !keeps || body == nil && safe; ok != want {
							t.Errorf("%s: %v", name, ok)
						}
						if !ok {
							continue
						}
						switch {
						case !got.Anonymous:
							t.Errorf("%s: credentials are sent", name)
						case keeps && (got.Method != method || (got.Body == nil) != (body == nil)), !keeps && (got.Method != "" || got.Body != nil):
							t.Errorf("%s: %q with %q", name, got.Method, got.Body)
						case has(got.Header, "x-key") != within:
							t.Errorf("%s: the header %v", name, got.Header)
						case has(got.Header, "content-type") != (within && keeps), has(got.Header, "Content-Encoding") != (within && keeps):
							t.Errorf("%s: of the body %v", name, got.Header)
						case has(got.Header, "if-none-match") != (within && same):
							t.Errorf("%s: of the page %v", name, got.Header)
						}
					}
				}
			}
		}
	}
	if len(header) != 4 {
		t.Error("the header that was given is changed")
	}
}
