package frontier

import (
	"reflect"
	"sync"
)

// Weigh is how many bytes are reached from a frontier, in slices, maps, strings and behind
// pointers, what they have room for included.
func Weigh(f Frontier) int {
	var v reflect.Value
	var lock *sync.Mutex
	switch f := f.(type) {
	case *Memory:
		v, lock = reflect.ValueOf(&f.front), &f.mu
	case *Disk:
		v, lock = reflect.ValueOf(f), &f.mu
	}
	lock.Lock()
	defer lock.Unlock()
	return weigh(v, map[uintptr]bool{})
}

func weigh(v reflect.Value, seen map[uintptr]bool) (n int) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || seen[v.Pointer()] {
			return 0
		}
		seen[v.Pointer()] = true
		return int(v.Type().Elem().Size()) + weigh(v.Elem(), seen)
	case reflect.Interface:
		if v.IsNil() {
			return 0
		}
		return weigh(v.Elem(), seen)
	case reflect.String:
		return v.Len()
	case reflect.Slice:
		if v.IsNil() || v.Cap() == 0 || seen[v.Pointer()] {
			return 0
		}
		seen[v.Pointer()] = true
		n = v.Cap() * int(v.Type().Elem().Size())
		return n + weighAll(v, seen)
	case reflect.Array:
		return weighAll(v, seen)
	case reflect.Map:
		if v.IsNil() {
			return 0
		}
		n = v.Len() * int(v.Type().Key().Size()+v.Type().Elem().Size())
		for it := v.MapRange(); it.Next(); {
			n += weigh(it.Key(), seen) + weigh(it.Value(), seen)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			n += weigh(v.Field(i), seen)
		}
	}
	return n
}

// weighAll weighs what the elements of a slice or an array lead to.
func weighAll(v reflect.Value, seen map[uintptr]bool) (n int) {
	switch v.Type().Elem().Kind() {
	case reflect.Pointer, reflect.Interface, reflect.String, reflect.Slice, reflect.Array, reflect.Map, reflect.Struct:
		for i := range v.Len() {
			n += weigh(v.Index(i), seen)
		}
	}
	return n
}
