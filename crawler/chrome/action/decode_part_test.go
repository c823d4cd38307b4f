package action_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/webquarry/quarry/crawler/chrome/action"
)

// Steps may be a part of another document; a mistake in them is told with its
// place in that.
func TestStepsWithin(t *testing.T) {
	t.Parallel()
	var shop struct {
		Name  string
		Steps action.Steps
	}
	if err := yaml.Unmarshal([]byte("name: A\nsteps:\n  - dismiss\n  - click: .more\n    timeout: 2s\n"), &shop); err != nil {
		t.Fatal(err)
	}
	click, ok := shop.Steps[1].Do.(action.Click)
	if len(shop.Steps) != 2 || !ok || click.CSS != ".more" || shop.Steps[1].Timeout.Seconds() != 2 {
		t.Errorf("%+v", shop.Steps)
	}
	err := yaml.Unmarshal([]byte("name: A\nsteps:\n  - dismiss\n  - clik: .more\n"), &shop)
	if wrong, ok := errors.AsType[*action.DecodeError](err); !ok || wrong.Line != 4 || wrong.Column != 5 || wrong.Path != "steps[2]" {
		t.Errorf("%v", err)
	}
}

// Half a megabyte of open brackets would take the parser tens of gigabytes.
func TestParseRefusesOpenBrackets(t *testing.T) {
	t.Parallel()
	for _, open := range []string{"[", "{a: ", "- "} {
		_, err := action.Parse([]byte("steps: " + strings.Repeat(open, 100_000)))
		if _, ok := errors.AsType[*action.DecodeError](err); !ok || !strings.Contains(err.Error(), "within each other") {
			t.Errorf("%s: %v", open, err)
		}
	}
}
