package refresh

import "math"

type Belief struct {
	Shape float64
	Time  float64
}

func Known(rate float64) Belief { return Belief{1e9, 1e9 / rate} }

func (b Belief) Rate() float64 { return b.Shape / b.Time }

func (b Belief) unchanged(d float64) Belief { return Belief{b.Shape, b.Time + d} }
func (b Belief) dated(quiet float64) Belief { return Belief{b.Shape + 1, b.Time + quiet} }
func (b Belief) changed(d float64) Belief {
	l := math.Log1p(d / b.Time)
	z := -math.Expm1(-b.Shape * l)
	if z < 1e-9 {
		return Belief{b.Shape + 1, b.Time + d/2}
	}
	m1 := b.Rate() * -math.Expm1(-(b.Shape+1)*l) / z
	m2 := b.Rate() * (b.Shape + 1) / b.Time * -math.Expm1(-(b.Shape+2)*l) / z
	v := m2 - m1*m1
	return Belief{m1 * m1 / v, m1 / v}
}
