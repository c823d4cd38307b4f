package job_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/webquarry/quarry/crawler/job"
)

const full = `
name: kettles
seeds: [https://shop.example/kettles, https://shop.example/pots]
user-agent: acme/1.0 (+https://acme.example/bot)
sitemaps: true
scope: {within: host, include: /kettles/**, exclude: [/cart/**, print], skip-files: [zip], depth: 5}
order: topical
topic: electric kettles
robots: obey
pace: {workers: 4, per-host: 1, delay: 2s, max-delay: 1h, wait: 5m}
budget: {pages: 100, bytes: 1000000, time: 1h, per-host: 50}
fetch:
  by: escalate
  timeout: 30s
  max-body: 100000
  proxies: http://127.0.0.1:8080
  headers: {X-Test: yes}
  credentials:
    https://shop.example: {Authorization: {env: SHOP_TOKEN}}
  language: de
  cookies: true
  browser: {tabs: 2, settle: 5s, images: true, block: ads.example}
logins:
  - url: https://shop.example/login
    fields: {user: {env: SHOP_USER}, password: {env: SHOP_PASSWORD}}
chains:
  - urls: /kettles*
    timeout: 1m
    steps:
      - dismiss
      - click-while: {css: button.more, max: 20}
extract:
  - name: product
    urls: [/p/*]
    fields:
      name: {css: h1, required: true}
      price: {css: .price, type: price}
content: [pdf, feed]
dedup: drop
traps: avoid
recrawl: {every: 24h, adaptive: true, gone: 10m}
output:
  pages: pages.jsonl
  records: out/records.jsonl
  warc: archive
  others:
    index: {stemming: english}
`

func TestParse(t *testing.T) {
	t.Parallel()
	s, err := job.Parse([]byte(full))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Seeds) != 2 || s.Scope.Include[0] != "/kettles/**" || len(s.Chains[0].Steps) != 2 || s.Extract[0].Fields[1].Name != "price" ||
		s.Logins[0].Fields["user"].Env != "SHOP_USER" || s.Fetch.Headers["X-Test"].Text != "yes" || s.Pace.Delay.Seconds() != 2 {
		t.Errorf("%+v", s)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
	var own struct {
		Stemming string `yaml:"stemming"`
	}
	if err := s.Output.Others["index"].Decode(&own); err != nil || own.Stemming != "english" {
		t.Errorf("%+v, %v", own, err)
	}
	var other struct {
		Language string `yaml:"language"`
	}
	wrong, ok := errors.AsType[*job.SpecError](s.Output.Others["index"].Decode(&other))
	if !ok || wrong.Mistakes[0].Line != 47 || wrong.Mistakes[0].Path != "output.others.index" {
		t.Errorf("%+v", wrong)
	}
}

// TestTenMistakes: all mistakes of a spec are told at once, each with its place.
func TestTenMistakes(t *testing.T) {
	t.Parallel()
	const spec = `name: [a, b]
seed: https://a.example/
user-agent: acme/1.0 (+https://acme.example/bot)
order: breath
pace: {workers: many, delay: 2}
budget: {pages: -1}
fetch: {proxies: 127.0.0.1:80}
chains:
  - urls: /a
    steps:
      - clik: button
      - wait: {tiem: 1s}
extract:
  - fields: {price: {css: .price, type: prise}}
recrawl: {schedule: every night}
output: {pages: ../pages.jsonl}
`
	_, err := job.Parse([]byte(spec))
	e, ok := errors.AsType[*job.SpecError](err)
	if !ok {
		t.Fatal(err)
	}
	want := []string{
		`line 1, column 7: name: a text is expected here`,
		`line 2, column 1: unknown field "seed"; did you mean "seeds"?`,
		`line 5, column 17: pace.workers: "many" is no whole number`,
		`line 5, column 30: pace.delay: "2" is no duration`,
		`line 6, column 9: budget: pages cannot be negative`,
		`line 7, column 8: fetch: proxies: "127.0.0.1:80" is no URL of a proxy`,
		`line 11, column 9: chains[1].steps[1]: unknown action "clik"; did you mean "click"?`,
		`line 12, column 16: chains[1].steps[2].wait: unknown field "tiem"; did you mean "time"?`,
		`line 14, column 14: extract[1].`,
		`line 15, column 10: recrawl: schedule: `,
		`line 16, column 9: output: pages: "../pages.jsonl" is not within the folder of the job`,
	}
	for i, m := range e.Mistakes {
		t.Log(m)
		if i < len(want) && !strings.HasPrefix(m.String(), want[i]) {
			t.Errorf("got  %s\nwant %s", m, want[i])
		}
	}
	if len(e.Mistakes) != len(want) {
		t.Errorf("%d mistakes, want %d", len(e.Mistakes), len(want))
	}
}

// TestSense: what the types allow and makes no sense.
func TestSense(t *testing.T) {
	t.Parallel()
	const good = "seeds: https://a.example/\nuser-agent: a/1 (+https://a.example/)\n"
	for more, want := range map[string]string{
		"":                              "",
		"order: topical":                "topic",
		"topic: kettles":                "topic",
		"order: sideways":               `"sideways" is none of breadth`,
		"output: {records: r.jsonl}":    "nothing takes records",
		"output: {pages: a, warc: ./a}": "are one file",
		"output: {pages: frontier/x}":   "of the job's own",
		"output: {pages: /etc/passwd}":  "not within the folder",
		"recrawl: {every: 1h, schedule: '0 3 * * *'}": "do not go together",
		"recrawl: {adaptive: true}":                   "adaptive needs every",
		"fetch: {credentials: {a.example: {A: b}}}":   "is no origin",
		"logins: [{url: a, fields: {a: b}}]":          "is not an http or https URL",
		"logins: [{url: http://a.example/}]":          "fields is missing",
		"chains: [{urls: /a, steps: []}]":             "steps is missing",
		"chains: [{steps: [dismiss]}]":                "urls is missing",
		"content: [pdf, doc]":                         `"doc" is none of`,
		"name: a\nname: b":                            "",
		"pace: {delay: -1s}":                          "negative",
		"seeds: ftp://a.example/":                     "",
		"--- # more\na: b":                            "second document",
		"extract: {fields: {a: h1}}":                  "",
		"a: &x [*x]":                                  "unknown field",
		"scope: {within: [host]}":                     "a text is expected",
		"\x00":                                        "",
	} {
		_, err := job.Parse([]byte(good + more))
		switch {
		case want == "" && more == "":
			if err != nil {
				t.Error(err)
			}
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v, want %q", more, err, want)
		}
		if err != nil {
			if e, ok := errors.AsType[*job.SpecError](err); !ok || len(e.Mistakes) == 0 {
				t.Errorf("%q: %T", more, err)
			}
		}
	}
	for _, none := range []string{"", "# nothing", "[]", "a", "seeds: ftp://a.example/\nuser-agent: a/1 (+https://a.example/)"} {
		if _, err := job.Parse([]byte(none)); err == nil {
			t.Errorf("%q is a spec", none)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(full))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := job.Parse(text)
		if err == nil && s.Check() != nil {
			t.Errorf("%v", s.Check())
		}
	})
}
