package eval

import (
	"fmt"
	"strconv"
)

// Kind is a family of measures.
type Kind int

// The kinds of measures. Those down to Judged may have a Cut. A document is
// relevant when its grade is at least [Options].Relevant; one that was not
// judged is not.
const (
	NDCG      Kind = iota // discounted gain, as part of what the best ranking gains; the gain is the grade (Järvelin and Kekäläinen, 2002)
	NDCGExp               // the same with the gain 2^grade - 1 (Burges and others, 2005)
	MAP                   // mean of the precisions at relevant documents; those not found count as 0
	MRR                   // 1 / rank of the first relevant document
	Precision             // relevant documents found, of Cut; without Cut: of all found
	Recall                // relevant documents found, of all that there are
	F1                    // harmonic mean of Precision and Recall
	Success               // 1 when a relevant document was found
	Judged                // documents that were judged, of those found: how far to trust the rest
	IPrec                 // best precision at a recall of at least Cut percent
	ElevenPt              // mean of IPrec at 0, 10, ... 100 percent
	RPrec                 // precision at as many documents as are relevant
	Bpref                 // how seldom a judged, not relevant document stands before a relevant one; others are passed over (Buckley and Voorhees, 2004)
	GMMAP                 // the geometric mean of MAP over queries, with at least 0.00001 for each
	NumRet                // documents found; the overall value is a sum, as with the next three
	NumRel                // relevant documents that there are
	NumRelRet             // relevant documents found
	NumQ                  // queries measured
)

// Measure is one number for a ranking.
type Measure struct {
	Kind Kind
	// Cut is how many hits count; 0: all. Of IPrec it is a recall in percent.
	Cut int
}

// usual are measured when nothing else is asked for.
var usual = []Measure{{NDCG, 10}, {MAP, 0}, {MRR, 0}, {Precision, 10}, {Recall, 100}}

// cutting says what a Kind makes of Cut.
type cutting int

const (
	never   cutting = iota // Cut is 0
	maybe                  // Cut is 0 or a number of hits
	percent                // Cut is 0 to 100
)

// kinds name each Kind, first as we do, then as others do.
var kinds = [...]struct {
	names []string
	cut   cutting
}{
	NDCG:      {[]string{"ndcg", "ndcg_cut"}, maybe},
	NDCGExp:   {[]string{"ndcg_exp"}, maybe},
	MAP:       {[]string{"map", "ap", "map_cut"}, maybe},
	MRR:       {[]string{"mrr", "rr", "recip_rank"}, maybe},
	Precision: {[]string{"p", "precision", "set_p"}, maybe},
	Recall:    {[]string{"recall", "r", "set_recall"}, maybe},
	F1:        {[]string{"f1", "set_f"}, maybe},
	Success:   {[]string{"success", "hit"}, maybe},
	Judged:    {[]string{"judged"}, maybe},
	IPrec:     {[]string{"iprec", "iprec_at_recall"}, percent},
	ElevenPt:  {[]string{"11pt", "11pt_avg"}, never},
	RPrec:     {[]string{"rprec"}, never},
	Bpref:     {[]string{"bpref"}, never},
	GMMAP:     {[]string{"gm_map"}, never},
	NumRet:    {[]string{"num_ret"}, never},
	NumRel:    {[]string{"num_rel"}, never},
	NumRelRet: {[]string{"num_rel_ret"}, never},
	NumQ:      {[]string{"num_q"}, never},
}

// String names the measure as [ParseMeasure] reads it: "ndcg@10", "map".
func (m Measure) String() string {
	if m.check() != nil {
		return fmt.Sprintf("measure(%d, %d)", m.Kind, m.Cut)
	}
	name := kinds[m.Kind].names[0]
	switch {
	case m.Kind == IPrec:
		return name + "@" + strconv.FormatFloat(float64(m.Cut)/100, 'g', -1, 64)
	case m.Cut > 0:
		return name + "@" + strconv.Itoa(m.Cut)
	}
	return name
}

// check reports what is no measure.
func (m Measure) check() error {
	if m.Kind < 0 || int(m.Kind) >= len(kinds) {
		return fmt.Errorf("eval: measure: there is no kind %d", m.Kind)
	}
	name := kinds[m.Kind].names[0]
	cut := kinds[m.Kind].cut
	switch {
	case cut == never && m.Cut != 0:
		return fmt.Errorf("eval: measure: %s has no cut", name)
	case cut == percent && (m.Cut < 0 || m.Cut > 100):
		return fmt.Errorf("eval: measure: %s: a recall is from 0 to 100 percent, not %d", name, m.Cut)
	case m.Cut < 0:
		return fmt.Errorf("eval: measure: %s: cannot cut at %d", name, m.Cut)
	}
	return nil
}
