package eval

import "testing"

func TestParseMeasure(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		want Measure
	}{
		{"ndcg", Measure{NDCG, 0}},
		{"nDCG@10", Measure{NDCG, 10}},
		{"ndcg_cut_10", Measure{NDCG, 10}},
		{"ndcg_cut.10", Measure{NDCG, 10}},
		{"ndcg_exp", Measure{NDCGExp, 0}},
		{"ndcg_exp@20", Measure{NDCGExp, 20}},
		{" MAP ", Measure{MAP, 0}},
		{"map_cut_1000", Measure{MAP, 1000}},
		{"MRR@10", Measure{MRR, 10}},
		{"rr@10", Measure{MRR, 10}},
		{"recip_rank", Measure{MRR, 0}},
		{"P_5", Measure{Precision, 5}},
		{"P@5", Measure{Precision, 5}},
		{"set_P", Measure{Precision, 0}},
		{"r@100", Measure{Recall, 100}},
		{"recall_100", Measure{Recall, 100}},
		{"set_F", Measure{F1, 0}},
		{"success.1", Measure{Success, 1}},
		{"judged@10", Measure{Judged, 10}},
		{"iprec_at_recall_0.10", Measure{IPrec, 10}},
		{"iprec@1", Measure{IPrec, 100}},
		{"iprec@0.29", Measure{IPrec, 29}},
		{"11pt_avg", Measure{ElevenPt, 0}},
		{"Rprec", Measure{RPrec, 0}},
		{"bpref", Measure{Bpref, 0}},
		{"gm_map", Measure{GMMAP, 0}},
		{"num_rel_ret", Measure{NumRelRet, 0}},
		{"num_rel", Measure{NumRel, 0}},
	}
	for _, c := range cases {
		if got, err := ParseMeasure(c.name); got != c.want || err != nil {
			t.Errorf("%s is %v (%v), want %v", c.name, got, err, c.want)
		}
	}
	for _, bad := range []string{"", "ndgc", "ndcg@", "ndcg@0", "ndcg@-1", "ndcg@x", "ndcg10", "ndcg@10@10", "bpref@10", "iprec@1.5", "iprec@0.123", "iprec@-0.1", "map@99999999999999999999"} {
		if got, err := ParseMeasure(bad); err == nil {
			t.Errorf("%q is read as %v", bad, got)
		}
	}
}

// TestNames: each measure is read back as itself.
func TestNames(t *testing.T) {
	t.Parallel()
	for kind, k := range kinds {
		cuts := map[cutting][]int{never: {0}, maybe: {0, 1, 1000}, percent: {0, 7, 50, 100}}[k.cut]
		for _, cut := range cuts {
			m := Measure{Kind(kind), cut}
			if got, err := ParseMeasure(m.String()); got != m || err != nil {
				t.Errorf("%v is read back as %v (%v)", m, got, err)
			}
		}
	}
}

func TestNoMeasure(t *testing.T) {
	t.Parallel()
	for _, m := range []Measure{{Kind(-1), 0}, {NumQ + 1, 0}, {MAP, -1}, {Bpref, 1}, {IPrec, 101}} {
		if _, err := Evaluate(nil, nil, Options{}, m); err == nil {
			t.Errorf("%v is measured", m)
		}
		if m.String() == "" {
			t.Error("a measure without a name")
		}
	}
}
