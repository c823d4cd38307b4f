package focus

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
)

// model is a logistic regression that learns one link after the other, with
// steps by AdaGrad (Duchi, Hazan and Singer, JMLR 2011).
type model struct {
	Bias     weight
	Features []weight
	Words    []weight // by slot
	learned  int
}

// weight is a weight and the sum of its squared steps.
type weight struct{ W, G float64 }

const (
	step      = 0.1
	wordStep  = 0.3
	startBias = -2.0 // most links lead nowhere
)

func newModel(fs []Feature) *model {
	m := &model{Bias: weight{W: startBias}, Features: make([]weight, len(fs)), Words: make([]weight, slots)}
	for i, f := range fs {
		m.Features[i].W = f.Weight
	}
	return m
}

// signals are what the model sees of a link.
type signals struct {
	features []float32
	words    []uint32
}

// promise is how relevant the target of a link will be, 0..1.
func (m *model) promise(s signals) float64 {
	z := m.Bias.W
	for i, x := range s.features {
		z += m.Features[i].W * float64(x)
	}
	for _, i := range s.words {
		z += m.Words[i].W
	}
	return sigmoid(z)
}

// learn moves the weights towards what turned out.
func (m *model) learn(s signals, relevance float64) {
	m.learned++
	miss := relevance - m.promise(s)
	m.Bias.move(miss, step)
	for i, x := range s.features {
		m.Features[i].move(miss*float64(x), step)
	}
	for _, i := range s.words {
		m.Words[i].move(miss, wordStep)
	}
}

func (w *weight) move(gradient, step float64) {
	w.G += gradient * gradient
	w.W += step * gradient / math.Sqrt(1+w.G)
}

// saved is a model in a file.
type saved struct {
	Version  int                   `json:"version"`
	Learned  int                   `json:"learned"`
	Bias     [2]float64            `json:"bias"`
	Features map[string][2]float64 `json:"features"`
	Words    map[int][2]float64    `json:"words"`
}

// ErrModel is the error of a saved model that cannot be used.
var ErrModel = errors.New("focus: not a model that can be used here")

// Save writes what was learned as JSON, for another run to go on with.
func (f *Focus) Save(w io.Writer) error {
	f.mu.Lock()
	m := f.model
	out := saved{Version: 1, Learned: m.learned, Bias: m.Bias.pair(), Features: map[string][2]float64{}, Words: map[int][2]float64{}}
	for i, feature := range f.features {
		out.Features[feature.Name] = m.Features[i].pair()
	}
	for i, w := range m.Words {
		if w != (weight{}) {
			out.Words[i] = w.pair()
		}
	}
	f.mu.Unlock()
	if err := json.NewEncoder(w).Encode(out); err != nil {
		return fmt.Errorf("focus: save: %w", err)
	}
	return nil
}

const maxModel = 16 << 20 // bytes of a saved model

// Load goes on with what was saved. Features that the file does not know keep
// the weights they have. An error matches [ErrModel], and changes nothing.
func (f *Focus) Load(r io.Reader) error {
	var in saved
	if err := json.NewDecoder(io.LimitReader(r, maxModel)).Decode(&in); err != nil {
		return fmt.Errorf("%w: %w", ErrModel, err)
	}
	if in.Version != 1 {
		return fmt.Errorf("%w: version %d", ErrModel, in.Version)
	}
	m := newModel(f.features)
	m.learned, m.Bias = max(in.Learned, 0), weight{in.Bias[0], in.Bias[1]}
	ok := m.Bias.sound()
	for i, feature := range f.features {
		if w, known := in.Features[feature.Name]; known {
			m.Features[i] = weight{w[0], w[1]}
			ok = ok && m.Features[i].sound()
		}
	}
	for i, w := range in.Words {
		if i < 0 || i >= slots {
			return fmt.Errorf("%w: word %d", ErrModel, i)
		}
		m.Words[i] = weight{w[0], w[1]}
		ok = ok && m.Words[i].sound()
	}
	if !ok {
		return fmt.Errorf("%w: weights beyond all measure", ErrModel)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.model = m
	return nil
}

func (w weight) pair() [2]float64 { return [2]float64{w.W, w.G} }

// sound reports whether a weight could have been learned.
func (w weight) sound() bool { return math.Abs(w.W) < 1e6 && w.G >= 0 && w.G < 1e12 }
