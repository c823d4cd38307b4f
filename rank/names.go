package rank

import (
	"encoding"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// named are the scorers that have a written form, by name.
var named = map[string]Scorer{
	"bm25":         BM25{},
	"bm25f":        BM25F{},
	"bm25+":        BM25Plus{},
	"bm25l":        BM25L{},
	"in_expb2":     InExpB2{},
	"pl2":          PL2{},
	"dph":          DPH{},
	"lm_dirichlet": Dirichlet{},
	"lm_jm":        JelinekMercer{},
	"tfidf":        TFIDF{},
}

// presets are other names, of scorers with parameters.
var presets = map[string]Scorer{
	"bm25_lucene":     BM25{Plain: true},
	"bm25_atire":      BM25{IDF: Ratio},
	"bm25_robertson":  BM25{IDF: RobertsonSparckJones},
	"bm25_log2":       BM25{K1: 1.75, B: 0.75, IDF: LogRatio},
	"tfidf_sum":       TFIDF{Frequency: RawTF, Norm: NoNorm, IDF: LogRatio},
	"tfidf_augmented": TFIDF{Frequency: AugmentedTF, Norm: NoNorm, IDF: LogRatio},
	"tfidf_cosine":    TFIDF{Norm: CosineNorm, IDF: Ratio},
}

// ScorerNames lists the names that ParseScorer knows, in order.
func ScorerNames() []string {
	return slices.Sorted(func(yield func(string) bool) {
		for _, of := range []map[string]Scorer{named, presets} {
			for name := range of {
				if !yield(name) {
					return
				}
			}
		}
	})
}

// ParseScorer makes a scorer of its name (see [ScorerNames]) and, in parentheses,
// parameters that are not the default, by the names of the fields of its type:
//
//	bm25
//	bm25(k1=0.9, b=0.4)
//	bm25f(b=0.5, fields["title"]=0.3, idf=log_ratio)
//	bm25_lucene(k1=0.9)
//	tfidf(frequency=raw, norm=none)
//
// Upper and lower case are the same, and so are spaces and hyphens and "_" in names.
func ParseScorer(text string) (Scorer, error) {
	name, _, _ := strings.Cut(strings.TrimSpace(text), "(")
	of, ok := named[plainName(name)]
	if !ok {
		of, ok = presets[plainName(name)]
	}
	if !ok {
		return nil, fmt.Errorf("rank: there is no scorer %q: want one of %s", name, strings.Join(ScorerNames(), ", "))
	}
	return parsed(of, text)
}

// feedbacks are the kinds of Feedback, by name.
var feedbacks = map[string]Feedback{"rm3": RM3{}, "bo1": Bo1{}}

// ParseFeedback makes a Feedback of its name, rm3 or bo1, and parameters as [ParseScorer] reads them:
// rm3(docs=10, words=20, query=0.8).
func ParseFeedback(text string) (Feedback, error) {
	name, _, _ := strings.Cut(strings.TrimSpace(text), "(")
	of, ok := feedbacks[plainName(name)]
	if !ok {
		return nil, fmt.Errorf("rank: there is no feedback %q: want rm3 or bo1", name)
	}
	return parsed(of, text)
}

// parsed returns of with the parameters in the parentheses of a text.
func parsed[T any](of T, text string) (none T, err error) {
	_, list, open := strings.Cut(strings.TrimSpace(text), "(")
	if open {
		var closed bool
		if list, closed = strings.CutSuffix(list, ")"); !closed {
			return none, fmt.Errorf("rank: %q: want ) at its end", text)
		}
	}
	v := reflect.New(reflect.TypeOf(of)).Elem()
	v.Set(reflect.ValueOf(of))
	for list = strings.TrimSpace(list); list != ""; list = strings.TrimSpace(list) {
		if list, err = setParameter(v, list); err != nil {
			return none, fmt.Errorf("rank: %q: %w", text, err)
		}
	}
	return v.Interface().(T), nil
}

func plainName(s string) string {
	return strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(strings.TrimSpace(s)))
}

