package main

import (
	"encoding/json"
	"math/rand/v2"
	"testing"
)

// What is read as a plain line is what encoding/json reads, and nearly all
// lines are.
func TestPlainLines(t *testing.T) {
	t.Parallel()
	check := func(line string) bool {
		var in plain
		if !in.read([]byte(line)) {
			return false
		}
		var want page
		if err := json.Unmarshal([]byte(line), &want); err != nil {
			t.Fatalf("%q is read: %v", line, err)
		}
		if got := (page{string(in.id), string(in.title), string(in.body)}); got != want {
			t.Fatalf("%q is read as %q", line, got)
		}
		return true
	}
	for line, want := range map[string]bool{
		`{"id":"0","url":"u","title":"T","body":"a\n\"b\"\\ \u003cé"}`: true,
		` { "body" : "" , "id":"7" } ` + "\n":                          true,
		`{"id":"0","id":"1"}`:                                          true,
		`{"id":"0","body":"\ud83d\ude00"}`:                             false,
		`{"id":0}`:                                                     false,
		`{"ID":"0"}`:                                                   false,
		`{"id":"0",}`:                                                  false,
		`{"id":"0"} x`:                                                 false,
		`{"id":"0`:                                                     false,
		`{"id":"\`:                                                     false,
		`{"id":"\u00`:                                                  false,
		"{\"id\":\"\xff\"}":                                            false,
		"{\"id\":\"\t\"}":                                              false,
		``:                                                             false,
	} {
		if check(line) != want {
			t.Errorf("%q", line)
		}
	}
	rnd := rand.New(rand.NewPCG(7, 7))
	alphabet := []string{`\n`, `\"`, `\\`, `\u00e9`, `\ud83d`, `\x`, `"`, `\`, "é", "\xc3", "a", " ", ",", ":", "}", "{", `"id"`, `"body":"`}
	read := 0
	for range 20_000 {
		line := `{"id":"`
		for range rnd.IntN(8) {
			line += alphabet[rnd.IntN(len(alphabet))]
		}
		if check(line + `"}`) {
			read++
		}
	}
	if read < 2000 {
		t.Errorf("%d are read", read)
	}
}
