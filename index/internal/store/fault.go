package store

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"
)

// Reading a mapped file faults where the file has become shorter since, or the disk
// fails. That ends the process, unless the goroutine has called
// [runtime/debug.SetPanicOnFault]; it panics then.

// Fault is the place of a mapped file that could not be read.
type Fault struct {
	Name   string // of the file
	Offset int64
}

func (f *Fault) Error() string {
	return fmt.Sprintf("%s: offset %d: the file was cut, or the disk has failed", f.Name, f.Offset)
}

// mapped is what is known of an address range. It does not change while the mapping that
// it belongs to is closed beside a fault elsewhere.
type mapped struct {
	name string // of the file
	size uintptr
}

// mappings are the ranges that are mapped now, by the addresses at which they begin.
// They are those of the process, as addresses are: a fault tells nothing but an address.
var mappings = sync.OnceValue(func() *sync.Map { return new(sync.Map) }) // uintptr → mapped

func (m *Mapping) address() uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(m.all))) }

func register(m *Mapping)   { mappings().Store(m.address(), mapped{m.name, uintptr(len(m.all))}) }
func unregister(m *Mapping) { mappings().Delete(m.address()) }

// FaultOf returns which file a goroutine has failed to read, by the value that
// recover has returned; nil when that is another panic.
func FaultOf(recovered any) *Fault {
	fault, ok := recovered.(interface {
		runtime.Error
		Addr() uintptr
	})
	if !ok {
		return nil
	}
	var out *Fault
	mappings().Range(func(start, at any) bool {
		m, from := at.(mapped), fault.Addr()-start.(uintptr)
		if from < m.size { // less than start is very much
			out = &Fault{m.name, int64(from)}
		}
		return out == nil
	})
	return out
}