// setParameter reads the first parameter of a list and returns the rest.
func setParameter(v reflect.Value, list string) (rest string, err error) {
	name := list[:len(list)-len(strings.TrimLeft(list, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"))]
	list = strings.TrimSpace(list[len(name):])
	field := v.FieldByNameFunc(func(s string) bool { return name != "" && strings.EqualFold(s, name) })
	if !field.IsValid() {
		return "", fmt.Errorf("it has no parameter %q", name)
	}
	key, keyed := "", false
	if inner, ok := strings.CutPrefix(list, "["); ok {
		quoted, err := strconv.QuotedPrefix(inner)
		if err != nil {
			return "", fmt.Errorf("%s: want a quoted name in brackets", name)
		}
		key, _ = strconv.Unquote(quoted)
		if list, keyed = strings.CutPrefix(inner[len(quoted):], "]"); !keyed {
			return "", fmt.Errorf("%s: want ] behind the name", name)
		}
	}
	value, ok := strings.CutPrefix(strings.TrimSpace(list), "=")
	if !ok {
		return "", fmt.Errorf("%s: want a value behind =", name)
	}
	value, rest, _ = strings.Cut(value, ",")
	value = strings.TrimSpace(value)
	if keyed != (field.Kind() == reflect.Map) {
		return "", fmt.Errorf(`%s: a name in brackets is for values by field, such as fields["title"]=0.3`, name)
	}
	if keyed {
		x, err := parseNumber(value)
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		all := maps.Clone(field.Interface().(map[string]float64))
		if all == nil {
			all = map[string]float64{}
		}
		all[key] = x
		field.Set(reflect.ValueOf(all))
		return rest, nil
	}
	if err := setValue(field, value); err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return rest, nil
}

func setValue(field reflect.Value, value string) error {
	if u, ok := field.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return u.UnmarshalText([]byte(value))
	}
	if field.Kind() == reflect.Bool {
		x, err := strconv.ParseBool(value)
		if err != nil {
			return fmt.Errorf("%q is neither true nor false", value)
		}
		field.SetBool(x)
		return nil
	}
	if field.Kind() == reflect.Int {
		n, err := strconv.Atoi(value)
		if err != nil {
			return fmt.Errorf("%q is no whole number", value)
		}
		field.SetInt(int64(n))
		return nil
	}
	x, err := parseNumber(value)
	if err == nil {
		field.SetFloat(x)
	}
	return err
}

func parseNumber(s string) (float64, error) {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%q is no number", s)
	}
	return x, nil
}

// FormatScorer returns the text of which ParseScorer makes an equal scorer, a value or a pointer to
// one; false: it is none of this package.
func FormatScorer(s Scorer) (string, bool) {
	v := reflect.ValueOf(s)
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	for name, of := range named {
		if !v.IsValid() || reflect.TypeOf(of) != v.Type() {
			continue
		}
		var list []string
		for i := range v.NumField() {
			field := v.Field(i)
			key := strings.ToLower(v.Type().Field(i).Name)
			switch value := field.Interface().(type) {
			case map[string]float64:
				for _, k := range slices.Sorted(maps.Keys(value)) {
					list = append(list, fmt.Sprintf("%s[%q]=%s", key, k, formatNumber(value[k])))
				}
			case float64:
				if value != 0 || math.Signbit(value) {
					list = append(list, key+"="+formatNumber(value))
				}
			case encoding.TextMarshaler:
				if !field.IsZero() {
					text, err := value.MarshalText()
					if err != nil {
						return "", false
					}
					list = append(list, key+"="+string(text))
				}
			case bool:
				if value {
					list = append(list, key+"=true")
				}
			}
		}
		if list == nil {
			return name, true
		}
		return name + "(" + strings.Join(list, ", ") + ")", true
	}
	return "", false
}

func formatNumber(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// names of the kinds of IDF, Frequency and Norm.
var (
	idfNames       = []string{"probabilistic", "log_ratio", "ratio", "ratio_plus", "robertson_sparck_jones"}
	frequencyNames = []string{"log", "raw", "augmented"}
	normNames      = []string{"root_length", "none", "cosine"}
)

func kindName(i int, names []string) ([]byte, error) {
	if i < 0 || i >= len(names) {
		i = 0 // which every other value is taken for
	}
	return []byte(names[i]), nil
}

func kindOf(text []byte, names []string) (int, error) {
	i := slices.Index(names, plainName(string(text)))
	if i < 0 {
		return 0, fmt.Errorf("there is no %q: want one of %s", text, strings.Join(names, ", "))
	}
	return i, nil
}

// MarshalText returns the name of the kind, as ParseScorer reads it.
func (i IDF) MarshalText() ([]byte, error) { return kindName(int(i), idfNames) }

// UnmarshalText reads what MarshalText returns.
func (i *IDF) UnmarshalText(text []byte) error {
	n, err := kindOf(text, idfNames)
	*i = IDF(n)
	return err
}

// MarshalText returns the name of the kind, as ParseScorer reads it.
func (f Frequency) MarshalText() ([]byte, error) { return kindName(int(f), frequencyNames) }

// UnmarshalText reads what MarshalText returns.
func (f *Frequency) UnmarshalText(text []byte) error {
	n, err := kindOf(text, frequencyNames)
	*f = Frequency(n)
	return err
}

// MarshalText returns the name of the kind, as ParseScorer reads it.
func (n Norm) MarshalText() ([]byte, error) { return kindName(int(n), normNames) }

// UnmarshalText reads what MarshalText returns.
func (n *Norm) UnmarshalText(text []byte) error {
	k, err := kindOf(text, normNames)
	*n = Norm(k)
	return err
}
