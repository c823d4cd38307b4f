package index_test

import (
	"math/rand/v2"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// pruneColumns are the columns of a pruneWorld.
var pruneColumns = index.Schema{
	{Name: "rank", Kind: index.Float},
	{Name: "group", Kind: index.Integer},
	{Name: "host", Kind: index.Keyword, Column: true},
}

// columns are those of a document: neighbours by key have similar ranks, so that
// some blocks have no great ones.
func (w *pruneWorld) columns(key string) (fields []index.Field) {
	near := rand.New(rand.NewPCG(uint64(len(key)), uint64(key[2])<<8|uint64(key[3])))
	if w.r.IntN(8) > 0 {
		fields = append(fields, index.Field{Name: "rank", Value: near.Float64() * near.Float64() * float64(w.r.IntN(1000)) / 100})
	}
	if w.r.IntN(8) > 0 {
		fields = append(fields, index.Field{Name: "group", Value: near.IntN(30) + w.r.IntN(5)})
	}
	if w.r.IntN(8) > 0 {
		fields = append(fields, index.Field{Name: "host", Value: w.word()})
	}
	return fields
}

// arrange adds columns to a search.
func (w *pruneWorld) arrange(opt *index.SearchOptions) {
	fields := []string{"rank", "group", "host"}
	for range w.r.IntN(6) / 4 * (1 + w.r.IntN(2)) {
		opt.Static = append(opt.Static, index.Static{
			Field: fields[w.r.IntN(2)],
			Prior: []rank.Prior{nil, rank.Saturation{Weight: 8, Half: 3, Exponent: 1.3}, rank.Saturation{Weight: 1e-3, Half: 5}}[w.r.IntN(3)],
		})
	}
	if w.r.IntN(5) == 0 {
		for range 1 + w.r.IntN(2) {
			opt.Sort = append(opt.Sort, index.SortBy{Field: fields[w.r.IntN(3)], Descending: w.r.IntN(2) == 0, MissingFirst: w.r.IntN(2) == 0})
		}
	}
	if w.r.IntN(6) == 0 {
		opt.Collapse = index.Collapse{Field: fields[w.r.IntN(3)], Keep: w.r.IntN(3)}
	}
}

// columnQuery asks a column.
func (w *pruneWorld) columnQuery() query.Query {
	switch w.r.IntN(4) {
	case 0:
		return query.Exists{Field: "rank"}
	case 1:
		return query.Range{Field: "host", From: w.word(), BeforeTo: true, To: w.word()}
	case 2:
		return query.Between("group", w.r.IntN(35), w.r.IntN(35))
	}
	return query.Between("rank", nil, w.r.Float64()*5)
}
