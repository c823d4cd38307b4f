package index

import (
	"fmt"

	"github.com/webquarry/quarry/index/internal/schema"
	"github.com/webquarry/quarry/index/internal/segment"
)

// Order is how documents lie in segments. Searches answer the same whatever it is,
// to the order of equal scores; what differs is the size of the index and how
// quickly it answers, since what lies together is packed and skipped together.
// Segments take a new order when they are merged, see [Writer.Merge].
type Order int

// The orders.
const (
	// ByKey is for most indexes: with URLs as keys the pages of a host lie
	// together. It needs no table of keys, and costs nothing to search.
	ByKey Order = iota
	// ByHost is for URLs as keys where sites have many hosts: those of a domain
	// lie together too, as com.example.www.
	ByHost
	// ByColumn is for searches that add [Options.OrderColumn] to scores, see
	// [SearchOptions.Static]: the documents with the greatest values come first, so
	// that such searches look at few others. Searches without it take longer than
	// by key. Values that are set later count when a segment is merged.
	ByColumn
	// AsGiven is for documents that are added in a better order than the others,
	// such as by topic, by one goroutine: as they were added, segment after
	// segment. A table costs four bytes for each document, here as by host and column.
	AsGiven
)

// String names the order.
func (o Order) String() string {
	switch o {
	case ByKey:
		return "by key"
	case ByHost:
		return "by host"
	case ByColumn:
		return "by column"
	case AsGiven:
		return "as given"
	}
	return fmt.Sprintf("order(%d)", int(o))
}

// checkOrder reports an order that cannot be.
func (o Options) checkOrder(s schema.Fields) error {
	f, ok := s.Find(o.OrderColumn)
	switch {
	case o.Order < ByKey || o.Order > AsGiven:
		return &schema.Error{Field: "", Msg: "unknown " + o.Order.String()}
	case o.Order == ByColumn && (!ok || f.Kind < schema.Integer):
		return &schema.Error{Field: o.OrderColumn, Msg: "is no column of numbers or times to order documents by"}
	}
	return nil
}

// order is that of the segments that are written.
func (w *Writer) order() segment.Order {
	switch opt := w.ix.opt; opt.Order {
	case ByHost:
		return segment.Order{By: segment.ByHost}
	case ByColumn:
		return segment.Order{By: segment.ByColumn, Field: w.analyst.numbers[opt.OrderColumn]}
	case AsGiven:
		return segment.Order{By: segment.AsGiven}
	}
	return segment.Order{}
}
