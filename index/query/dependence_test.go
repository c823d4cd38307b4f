package query

import (
	"reflect"
	"testing"
)

func TestSequentialDependence(t *testing.T) {
	t.Parallel()
	a, b, c := Match{"f", "a"}, Match{"f", "b"}, Match{"f", "c"}
	for _, test := range []struct {
		words []string
		by    Dependence
		want  Query
	}{
		{nil, Dependence{}, Or{}},
		{[]string{"a"}, Dependence{}, Or{a}},
		{[]string{"a", "a"}, Dependence{}, Or{a, a}},
		{[]string{"a", "b"}, Dependence{Ordered: -1, Unordered: -1}, Or{a, b}},
		{[]string{"a", "b"}, Dependence{}, Or{Boost{Or{a, b}, 0.85}, Boost{Phrase{"f", "a b", 0}, 0.1}, Boost{Phrase{"f", "a b", 7}, 0.05}}},
		{[]string{"a", "b", "c"}, Dependence{0.8, 0.2, -1, 4}, Or{Boost{Or{a, b, c}, 0.8}, Boost{Phrase{"f", "a b", 0}, 0.2}, Boost{Phrase{"f", "b c", 0}, 0.2}}},
	} {
		if got := SequentialDependence("f", test.words, test.by); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%v, %+v: %s, want %s", test.words, test.by, got, test.want)
		} else if err := Check(got); err != nil {
			t.Error(err)
		}
	}
}
