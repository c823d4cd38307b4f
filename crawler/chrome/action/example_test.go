package action_test

import (
	"errors"
	"fmt"

	"github.com/webquarry/quarry/crawler/chrome/action"
)

func ExampleParse() {
	chain, err := action.Parse([]byte(`
name: lamps
steps:
  - navigate: /lamps
  - click-while: {css: "#more", max: 20}
    timeout: 1m
  - snapshot
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range chain.Steps {
		fmt.Printf("%T %s\n", s.Do, s.Timeout)
	}
	// Output:
	// action.Navigate 0s
	// action.ClickWhile 1m0s
	// action.Snapshot 0s
}

func ExampleDecodeError() {
	_, err := action.Parse([]byte("steps:\n  - dismiss\n  - clickwhile: button\n"))
	if wrong, ok := errors.AsType[*action.DecodeError](err); ok {
		fmt.Println(wrong.Line, wrong.Column, wrong.Path)
	}
	fmt.Println(err)
	// Output:
	// 3 5 steps[2]
	// action: line 3, column 5: steps[2]: unknown action "clickwhile"; did you mean "click-while"?
}
