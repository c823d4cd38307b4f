package crawler

import (
	"testing"

	"github.com/webquarry/quarry/frontier"
)

func TestFollow(t *testing.T) {
	t.Parallel()
	all := func(*Page, Link) (float64, bool) { return 1, true }
	at := func(depth int) *Page {
		return &Page{Response: &Response{Request: frontier.Request{Depth: depth}}}
	}
	tests := map[string]struct {
		follow   Follow
		from     *Page
		yes, not []string
	}{
		"host": {SameHost("HTTP://WWW.Example.com:80/docs/", "http://[::1]:8080/"), nil,
			[]string{"http://www.example.com/", "https://www.example.com/x?y", "http://[::1]:8080/a"},
			[]string{"http://example.com/", "http://www.example.com:8080/", "http://www.example.com.evil.test/", "http://[::1]/"}},
		"site": {SameSite("http://www.shop.example.co.uk/", "http://127.0.0.1:8080/", "http://x.github.io"), nil,
			[]string{"https://example.co.uk/", "http://a.b.example.co.uk:81/", "http://127.0.0.1:9/", "http://x.github.io/y"},
			[]string{"http://other.co.uk/", "http://y.github.io/", "http://example.com/", "http://127.0.0.2/"}},
		"no usable seed": {SameSite("mailto:a@b.example", ""), nil, nil, []string{"http://b.example/", "http://example.com/"}},
		"prefix": {Prefix("HTTP://Example.com/docs/", "https://example.com/api"), nil,
			[]string{"http://example.com/docs/", "http://example.com/docs/a", "https://example.com/api-old"},
			[]string{"http://example.com/docs", "https://example.com/docs/", "http://example.com/Docs/"}},
		"depth, within": {MaxDepth(all, 2), at(1), []string{"http://a.test/"}, nil},
		"depth, beyond": {MaxDepth(all, 2), at(2), nil, []string{"http://a.test/"}},
		"include": {Include(SameHost("http://a.test"), "/docs/*", "*.pdf", "http://a.test/exact", "/*x*y*?q=*"), nil,
			[]string{"http://a.test/docs/", "http://a.test/x.pdf", "http://a.test/exact", "http://a.test/axbyc?q=1", "http://a.test/xy?q="},
			[]string{"http://a.test/docs", "http://b.test/docs/", "http://a.test/x.pdf?y", "http://a.test/exact/", "http://a.test/yx?q=1"}},
		"exclude": {Exclude(all, "/cal/*", "*/print", "/a?b"), nil,
			[]string{"http://a.test/cal", "http://a.test/print/", "http://a.test/axb"},
			[]string{"http://a.test/cal/2", "http://a.test/x/print", "http://a.test/a?b"}},
		"include nothing": {Include(all), nil, nil, []string{"http://a.test/"}},
		"exclude nothing": {Exclude(all), nil, []string{"http://a.test/"}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, u := range tt.yes {
				if _, ok := tt.follow(tt.from, Link{URL: u}); !ok {
					t.Errorf("%s is not followed", u)
				}
			}
			for _, u := range tt.not {
				if _, ok := tt.follow(tt.from, Link{URL: u}); ok {
					t.Errorf("%s is followed", u)
				}
			}
		})
	}
	if p, _ := Exclude(MaxDepth(all, 9))(at(0), Link{URL: "http://a.test/"}); p != 1 {
		t.Errorf("priority %v, want what the inner Follow gives", p)
	}
}
