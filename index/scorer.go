package index

import (
	"fmt"
	"reflect"
	"strconv"

	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// keptScorer is a scorer as a commit keeps it: one of package rank with its
// parameters, or the name of the type of any other.
type keptScorer struct {
	Kind   string               `json:"kind"`             // one of the constants below
	Type   string               `json:"type,omitempty"`   // of kind other: the Go type, for messages
	K1     parameter            `json:"k1,omitempty"`     // of BM25 and BM25F
	B      parameter            `json:"b,omitempty"`      // of BM25 and BM25F
	Fields map[string]parameter `json:"fields,omitempty"` // of BM25F: b by field
	IDF    string               `json:"idf,omitempty"`    // absent: rank.Probabilistic
}

const (
	scorerBM25  = "bm25"
	scorerBM25F = "bm25f"
	scorerTFIDF = "tfidf"
	scorerOther = "other"

	idfLogRatio = "log-ratio"
)

// parameter is a number of a scorer. It is kept as text, because JSON has no infinity.
type parameter float64

// MarshalText returns the shortest decimal that UnmarshalText reads as the same number.
func (p parameter) MarshalText() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(p), 'g', -1, 64), nil
}

// UnmarshalText reads what MarshalText returns.
func (p *parameter) UnmarshalText(b []byte) error {
	f, err := strconv.ParseFloat(string(b), 64)
	*p = parameter(f)
	return err
}

// keepScorer returns what a commit keeps of a scorer. It is nil when there is no scorer.
func keepScorer(s rank.Scorer) *keptScorer {
	switch p := s.(type) {
	case *rank.BM25:
		if p != nil {
			s = *p
		}
	case *rank.BM25F:
		if p != nil {
			s = *p
		}
	case *rank.TFIDF:
		if p != nil {
			s = *p
		}
	}
	switch s := s.(type) {
	case nil:
		return nil
	case rank.BM25:
		return &keptScorer{Kind: scorerBM25, K1: parameter(s.K1), B: parameter(s.B), IDF: idfName(s.IDF)}
	case rank.BM25F:
		k := &keptScorer{Kind: scorerBM25F, K1: parameter(s.K1), B: parameter(s.B), IDF: idfName(s.IDF)}
		for name, b := range s.Fields {
			if k.Fields == nil {
				k.Fields = map[string]parameter{}
			}
			k.Fields[name] = parameter(b)
		}
		return k
	case rank.TFIDF:
		return &keptScorer{Kind: scorerTFIDF, IDF: idfName(s.IDF)}
	}
	return &keptScorer{Kind: scorerOther, Type: reflect.TypeOf(s).String()}
}

// idfName returns the name that an IDF is kept under. Values without a name weigh as
// Probabilistic does.
func idfName(i rank.IDF) string {
	if i == rank.LogRatio {
		return idfLogRatio
	}
	return ""
}

// scorer returns the scorer that was kept. It is nil when none was, and when only the
// name of its type was.
func (k *keptScorer) scorer() (rank.Scorer, error) {
	if k == nil {
		return nil, nil
	}
	idf := rank.Probabilistic
	switch k.IDF {
	case "":
	case idfLogRatio:
		idf = rank.LogRatio
	default:
		return nil, fmt.Errorf("unknown idf %q of a scorer", k.IDF)
	}
	switch k.Kind {
	case scorerBM25:
		return rank.BM25{K1: float64(k.K1), B: float64(k.B), IDF: idf}, nil
	case scorerBM25F:
		m := rank.BM25F{K1: float64(k.K1), B: float64(k.B), IDF: idf}
		for name, b := range k.Fields {
			if m.Fields == nil {
				m.Fields = map[string]float64{}
			}
			m.Fields[name] = float64(b)
		}
		return m, nil
	case scorerTFIDF:
		return rank.TFIDF{IDF: idf}, nil
	case scorerOther:
		return nil, nil
	}
	return nil, fmt.Errorf("unknown kind %q of scorer", k.Kind)
}

// scoredBy returns the scorer of a search: its own, that of the options that the index
// was opened with, or the one that is kept with the index.
func (p *planner) scoredBy(own rank.Scorer) rank.Scorer {
	switch kept := p.commit.manifest.Scorer; {
	case own != nil:
		return own
	case p.ix.opt.Scorer != nil:
		return p.ix.opt.Scorer
	case p.commit.scorer != nil:
		return p.commit.scorer
	case kept != nil:
		p.warn(query.WarnNoScorer, "", "the index was made with the scorer %s, which is not kept with it: rank.BM25F ranks unless Options.Scorer is set", kept.Type)
	}
	return rank.BM25F{}
}
