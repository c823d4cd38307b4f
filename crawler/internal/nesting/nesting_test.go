package nesting

import (
	"strings"
	"testing"
)

func TestDeep(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"":                                  false,
		strings.Repeat("[", Most):           false,
		strings.Repeat("[", Most+1):         true,
		strings.Repeat("{a: ", Most+1):      true,
		strings.Repeat("[]", 3*Most):        false,
		strings.Repeat("]", 3*Most):         false,
		strings.Repeat("- ", Most+1):        true,
		strings.Repeat("-\t", Most+1):       true,
		strings.Repeat("? ", Most+1):        true,
		strings.Repeat("- a-b\n", 3*Most):   false,
		strings.Repeat("------\n", 3*Most):  false,
		"a: " + strings.Repeat("-", 3*Most): false,
	} {
		if got := Deep([]byte(text)); got != want {
			t.Errorf("%.10q, %d bytes: %t, want %t", text, len(text), got, want)
		}
	}
}
