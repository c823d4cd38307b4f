package collect

import (
	"container/heap"
	"slices"

	"github.com/webquarry/quarry/index/internal/exec"
)

// ladder keeps the best k items, the worst on top of a heap, of which at most
// collapse.keep are of one group. It holds what a choice from all items so far,
// best first, would take: an item that is put out by one of its group is never
// needed again, since as many of its group are better as may stay; nor is the
// worst of more than k.
type ladder struct {
	a     *arranger
	k     int
	items []*item
}

func (l *ladder) full() bool { return len(l.items) == l.k }

func (l *ladder) Len() int           { return len(l.items) }
func (l *ladder) Less(i, j int) bool { return l.a.compare(l.items[i], l.items[j]) > 0 }
func (l *ladder) Swap(i, j int) {
	l.items[i], l.items[j] = l.items[j], l.items[i]
	l.items[i].at, l.items[j].at = i, j
}

// Push implements heap.Interface.
func (l *ladder) Push(x any) {
	it := x.(*item)
	it.at = len(l.items)
	l.items = append(l.items, it)
}

// Pop implements heap.Interface.
func (l *ladder) Pop() any {
	last := l.items[len(l.items)-1]
	l.items = l.items[:len(l.items)-1]
	return last
}

// add adds an item.
func (l *ladder) add(it *item) {
	if c := l.a.collapse; c != nil && !it.alone {
		room := c.keep - c.earlier[it.group]
		if room <= 0 {
			return
		}
		members := c.members[it.group]
		if len(members) == room {
			worst := slices.MaxFunc(members, l.a.compare)
			if l.a.compare(it, worst) < 0 {
				l.remove(worst)
				l.push(it)
			}
			return
		}
	}
	l.push(it)
	if len(l.items) > l.k {
		l.remove(l.items[0])
	}
}

func (l *ladder) push(it *item) {
	heap.Push(l, it)
	if c := l.a.collapse; c != nil && !it.alone {
		c.members[it.group] = append(c.members[it.group], it)
	}
}

func (l *ladder) remove(it *item) {
	heap.Remove(l, it.at)
	c := l.a.collapse
	if c == nil || it.alone {
		return
	}
	members := c.members[it.group]
	members = slices.DeleteFunc(members, func(m *item) bool { return m == it })
	if c.members[it.group] = members; len(members) == 0 {
		delete(c.members, it.group)
	}
}

// sorted returns the items, best first.
func (l *ladder) sorted() ([]*item, error) {
	err := exec.SortHits(l.a.run, l.items, l.a.compare)
	return l.items, err
}
