package middleware

import (
	"container/list"
	"sync"
)

// Memory is a Store in memory that forgets what was not used for longest.
type Memory struct {
	mu    sync.Mutex
	used  used
	value map[string][]byte
}

var _ Store = (*Memory)(nil)

// NewMemory makes a Memory of at most so many bytes. A value of more than an
// eighth of that is not kept.
func NewMemory(bytes int64) *Memory {
	return &Memory{used: newUsed(bytes), value: make(map[string][]byte)}
}

// Get returns a value, which must not be changed.
func (m *Memory) Get(key string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used.touch(key)
	return m.value[key], nil
}

// Put sets a value; nil takes it out.
func (m *Memory) Put(key string, value []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, gone := range m.used.set(key, int64(len(key)+len(value)), len(value) == 0) {
		delete(m.value, gone)
	}
	if m.used.has(key) {
		m.value[key] = value
	}
	return nil
}

// used knows the sizes of keys, and which was not used for longest.
type used struct {
	limit, total int64
	order        *list.List // of *use, the last one used first
	at           map[string]*list.Element
}

type use struct {
	key  string
	size int64
}

// overhead is what a key costs beside its bytes, about.
const overhead = 200

func newUsed(limit int64) used {
	return used{limit: limit, order: list.New(), at: make(map[string]*list.Element)}
}

func (u *used) has(key string) bool { return u.at[key] != nil }

func (u *used) touch(key string) {
	if e := u.at[key]; e != nil {
		u.order.MoveToFront(e)
	}
}

// set makes a key the last one used, or takes it out, and returns the keys that
// are gone for it.
func (u *used) set(key string, size int64, out bool) (gone []string) {
	size += overhead
	if u.at[key] != nil {
		u.remove(key)
		gone = append(gone, key)
	}
	if out || size > u.limit/8 {
		return append(gone, key)
	}
	u.at[key] = u.order.PushFront(&use{key, size})
	u.total += size
	for u.total > u.limit {
		last := u.order.Back().Value.(*use)
		u.remove(last.key)
		gone = append(gone, last.key)
	}
	return gone
}

func (u *used) remove(key string) {
	e := u.at[key]
	u.total -= e.Value.(*use).size
	u.order.Remove(e)
	delete(u.at, key)
}
