package chrome

import (
	"strings"
	"testing"
)

func TestFlat(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`<p>none</p>`: `<p>none</p>`,
		`<x-a><template shadowrootmode="open"><b>in</b><slot></slot></template>light</x-a>`:                                                            `<x-a><b>in</b><slot></slot>light</x-a>`,
		`<x-a><template shadowrootmode="closed"><template><i>t</i></template><x-b><template shadowrootmode="open">b</template></x-b></template></x-a>`: `<x-a><template><i>t</i></template><x-b>b</x-b></x-a>`,
		`<script>" shadowrootmode="</script><template>x</template></template>`:                                                                         `<script>" shadowrootmode="</script><template>x</template></template>`,
		`<!doctype html><!-- <template shadowrootmode="open"> --><p a='"'>&lt;</p>`:                                                                    `<!doctype html><!-- <template shadowrootmode="open"> --><p a='"'>&lt;</p>`,
	} {
		if got := flat(in); got != want {
			t.Errorf("%s\nbecomes %s\nwant    %s", in, got, want)
		}
	}
}

// FuzzFlat holds that what is no shadow root stays, byte for byte, and that
// nothing is left of those that are.
func FuzzFlat(f *testing.F) {
	f.Add(`<x-a><template shadowrootmode="open"><b>in</b></template>light</x-a>`)
	f.Add(`<template shadowrootmode><template></template>`)
	f.Add(`<script> shadowrootmode=</script></template><!-- `)
	f.Fuzz(func(t *testing.T, doc string) {
		got := flat(doc)
		if len(got) > len(doc) {
			t.Fatalf("%q grows to %q", doc, got)
		}
		if !strings.Contains(strings.ToLower(doc), "<template") && !strings.EqualFold(got, doc) {
			t.Fatalf("%q becomes %q", doc, got)
		}
	})
}
