package session

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/webquarry/quarry/crawler"
)

// FuzzForm: whatever a page with a form says, what would be sent is well formed
// and goes by http or https.
func FuzzForm(f *testing.F) {
	f.Add([]byte(`<base href="//b.test/x"><form action="?q#f" method=POST id=f><input type=password name=p><select name=s><option>a</select></form><button form=f name=b>`), "")
	f.Add([]byte(`<form action="javascript:x"><input name=q>`), "form")
	f.Add([]byte(`<form><input type=password name="a&b=c"`), "form, [")
	f.Fuzz(func(t *testing.T, page []byte, sel string) {
		form, err := readForm(&crawler.Response{URL: "http://a.test/d/p", Body: page}, sel)
		if err != nil {
			return
		}
		if form.set(map[string]string{"no such field": "x"}) == nil && !form.values.Has("no such field") {
			t.Error("a field that is not there was set")
		}
		ask, to := form.ask("http://a.test/d/p")
		u, err := url.Parse(to)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" {
			t.Errorf("goes to %q", to)
		}
		if ask.Method == http.MethodPost {
			if _, err := url.ParseQuery(string(ask.Body)); err != nil {
				t.Errorf("sends %q", ask.Body)
			}
		}
	})
}
