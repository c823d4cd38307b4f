package extract

import (
	"errors"

	"github.com/antchfx/htmlquery"
	"github.com/antchfx/xpath"
	"golang.org/x/net/html"
)

// maxSteps is how many moves from node to node an expression may take, some
// seconds' worth: axes within predicates take the square of a page, and more.
const maxSteps = 20_000_000

var errSteps = errors.New("takes too many steps on this page")

// stepper is a navigator that panics where the steps are spent; nothing else stops
// an expression.
type stepper struct {
	*htmlquery.NodeNavigator
	left *int
}

func newStepper(at *html.Node, most int) *stepper {
	return &stepper{htmlquery.CreateXPathNavigator(at), &most}
}

func (s *stepper) step() {
	if *s.left--; *s.left < 0 {
		panic(errSteps)
	}
}

func (s *stepper) Copy() xpath.NodeNavigator {
	s.step()
	return &stepper{s.NodeNavigator.Copy().(*htmlquery.NodeNavigator), s.left}
}

func (s *stepper) MoveToParent() bool   { s.step(); return s.NodeNavigator.MoveToParent() }
func (s *stepper) MoveToChild() bool    { s.step(); return s.NodeNavigator.MoveToChild() }
func (s *stepper) MoveToFirst() bool    { s.step(); return s.NodeNavigator.MoveToFirst() }
func (s *stepper) MoveToNext() bool     { s.step(); return s.NodeNavigator.MoveToNext() }
func (s *stepper) MoveToPrevious() bool { s.step(); return s.NodeNavigator.MoveToPrevious() }

func (s *stepper) MoveTo(other xpath.NodeNavigator) bool {
	s.step()
	o, ok := other.(*stepper)
	return ok && s.NodeNavigator.MoveTo(o.NodeNavigator)
}
