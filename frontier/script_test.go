package frontier_test

import (
	"path/filepath"
	"testing"

	"github.com/webquarry/quarry/frontier"
	"github.com/webquarry/quarry/frontier/frontiertest"
)

// makers are the kinds of frontiers, those on disk killed where they are opened
// again.
func makers() map[string]frontiertest.Maker {
	return map[string]frontiertest.Maker{
		"memory": {Open: func(_ *testing.T, opt frontier.Options) frontier.Frontier { return frontier.New(opt) }},
		"disk": {
			Open: func(t *testing.T, opt frontier.Options) frontier.Frontier {
				return openMortal(t, scratch(t), opt, 1<<30)
			},
			Reopen: func(t *testing.T, f frontier.Frontier, opt frontier.Options) frontier.Frontier {
				m := f.(*mortal)
				m.kill()
				return openMortal(t, m.dir, opt, 1<<30)
			},
		},
	}
}

func TestScripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		for name, m := range makers() {
			t.Run(filepath.Base(file)+"/"+name, func(t *testing.T) { frontiertest.Script(t, m, file) })
		}
	}
}
