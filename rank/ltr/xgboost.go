package ltr

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// ReadXGBoost reads a model in the JSON or UBJSON form of XGBoost since version 1.0, with the boosters gbtree and
// dart, numeric and categorical splits, and missing values as NaN. The memory that it takes is
// bounded by the length of the file. An error is a [*FormatError], or that of r; a model of several
// classes or targets, and one of the booster gblinear, is not supported.
func ReadXGBoost(r io.Reader) (*Model, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	begin, err := in.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	var f xgboostFile
	if len(begin) == 2 && begin[0] == '{' && strings.IndexByte("iUIlL", begin[1]) >= 0 {
		var text bytes.Buffer
		if err := ubjsonToJSON(in, &text); err != nil {
			return nil, err
		}
		in = bufio.NewReader(&text)
	}
	reading := &lastError{r: in}
	if err := json.NewDecoder(reading).Decode(&f); err != nil {
		if reading.err != nil && !errors.Is(reading.err, io.EOF) {
			return nil, reading.err
		}
		return nil, xgboostError(false, "%v", err)
	}
	return f.model()
}

// lastError remembers the error of a reader.
type lastError struct {
	r   io.Reader
	err error
}

func (l *lastError) Read(p []byte) (n int, err error) {
	n, err = l.r.Read(p)
	l.err = err
	return n, err
}

func xgboostError(unsupported bool, format string, args ...any) error {
	return &FormatError{Format: "XGBoost", Msg: fmt.Sprintf(format, args...), Unsupported: unsupported}
}

// xgboostFile is what is read of a model.
type xgboostFile struct {
	Learner struct {
		Names   []string `json:"feature_names"`
		Booster struct {
			Name   string         `json:"name"`
			Model  xgboostTrees   `json:"model"`
			Tree   *xgboostForest `json:"gbtree"` // of dart
			Weight []float32      `json:"weight_drop"`
		} `json:"gradient_booster"`
		Param struct {
			Base     string `json:"base_score"`
			Classes  string `json:"num_class"`
			Features string `json:"num_feature"`
			Targets  string `json:"num_target"`
		} `json:"learner_model_param"`
		Objective struct {
			Name string `json:"name"`
		} `json:"objective"`
	} `json:"learner"`
}

type xgboostForest struct {
	Model xgboostTrees `json:"model"`
}

type xgboostTrees struct {
	Trees []xgboostTree `json:"trees"`
}

type xgboostTree struct {
	Left       []int32   `json:"left_children"`
	Right      []int32   `json:"right_children"`
	Feature    []int32   `json:"split_indices"`
	Condition  []float32 `json:"split_conditions"` // of a leaf: its value
	Default    []flag    `json:"default_left"`
	Type       []int32   `json:"split_type"`
	Weight     []float32 `json:"sum_hessian"`
	Categories []int32   `json:"categories"`
	Nodes      []int32   `json:"categories_nodes"`
	Segments   []int64   `json:"categories_segments"`
	Sizes      []int64   `json:"categories_sizes"`
	Param      struct {
		LeafVector string `json:"size_leaf_vector"`
	} `json:"tree_param"`
}

// flag is a truth value, written as such or as a number.
type flag bool

// UnmarshalJSON implements json.Unmarshaler.
func (f *flag) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case "true", "1":
		*f = true
	case "false", "0":
		*f = false
	default:
		return fmt.Errorf("%q is neither true nor false", clip(string(text)))
	}
	return nil
}

func (f *xgboostFile) model() (*Model, error) {
	l := &f.Learner
	m := &Model{float32s: true, objective: l.Objective.Name}
	for name, v := range map[string]string{"num_class": l.Param.Classes, "num_target": l.Param.Targets} {
		if v != "" && v != "0" && v != "1" {
			return nil, xgboostError(true, "%s is %q: only models with one score for each document can rank", name, clip(v))
		}
	}
	n, err := strconv.Atoi(l.Param.Features)
	if err != nil || n < 0 || n > maxFeatures {
		return nil, xgboostError(false, "num_feature is %q, and not from 0 to %d", clip(l.Param.Features), maxFeatures)
	}
	if m.Features = l.Names; len(m.Features) == 0 {
		for i := range n {
			m.Features = append(m.Features, "f"+strconv.Itoa(i))
		}
	}
	if len(m.Features) != n {
		return nil, xgboostError(false, "%d feature_names for %d features", len(m.Features), n)
	}
	base, err := strconv.ParseFloat(strings.Trim(l.Param.Base, "[]"), 32)
	if err != nil || base != base || math.IsInf(base, 0) {
		return nil, xgboostError(false, "base_score is %q", clip(l.Param.Base))
	}
	if err := m.xgboostObjective(base); err != nil {
		return nil, err
	}
	trees, weights := l.Booster.Model.Trees, l.Booster.Weight
	switch name := l.Booster.Name; name {
	case "gbtree":
		weights = nil
	case "dart":
		if l.Booster.Tree == nil {
			return nil, xgboostError(false, "dart without gbtree")
		}
		if trees = l.Booster.Tree.Model.Trees; len(weights) != len(trees) {
			return nil, xgboostError(false, "%d weight_drop for %d trees", len(weights), len(trees))
		}
	default:
		return nil, xgboostError(true, "gradient_booster %q is neither gbtree nor dart", clip(name))
	}
	room := maxSets // words of 32 bits for the sets of categories
	for i := range trees {
		room += 64 * len(trees[i].Categories)
	}
	for i := range trees {
		weight := float32(1)
		if weights != nil {
			weight = weights[i]
		}
		t, err := trees[i].tree(weight, &room)
		if err == nil {
			if why := t.check(n); why != "" {
				err = xgboostError(false, "%s", why)
			}
		}
		if e, ok := errors.AsType[*FormatError](err); ok {
			e.Msg = fmt.Sprintf("tree %d: %s", i, e.Msg)
			return nil, e
		}
		m.trees = append(m.trees, t)
	}
	m.quick = newQuick(m.trees)
	return m, nil
}

