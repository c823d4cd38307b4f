package exposition

import (
	"os"
	"regexp"
	"testing"
)

// TestGuide: the alarms of the guide name metrics that there are.
func TestGuide(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../docs/guides/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`\b(?:quarry|process)_[a-z_]+`).FindAllString(string(guide), -1)
	if len(names) < 15 {
		t.Errorf("%d metrics", len(names))
	}
	for _, name := range names {
		if base := regexp.MustCompile(`_bucket$`).ReplaceAllString(name, ""); families[base] == "" {
			t.Errorf("there is no metric %s", name)
		}
	}
}
