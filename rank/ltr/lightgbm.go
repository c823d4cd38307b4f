package ltr

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// ReadLightGBM reads a model in the text form of LightGBM, of version 2 to 4: of the numeric and the
// categorical splits, the treatment of missing values, the linear trees and the forests that LightGBM has. The memory that it takes is
// bounded by the length of the text. An error is a [*FormatError], or that of r; a model of several
// classes is not supported.
func ReadLightGBM(r io.Reader) (*Model, error) {
	p := &lightgbm{lines: bufio.NewReaderSize(r, 1<<16), model: &Model{}}
	m, err := p.read()
	if err != nil {
		return nil, err
	}
	return m, nil
}

// lightgbm reads a text.
type lightgbm struct {
	lines *bufio.Reader
	line  int
	model *Model
}

func (p *lightgbm) fail(format string, args ...any) error {
	return &FormatError{Format: "LightGBM", Line: p.line, Msg: fmt.Sprintf(format, args...)}
}

func (p *lightgbm) unsupported(format string, args ...any) error {
	return &FormatError{Format: "LightGBM", Line: p.line, Msg: fmt.Sprintf(format, args...), Unsupported: true}
}

// next reads a line without its end.
func (p *lightgbm) next() (string, error) {
	line, err := p.lines.ReadString('\n')
	if errors.Is(err, io.EOF) {
		if line == "" {
			return "", p.fail("ends before \"end of trees\"")
		}
		err = nil
	}
	p.line++
	return strings.TrimRight(line, "\r\n"), err
}

func (p *lightgbm) read() (*Model, error) {
	first, err := p.next()
	if err != nil {
		return nil, err
	}
	if first != "tree" {
		return nil, p.fail("does not begin with \"tree\"")
	}
	section, head, err := p.section()
	if err != nil {
		return nil, err
	}
	if err := p.head(head); err != nil {
		return nil, err
	}
	for section != "end of trees" {
		if want := "Tree=" + strconv.Itoa(len(p.model.trees)); section != want {
			return nil, p.fail("%q where %q or the end of the trees should be", clip(section), want)
		}
		var values map[string]string
		if section, values, err = p.section(); err != nil {
			return nil, err
		}
		t, err := p.tree(values)
		if err != nil {
			return nil, err
		}
		p.model.trees = append(p.model.trees, t)
	}
	if p.model.forest {
		n, of := float64(max(1, len(p.model.trees))), p.model.transform
		p.model.transform = func(sum float64) float64 {
			if of == nil {
				return sum / n
			}
			return of(sum / n)
		}
	}
	p.model.quick = newQuick(p.model.trees)
	return p.model, nil
}

// section reads up to the line with which the next section begins, and returns that line and what was
// said before it.
func (p *lightgbm) section() (next string, values map[string]string, err error) {
	values = map[string]string{}
	for {
		line, err := p.next()
		if err != nil {
			return "", nil, err
		}
		name, value, _ := strings.Cut(line, "=")
		switch {
		case line == "":
		case line == "end of trees" || name == "Tree":
			return line, values, nil
		default:
			if _, twice := values[name]; twice {
				return "", nil, p.fail("%q is there twice", clip(name))
			}
			values[name] = value
		}
	}
}

// head takes what is said of the whole model.
func (p *lightgbm) head(values map[string]string) error {
	m := p.model
	switch v := values["version"]; v {
	case "v2", "v3", "v4":
	default:
		return p.unsupported("version %q is none of v2, v3, v4", clip(v))
	}
	for _, name := range []string{"num_class", "num_tree_per_iteration"} {
		if v := values[name]; v != "1" {
			return p.unsupported("%s is %q: only models with one score for each document can rank", name, clip(v))
		}
	}
	last, err := strconv.Atoi(values["max_feature_idx"])
	if err != nil || last < 0 || last >= maxFeatures {
		return p.fail("max_feature_idx is %q, and not from 0 to %d", clip(values["max_feature_idx"]), maxFeatures-1)
	}
	m.Features = strings.Split(values["feature_names"], " ")
	if len(m.Features) != last+1 {
		return p.fail("%d feature_names for %d features", len(m.Features), last+1)
	}
	_, p.model.forest = values["average_output"]
	m.objective = values["objective"]
	return p.objective(strings.Fields(m.objective))
}

// objective sets how scores become predictions.
func (p *lightgbm) objective(words []string) error {
	if len(words) == 0 {
		return nil
	}
	options := map[string]string{}
	for _, w := range words[1:] {
		name, value, _ := strings.Cut(w, ":")
		options[name] = value
	}
	switch words[0] {
	case "lambdarank", "rank_xendcg", "regression_l1", "huber", "fair", "quantile", "mape", "custom", "none":
	case "regression":
		if _, ok := options["sqrt"]; ok {
			p.model.transform = func(x float64) float64 { return math.Copysign(x*x, x) }
		}
	case "binary":
		slope, err := strconv.ParseFloat(options["sigmoid"], 64)
		if err != nil || !(slope > 0) {
			return p.fail("objective %q has no sigmoid", clip(p.model.objective))
		}
		p.model.transform = func(x float64) float64 { return sigmoid(slope * x) }
	case "poisson", "gamma", "tweedie":
		p.model.transform = math.Exp
	case "cross_entropy":
		p.model.transform = sigmoid
	case "cross_entropy_lambda":
		p.model.transform = func(x float64) float64 { return math.Log1p(math.Exp(x)) }
	default:
		return p.unsupported("objective %q", clip(words[0]))
	}
	return nil
}

