package exec

import (
	"encoding/binary"

	"github.com/webquarry/quarry/index/query"
)

// identity numbers queries: equal ones have the same number, and so has an And or an Or
// of one member and that member. Lists that were numbered are not looked at again, so that
// a nested query costs no more than it is long.
func (p *Planner) identity(q query.Query) int {
	head, members := query.Split(q)
	switch q := q.(type) {
	case query.And:
		switch len(q) {
		case 0:
			return p.number(query.All{})
		case 1:
			return p.identity(q[0])
		}
	case query.Or:
		switch len(q) {
		case 0:
			return p.number(query.None{})
		case 1:
			return p.identity(q[0])
		}
	case query.AtLeast:
		if len(q.Of) == 0 {
			return p.number(query.None{})
		}
	case separate:
		head = "separate"
	case together:
		head = q
	}
	if len(members) == 0 {
		return p.number(head)
	}
	return p.listIdentity(head, members)
}

func (p *Planner) number(of any) int {
	n, ok := p.numbers[of]
	if !ok {
		n = len(p.numbers)
		p.numbers[of] = n
	}
	return n
}

// listKey is a list of members by where it is in memory.
type listKey struct {
	head  any
	first *query.Query
	n     int
}

// listOf is a list of members by their numbers, behind that of its head.
type listOf string

func (p *Planner) listIdentity(head any, members []query.Query) int {
	key := listKey{head, &members[0], len(members)}
	if n, ok := p.lists[key]; ok {
		return n
	}
	b := binary.AppendUvarint(nil, uint64(p.number(head)))
	for _, m := range members {
		b = binary.AppendUvarint(b, uint64(p.identity(m)))
	}
	n := p.number(listOf(b))
	p.lists[key] = n
	return n
}