// xgboostObjective sets how scores become predictions, and the score of a document without trees, for which the model
// predicts base.
func (m *Model) xgboostObjective(base float64) error {
	switch m.objective {
	case "rank:ndcg", "rank:pairwise", "rank:map", "reg:squarederror", "reg:linear", "reg:squaredlogerror",
		"reg:pseudohubererror", "reg:absoluteerror", "reg:quantileerror", "binary:logitraw":
		m.base = base
	case "binary:hinge":
		m.base, m.transform = base, func(x float64) float64 {
			if x > 0 {
				return 1
			}
			return 0
		}
	case "binary:logistic", "reg:logistic":
		if !(base > 0 && base < 1) {
			return xgboostError(false, "base_score %v is no probability", base)
		}
		m.base, m.transform = -math.Log(1/base-1), sigmoid
	case "count:poisson", "reg:gamma", "reg:tweedie", "survival:cox":
		if !(base > 0) {
			return xgboostError(false, "base_score %v is not positive", base)
		}
		m.base, m.transform = math.Log(base), math.Exp
	default:
		return xgboostError(true, "objective %q", clip(m.objective))
	}
	return nil
}

// tree makes a tree of nodes that are reached from the first one.
func (x *xgboostTree) tree(weight float32, room *int) (t tree, err error) {
	n := len(x.Left)
	if x.Param.LeafVector != "" && x.Param.LeafVector != "0" && x.Param.LeafVector != "1" {
		return t, xgboostError(true, "leaves of %q values", clip(x.Param.LeafVector))
	}
	if n == 0 || len(x.Right) != n || len(x.Feature) != n || len(x.Condition) != n || len(x.Default) != n || len(x.Type) != n && len(x.Type) != 0 {
		return t, xgboostError(false, "the lists of its nodes are empty or not of one length")
	}
	setOf, err := x.sets(&t, room)
	if err != nil {
		return t, err
	}
	place := make([]int32, n) // of nodes that were met, from 1 up
	at := func(node int32) (int32, error) {
		if node < 0 || int(node) >= n || place[node] != 0 {
			return 0, xgboostError(false, "a split has a child that is not there, or that is another's or above it")
		}
		place[node] = 1
		if x.Left[node] == -1 {
			t.leaves = append(t.leaves, float64(x.Condition[node]*weight))
			if len(x.Weight) == n {
				t.weights = append(t.weights, float64(x.Weight[node]))
			}
			return ^int32(len(t.leaves) - 1), nil
		}
		t.splits = append(t.splits, split{feature: node}) // for now
		return int32(len(t.splits) - 1), nil
	}
	if _, err := at(0); err != nil {
		return t, err
	}
	for i := 0; i < len(t.splits); i++ {
		node := t.splits[i].feature
		s := split{feature: x.Feature[node], kind: missingNaN}
		if x.Default[node] {
			s.kind |= missingLeft
		}
		if len(x.Type) == n && x.Type[node] == 1 {
			set, ok := setOf[node]
			if !ok {
				return t, xgboostError(false, "a split by categories has none")
			}
			s.kind |= category | setGoesRight
			s.threshold = float64(set)
		} else {
			s.threshold = below(x.Condition[node])
		}
		if s.left, err = at(x.Left[node]); err == nil {
			s.right, err = at(x.Right[node])
		}
		if err != nil {
			return t, err
		}
		t.splits[i] = s
	}
	return t, nil
}

// below is the greatest number of 32 bits below v, so that "less than v" is "at most that".
func below(v float32) float64 {
	if v == float32(math.Inf(-1)) {
		return math.NaN() // nothing is less
	}
	return float64(math.Nextafter32(v, float32(math.Inf(-1))))
}

// maxSets is how many words of 32 bits the sets of categories of a model may take, beside 64 for each category that
// is written in it.
const maxSets = 1 << 20

// sets gives the tree the sets of its splits by categories, and returns their numbers by node. The words that they
// take are taken off room.
func (x *xgboostTree) sets(t *tree, room *int) (map[int32]int, error) {
	if len(x.Segments) != len(x.Nodes) || len(x.Sizes) != len(x.Nodes) {
		return nil, xgboostError(false, "the lists of its categories are not of one length")
	}
	of := map[int32]int{}
	for i, node := range x.Nodes {
		from, size := x.Segments[i], x.Sizes[i]
		if from < 0 || size < 0 || from > int64(len(x.Categories)) || size > int64(len(x.Categories))-from {
			return nil, xgboostError(false, "a set of categories is not there")
		}
		var set []uint32
		for _, c := range x.Categories[from : from+size] {
			if c < 0 {
				return nil, xgboostError(false, "%d is no category", c)
			}
			if more := int(c/32) + 1 - len(set); more > 0 {
				if *room -= more; *room < 0 {
					return nil, xgboostError(false, "the numbers of the categories, such as %d, are too great for so few", c)
				}
				set = append(set, make([]uint32, more)...)
			}
			set[c/32] |= 1 << (c % 32)
		}
		of[node] = len(t.sets)
		t.sets = append(t.sets, set)
	}
	return of, nil
}