// tree makes a tree of what is said of it.
func (p *lightgbm) tree(values map[string]string) (tree, error) {
	l := &lists{values: values}
	t := tree{leaves: l.floats("leaf_value")}
	splits := len(t.leaves) - 1
	if n := l.int("num_leaves"); l.err == "" && n != len(t.leaves) {
		return t, p.fail("tree %d has %d leaf_value for %d leaves", len(p.model.trees), len(t.leaves), n)
	}
	if splits > 0 {
		features, left, right := l.ints("split_feature", splits), l.ints("left_child", splits), l.ints("right_child", splits)
		thresholds, kinds := l.floats("threshold"), l.ints("decision_type", splits)
		if l.err == "" && len(thresholds) != splits {
			l.err = fmt.Sprintf("has %d threshold for %d splits", len(thresholds), splits)
		}
		if l.err == "" {
			t.splits = make([]split, splits)
		}
		for i := range t.splits {
			k, ok := lightgbmKind(kinds[i])
			if !ok {
				l.err = fmt.Sprintf("has the decision_type %d", kinds[i])
			}
			t.splits[i] = split{thresholds[i], int32(features[i]), int32(left[i]), int32(right[i]), k}
		}
		if weights := l.floats("leaf_count"); l.err == "" && len(weights) == len(t.leaves) {
			t.weights = weights
		}
	}
	if l.values["num_cat"] != "" && l.int("num_cat") > 0 {
		t.sets = l.sets()
	}
	if l.values["is_linear"] == "1" {
		t.linear = l.linear(len(t.leaves))
	}
	if l.err == "" {
		l.err = t.check(len(p.model.Features))
	}
	if l.err != "" {
		return t, p.fail("tree %d: %s", len(p.model.trees), l.err)
	}
	return t, nil
}

// lightgbmKind reads a decision_type.
func lightgbmKind(n int) (k kind, ok bool) {
	if n&1 != 0 {
		return category, n>>4 == 0
	}
	if n&2 != 0 {
		k = missingLeft
	}
	switch n >> 2 {
	case 0:
	case 1:
		k |= missingZero
	case 2:
		k |= missingNaN
	default:
		return 0, false
	}
	return k, true
}

// lists reads lists of numbers. The first trouble stays.
type lists struct {
	values map[string]string
	err    string
}

func (l *lists) fail(format string, args ...any) {
	if l.err == "" {
		l.err = fmt.Sprintf(format, args...)
	}
}

func (l *lists) int(name string) int {
	n, err := strconv.Atoi(l.values[name])
	if err != nil {
		l.fail("%s is %q, and no number", name, clip(l.values[name]))
	}
	return n
}

func (l *lists) floats(name string) (out []float64) {
	for word := range strings.FieldsSeq(l.values[name]) {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) || v != v {
			l.fail("%s holds %q", name, clip(word))
			return nil
		}
		out = append(out, v)
	}
	return out
}

// ints reads numbers of 32 bits, of which there must be n; negative: any number.
func (l *lists) ints(name string, n int) (out []int) {
	for word := range strings.FieldsSeq(l.values[name]) {
		v, err := strconv.ParseInt(word, 10, 32)
		if err != nil {
			l.fail("%s holds %q", name, clip(word))
			return nil
		}
		out = append(out, int(v))
	}
	if n >= 0 && len(out) != n {
		l.fail("has %d %s and not %d", len(out), name, n)
	}
	return out
}

// sets reads the sets of categories.
func (l *lists) sets() [][]uint32 {
	var bits []uint32
	for word := range strings.FieldsSeq(l.values["cat_threshold"]) {
		v, err := strconv.ParseUint(word, 10, 32)
		if err != nil {
			l.fail("cat_threshold holds %q", clip(word))
			return nil
		}
		bits = append(bits, uint32(v))
	}
	bounds := l.ints("cat_boundaries", -1)
	if len(bounds) == 0 || bounds[0] != 0 || bounds[len(bounds)-1] != len(bits) {
		l.fail("cat_boundaries do not span cat_threshold")
		return nil
	}
	sets := make([][]uint32, 0, len(bounds)-1)
	for i := 1; i < len(bounds); i++ {
		if bounds[i] < bounds[i-1] || bounds[i] > len(bits) {
			l.fail("cat_boundaries fall")
			return nil
		}
		sets = append(sets, bits[bounds[i-1]:bounds[i]])
	}
	return sets
}

// linear reads the functions of the leaves.
func (l *lists) linear(leaves int) []linear {
	constants, counts := l.floats("leaf_const"), l.ints("num_features", leaves)
	features, coefficients := l.ints("leaf_features", -1), l.floats("leaf_coeff")
	if len(constants) != leaves || len(features) != len(coefficients) {
		l.fail("leaf_const, leaf_features and leaf_coeff are not of one length")
	}
	if l.err != "" {
		return nil
	}
	out := make([]linear, leaves)
	for i, n := range counts {
		if n < 0 || n > len(features) {
			l.fail("num_features are not as many as leaf_features")
			return nil
		}
		of := linear{constant: constants[i], coefficients: coefficients[:n]}
		for _, f := range features[:n] {
			of.features = append(of.features, int32(f))
		}
		out[i], features, coefficients = of, features[n:], coefficients[n:]
	}
	if len(features) > 0 {
		l.fail("num_features are not as many as leaf_features")
	}
	return out
}

// clip makes what a message quotes short.
func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "..."
	}
	return s
}
