package analysis_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index/analysis"
)

func TestReadSynonyms(t *testing.T) {
	t.Parallel()
	got, err := analysis.ReadSynonyms(strings.NewReader("\ufeff# countries\r\nusa, united states ,\r\n\n a\\,b,c\\\\, d\\e\n"))
	want := [][]string{{"usa", "united states"}, {"a,b", `c\`, `d\e`}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	for text, at := range map[string]string{"a, b\nalone\n": "line 2", "a => b": "line 1", ",,": "line 1", "a, b\n" + strings.Repeat("x", 2<<20): "line 2"} {
		if groups, err := analysis.ReadSynonyms(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), at) {
			t.Errorf("%.20q: %q, %v", text, groups, err)
		}
	}
}
