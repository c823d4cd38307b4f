package linear

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/webquarry/quarry/rank"
)

// Model is the function
//
//	Intercept + Σ term
//
// of features, or with Logistic 1/(1+e^-that), a probability.
type Model struct {
	About     string  `json:"about,omitempty"` // what it is for, and where it comes from
	Logistic  bool    `json:"logistic,omitempty"`
	Intercept float64 `json:"intercept"`
	Terms     []Term  `json:"terms"`
}

// Term is what one feature adds: Weight times its value or, if there are Points, what the line through them
// has at the value.
type Term struct {
	Feature string  `json:"feature"`
	Weight  float64 `json:"weight,omitempty"`
	// Points are values of the feature, which never fall, and what is added there. Between two the line is straight; before the first and
	// behind the last it is level. Two of the same value are a step, of which the upper end belongs to the value.
	Points [][2]float64 `json:"points,omitempty"`
}

var _ rank.Model = (*Model)(nil)

// Read reads a model as [Model.Write] writes it. Fields that there are not are an error, and so is what Check refuses.
func Read(r io.Reader) (*Model, error) {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	m := &Model{}
	if err := d.Decode(m); err != nil {
		return nil, fmt.Errorf("linear: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("linear: there is more behind the model")
	}
	return m, m.Check()
}

// Write writes the model as JSON.
func (m *Model) Write(w io.Writer) error {
	if err := m.Check(); err != nil {
		return err
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(m)
}

// Check reports a term without a feature, one with both a weight and points, points that fall, and what is no finite number.
func (m *Model) Check() error {
	numbers := []float64{m.Intercept}
	for _, t := range m.Terms {
		switch {
		case t.Feature == "":
			return errors.New("linear: a term names no feature")
		case t.Weight != 0 && t.Points != nil:
			return fmt.Errorf("linear: %s has a weight and points", t.Feature)
		}
		numbers = append(numbers, t.Weight)
		for i, p := range t.Points {
			numbers = append(numbers, p[0], p[1])
			if i > 0 && p[0] < t.Points[i-1][0] {
				return fmt.Errorf("linear: %s: point %v lies before %v", t.Feature, p, t.Points[i-1])
			}
		}
	}
	for _, x := range numbers {
		if math.IsNaN(x) || math.Abs(x) > 1e100 {
			return fmt.Errorf("linear: %v: want numbers within 1e100", x)
		}
	}
	return nil
}

// Bind implements [rank.Model]. What the function is given should be finite; what is not counts as 0, and
// its value is always finite.
func (m *Model) Bind(names []string) (func(features []float64) float64, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	places := make([]int, len(m.Terms))
	for i, t := range m.Terms {
		if places[i] = slices.Index(names, t.Feature); places[i] < 0 {
			return nil, fmt.Errorf("linear: the model needs the feature %q, and there is none", t.Feature)
		}
	}
	return func(features []float64) float64 {
		sum := m.Intercept
		for i, t := range m.Terms {
			sum += t.of(features[places[i]])
		}
		if m.Logistic {
			return sigmoid(sum)
		}
		return sum
	}, nil
}

// of is what the term adds for a value.
func (t Term) of(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		x = 0
	}
	if t.Points == nil {
		return t.Weight * min(max(x, -1e200), 1e200)
	}
	after := 0 // the first point behind the value
	for after < len(t.Points) && t.Points[after][0] <= x {
		after++
	}
	switch after {
	case 0:
		if len(t.Points) == 0 {
			return 0
		}
		return t.Points[0][1]
	case len(t.Points):
		return t.Points[after-1][1]
	}
	a, b := t.Points[after-1], t.Points[after]
	return a[1] + (b[1]-a[1])*((x-a[0])/(b[0]-a[0]))
}

// Explain tells what each term adds, the most first.
func (m *Model) Explain(names []string, features []float64) (rank.Explanation, error) {
	score, err := m.Bind(names)
	if err != nil {
		return rank.Explanation{}, err
	}
	parts := []rank.Explanation{}
	for _, t := range m.Terms {
		x := features[slices.Index(names, t.Feature)]
		parts = append(parts, rank.Explanation{Value: t.of(x), Text: fmt.Sprintf("%s = %g", t.Feature, x)})
	}
	slices.SortStableFunc(parts, func(a, b rank.Explanation) int {
		return -compareMagnitude(a.Value, b.Value)
	})
	text := "intercept + sum"
	if m.Logistic {
		text = "1/(1+e^-(intercept + sum))"
	}
	parts = append(parts, rank.Explanation{Value: m.Intercept, Text: "intercept"})
	return rank.Explanation{Value: score(features), Text: text, Parts: parts}, nil
}

func compareMagnitude(a, b float64) int {
	switch a, b = math.Abs(a), math.Abs(b); {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
