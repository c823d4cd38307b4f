package job

import (
	_ "embed"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/webquarry/quarry/crawler/chrome/action"
	"github.com/webquarry/quarry/crawler/extract"
	"github.com/webquarry/quarry/crawler/internal/strictyaml"
)

//go:embed schema.json
var jsonSchema string

// JSONSchema returns the JSON Schema (draft 2020-12) of specs, for editors and other
// programs.
func JSONSchema() string { return jsonSchema }

// Parse reads a Spec in YAML, or in JSON, which is YAML too. Names that are not known,
// names given twice, values of the wrong type and what makes no sense are errors; they are
// all in one *[SpecError], each with its line and column.
func Parse(text []byte) (*Spec, error) {
	s := new(Spec)
	if wrong := reader.Unmarshal(text, s, "spec"); len(wrong) > 0 {
		return nil, specError(wrong)
	}
	return s, nil
}

// Mistake is what is wrong at some place of a spec.
type Mistake struct {
	Line, Column int    // from 1 on; 0: not known
	Path         string // as "chains[1].steps[2].click"
	Err          error
}

// String says where and what.
func (m Mistake) String() string {
	s := ""
	if m.Line > 0 {
		s = fmt.Sprintf("line %d, column %d: ", m.Line, m.Column)
	}
	if m.Path != "" {
		s += m.Path + ": "
	}
	return s + m.Err.Error()
}

// SpecError says all that is wrong with a spec, in the order of its text.
type SpecError struct{ Mistakes []Mistake }

// Error says all of them, a line each.
func (e *SpecError) Error() string {
	lines := make([]string, len(e.Mistakes))
	for i, m := range e.Mistakes {
		lines[i] = m.String()
	}
	return "job: " + strings.Join(lines, "\n")
}

// Unwrap returns the causes.
func (e *SpecError) Unwrap() []error {
	all := make([]error, len(e.Mistakes))
	for i, m := range e.Mistakes {
		all[i] = m.Err
	}
	return all
}

func specError(wrong []strictyaml.Mistake) *SpecError {
	e := &SpecError{}
	for _, m := range wrong {
		e.Mistakes = append(e.Mistakes, Mistake(m))
	}
	return e
}

// Settings are those of an output that the program brings, as they stand in the spec.
type Settings struct {
	node ast.Node
	path string
}

// Decode reads the settings into a struct whose fields have tags, `yaml:"name"`, with the
// same strictness as a spec. The error is a *[SpecError], with the lines of the spec.
func (s Settings) Decode(into any) error {
	if s.node == nil || s.node.Type() == ast.NullType {
		return nil
	}
	if wrong := (strictyaml.Reader{}).Node(s.node, into, s.path); len(wrong) > 0 {
		return specError(wrong)
	}
	return nil
}

var reader = strictyaml.Reader{Read: read, Check: check}

// read reads the values that have rules of their own.
func read(d *strictyaml.Decoder, n ast.Node, v reflect.Value, path string) bool {
	switch into := v.Addr().Interface().(type) {
	case *Settings:
		*into = Settings{n, path}
	case *action.Steps:
		noteSteps(d, n, path, into.UnmarshalYAML(n))
	case **extract.Schema:
		*into = d.Schema(n, path)
	default:
		return false
	}
	return true
}

// noteSteps notes what is wrong with steps, whose paths begin with "steps".
func noteSteps(d *strictyaml.Decoder, n ast.Node, path string, err error) {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		d.Wrong(n, path, err)
		return
	}
	for _, err := range joined.Unwrap() {
		if own, ok := errors.AsType[*action.DecodeError](err); ok {
			d.Note(strictyaml.Mistake{Line: own.Line, Column: own.Column, Path: path + strings.TrimPrefix(own.Path, "steps"), Err: own.Err})
		} else {
			d.Wrong(n, path, err)
		}
	}
}
