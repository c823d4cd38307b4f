package sched

import "github.com/webquarry/quarry/frontier/internal/request"

// NameOf is scheme, name and port of a host, if something of it waits.
func (s *Schedule) NameOf(h uint32) (name string) {
	ho := s.Hosts.At(h)
	for which, q := range ho.Queues {
		if q.Root != 0 {
			return s.Origin(q.Root)
		}
		if ho.Lanes[which] == 0 {
			continue
		}
		err := s.Shelf.Source.Each(h, which, request.Rank{}, func(x *request.Stored) bool {
			name, _, _ = request.SplitHost(string(x.URL))
			return false
		})
		if err != nil {
			s.Shelf.Fault = err
		}
		if name != "" {
			return name
		}
	}
	return ""
}

// WaitsAt says whether the request of a slot waits in a queue with a rank.
func (s *Schedule) WaitsAt(i uint32, which int, r request.Rank) bool {
	x := s.Slots.Look(i)
	return !x.Leased && x.Lane() == which && x.RankIn(which) == r
}

// Outlier is a request in a run with what is remembered of it.
func (s *Schedule) Outlier(x *request.Stored) Outlier {
	r := x.Request()
	if depth, ok := s.Lowered[s.Key(r.URL, r.Variant)]; ok {
		r.Depth = min(r.Depth, int(depth))
	}
	return Outlier{int(x.Lane), Queued{x.Seq, r}}
}

// QueuedOf is how much of a host waits.
func (s *Schedule) QueuedOf(ho *Host) (n int) {
	for which, q := range ho.Queues {
		n += int(q.N)
		if l := ho.Lanes[which]; l != 0 {
			n += int(s.Shelf.Lanes.At(l).N)
		}
	}
	return n
}
