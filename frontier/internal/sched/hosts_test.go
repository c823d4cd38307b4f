package sched

import (
	"reflect"
	"testing"
)

// TestSizes holds what there is a million of to a size, and free of pointers.
func TestSizes(t *testing.T) {
	t.Parallel()
	for x, most := range map[any]uintptr{Host{}: 160, Slot{}: 72, Lane{}: 56, Group{}: 56, cell{}: 32} {
		typ := reflect.TypeOf(x)
		if size := typ.Size(); size > most {
			t.Errorf("%v takes %d bytes, want %d at most", typ, size, most)
		}
		if hasPointer(typ) {
			t.Errorf("%v has a pointer", typ)
		}
	}
}

func hasPointer(typ reflect.Type) bool {
	switch typ.Kind() {
	case reflect.Array:
		return hasPointer(typ.Elem())
	case reflect.Struct:
		for f := range typ.Fields() {
			if hasPointer(f.Type) {
				return true
			}
		}
		return false
	case reflect.Bool, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint32, reflect.Uint64, reflect.Float64:
		return false
	}
	return true
}
