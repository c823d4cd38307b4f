package query

import (
	"reflect"
	"slices"
	"testing"
)

// kinds is a query of each kind, made of those given.
func kinds(of ...Query) []Query {
	return []Query{
		All{}, None{}, Term{"f", "x"}, Match{"f", "x"}, Phrase{"f", "x y", 1}, Prefix{"f", "x"},
		Wildcard{"f", "x*y"}, Regexp{"f", "x.y"}, Fuzzy{"f", "x", 1, 2}, Range{Field: "f", From: "1"}, Exists{"f"}, Like{"f", "k", 3},
		And(of), Or(of), AtLeast{2, of}, Not{of[0]}, Boost{of[0], 2}, Constant{of[0], 2},
	}
}

// Each kind of query says of itself what walks over trees go by.
func TestKinds(t *testing.T) {
	t.Parallel()
	a, b := Match{"", "a"}, Match{"", "b"}
	heads := map[any]Query{}
	for i, q := range kinds(a, b) {
		head, members := Split(q)
		if other, known := heads[head]; known {
			t.Errorf("%#v and %#v have the same head", q, other)
		}
		heads[head] = q
		again, _ := Split(kinds(b, a)[i])
		if again != head {
			t.Errorf("%#v: the head %#v depends on the members: %#v", q, head, again)
		}
		var want, shown []Query
		switch q.(type) {
		case And, Or, AtLeast:
			want, shown = []Query{a, b}, []Query{a, b}
		case Boost, Constant:
			want, shown = []Query{a}, []Query{a}
		case Not:
			want = []Query{a}
		case Term, Match, Phrase, Prefix, Wildcard, Regexp, Fuzzy:
			shown = []Query{q}
		}
		if !slices.EqualFunc(members, want, func(a, b Query) bool { return reflect.DeepEqual(a, b) }) {
			t.Errorf("%#v is made of %#v, want %#v", q, members, want)
		}
		if leaves := slices.Collect(Leaves(q)); !reflect.DeepEqual(leaves, shown) {
			t.Errorf("%#v has the leaves %#v, want %#v", q, leaves, shown)
		}
		if err := Check(q); err != nil {
			t.Errorf("%#v: %v", q, err)
		}
		for _, bad := range []Query{nil, &a, Phrase{Slop: -1}, Boost{a, -1}, Constant{nil, 1}, Regexp{"", "("}, Fuzzy{Distance: 9}, Fuzzy{Prefix: -1}, Like{Words: -1}} {
			if with := kinds(bad, b)[i]; want != nil && Check(with) == nil {
				t.Errorf("%#v passes", with)
			}
		}
		pointer := reflect.New(reflect.TypeOf(q))
		pointer.Elem().Set(reflect.ValueOf(q))
		if err := Check(pointer.Interface().(Query)); err == nil {
			t.Errorf("a pointer to %#v passes", q)
		}
		for _, outer := range kinds(q, b) {
			printed := outer.String()
			if read, err := Parse(printed, ParseOptions{}); err != nil || read.String() != printed {
				t.Errorf("%#v prints %s, which is read as %v, %v", outer, printed, read, err)
			}
		}
	}
}
