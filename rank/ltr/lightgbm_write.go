package ltr

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// WriteLightGBM writes the model in the text form of LightGBM, version 4, which LightGBM and [ReadLightGBM] read. The
// scores stay the same to the last bit. A model of XGBoost, or with a name that is empty or holds a white space, is a [*FormatError].
func (m *Model) WriteLightGBM(w io.Writer) error {
	if m.float32s {
		return &FormatError{Format: "LightGBM", Msg: "the numbers of XGBoost's models have 32 bits", Unsupported: true}
	}
	for _, name := range m.Features {
		if f := strings.Fields(name); len(f) != 1 || f[0] != name {
			return &FormatError{Format: "LightGBM", Msg: fmt.Sprintf("the name %q cannot be written", clip(name))}
		}
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\nmax_feature_idx=%d\n", len(m.Features)-1)
	if m.objective != "" {
		fmt.Fprintf(out, "objective=%s\n", m.objective)
	}
	if m.forest {
		fmt.Fprintf(out, "average_output\n")
	}
	fmt.Fprintf(out, "feature_names=%s\nfeature_infos=%s\n\n", strings.Join(m.Features, " "), strings.TrimSpace(strings.Repeat("none ", len(m.Features))))
	for i := range m.trees {
		m.trees[i].write(out, i)
	}
	fmt.Fprintf(out, "end of trees\n\nfeature_importances:\n\npandas_categorical:null\n")
	return out.Flush()
}

func (t *tree) write(w io.Writer, number int) {
	fmt.Fprintf(w, "Tree=%d\nnum_leaves=%d\nnum_cat=%d\n", number, len(t.leaves), len(t.sets))
	if len(t.splits) > 0 {
		writeList(w, "split_feature", t.splits, func(s split) string { return strconv.Itoa(int(s.feature)) })
		writeList(w, "threshold", t.splits, func(s split) string { return number17(s.threshold) })
		writeList(w, "decision_type", t.splits, func(s split) string { return strconv.Itoa(s.kind.lightgbm()) })
		writeList(w, "left_child", t.splits, func(s split) string { return strconv.Itoa(int(s.left)) })
		writeList(w, "right_child", t.splits, func(s split) string { return strconv.Itoa(int(s.right)) })
	}
	writeList(w, "leaf_value", t.leaves, number17)
	if len(t.weights) > 0 {
		writeList(w, "leaf_count", t.weights, func(v float64) string { return strconv.Itoa(int(v)) })
	}
	if len(t.sets) > 0 {
		bound := 0
		bounds, bits := []int{0}, []uint32{}
		for _, set := range t.sets {
			bound += len(set)
			bounds, bits = append(bounds, bound), append(bits, set...)
		}
		writeList(w, "cat_boundaries", bounds, strconv.Itoa)
		writeList(w, "cat_threshold", bits, func(v uint32) string { return strconv.Itoa(int(v)) })
	}
	if t.linear != nil {
		fmt.Fprintf(w, "is_linear=1\n")
		var features []int32
		var coefficients []float64
		for _, l := range t.linear {
			features, coefficients = append(features, l.features...), append(coefficients, l.coefficients...)
		}
		writeList(w, "leaf_const", t.linear, func(l linear) string { return number17(l.constant) })
		writeList(w, "num_features", t.linear, func(l linear) string { return strconv.Itoa(len(l.features)) })
		writeList(w, "leaf_features", features, func(f int32) string { return strconv.Itoa(int(f)) })
		writeList(w, "leaf_coeff", coefficients, number17)
	}
	fmt.Fprintf(w, "shrinkage=1\n\n\n")
}

func number17(v float64) string { return strconv.FormatFloat(v, 'g', 17, 64) }

func writeList[T any](w io.Writer, name string, list []T, text func(T) string) {
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = text(v)
	}
	fmt.Fprintf(w, "%s=%s\n", name, strings.Join(words, " "))
}

// lightgbm is the kind as a decision_type.
func (k kind) lightgbm() (n int) {
	switch {
	case k&category != 0:
		return 1
	case k&missingZero != 0:
		n = 1 << 2
	case k&missingNaN != 0:
		n = 2 << 2
	}
	if k&missingLeft != 0 {
		n |= 2
	}
	return n
}
