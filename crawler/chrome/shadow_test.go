package chrome

import "testing"

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
