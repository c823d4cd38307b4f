package html

import (
	"slices"
	"testing"
)

func TestSrcset(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]string{
		"":                      nil,
		" , ,":                  nil,
		"a":                     {"a"},
		"a 1x, b 2x":            {"a", "b"},
		"a,b":                   {"a,b"},
		"a, b":                  {"a", "b"},
		"a (x, y) 1x, b":        {"a", "b"},
		"data:image/png,AA 1x,": {"data:image/png,AA"},
		"a 1x (":                {"a"},
	} {
		if got := srcset(in); !slices.Equal(got, want) {
			t.Errorf("srcset(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestRefreshTarget(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"0;url=/a":         "/a",
		" 5 , URL = '/a' ": "/a",
		"5 /a":             "/a",
		"0.5; /a":          "/a",
		"5;url=\"/a b\" c": "/a b",
		"5;'/a'":           "/a",
		"5;url":            "url",
		"5;url=":           "",
		"5":                "",
		"":                 "",
		"url=/a":           "",
		"5x/a":             "",
		"-1;url=/a":        "",
	} {
		if got, _ := refreshTarget(in); got != want {
			t.Errorf("refreshTarget(%q) = %q, want %q", in, got, want)
		}
	}
}
