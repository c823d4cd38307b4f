package focus

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/webquarry/quarry/crawler"
)

// TestLearn: one step by hand, and many in the right direction.
func TestLearn(t *testing.T) {
	t.Parallel()
	m := newModel([]Feature{{Name: "x", Weight: 1}})
	s := signals{features: []float32{0.5}, words: []uint32{7}}
	miss := 1 - sigmoid(-2+0.5)
	m.learn(s, 1)
	near := func(got, want float64) bool { return math.Abs(got-want) < 1e-9 }
	if !near(m.Bias.W, -2+step*miss/math.Sqrt(1+miss*miss)) || !near(m.Features[0].W, 1+step*miss/2/math.Sqrt(1+miss*miss/4)) || !near(m.Words[7].W, wordStep*miss/math.Sqrt(1+miss*miss)) {
		t.Errorf("after one step %+v %+v %+v", m.Bias, m.Features[0], m.Words[7])
	}
	for range 500 {
		m.learn(s, 0.8)
		m.learn(signals{features: []float32{0.5}, words: []uint32{8}}, 0.1)
	}
	if p, q := m.promise(s), m.promise(signals{features: []float32{0.5}, words: []uint32{8}}); math.Abs(p-0.8) > 0.1 || math.Abs(q-0.1) > 0.1 {
		t.Errorf("promises %.3f and %.3f", p, q)
	}
}

func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		``, `{`, `{"version":2}`, `[]`, `{"version":1,"words":{"65536":[1,1]}}`, `{"version":1,"words":{"-1":[1,1]}}`, `{"version":1,"words":{"x":[1,1]}}`,
		`{"version":1,"bias":[1e9,0]}`, `{"version":1,"bias":[0,-1]}`, `{"version":1,"features":{"anchor":[1e300,0]}}`, `{"version":1,"words":{"3":[1e7,0]}}`,
	} {
		f := New(bee())
		before, _ := f.Follow(nil, crawler.Link{URL: "http://a.test/"})
		if err := f.Load(strings.NewReader(text)); !errors.Is(err, ErrModel) {
			t.Errorf("%s: error %v", text, err)
		}
		if after, _ := f.Follow(nil, crawler.Link{URL: "http://a.test/"}); after != before {
			t.Errorf("%s changed something", text)
		}
	}
}

func FuzzLoad(f *testing.F) {
	var file bytes.Buffer
	if err := New(bee()).Save(&file); err != nil {
		f.Fatal(err)
	}
	f.Add(file.Bytes())
	f.Add([]byte(`{"version":1,"bias":[-2,3],"features":{"anchor":[1,2]},"words":{"1":[2,3]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		g := New(bee())
		if g.Load(bytes.NewReader(text)) != nil {
			return
		}
		if p, ok := g.Follow(nil, crawler.Link{URL: "http://a.test/honey", Text: "bee"}); !ok || !(p >= 0 && p <= 1) {
			t.Errorf("promise %v", p)
		}
	})
}
