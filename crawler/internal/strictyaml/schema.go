package strictyaml

import (
	"errors"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"github.com/webquarry/quarry/crawler/extract"
)

// Schema reads a schema of records, which has its own rules; nil, with a note, for one that
// makes no sense.
func (d *Decoder) Schema(n ast.Node, path string) *extract.Schema {
	s := new(extract.Schema)
	err := yaml.NodeToValue(n, s, yaml.Strict())
	if err == nil {
		_, err = extract.Compile(s)
	}
	if own, ok := errors.AsType[*extract.SchemaError](err); ok {
		line, column := PlaceOf(n)
		if own.Line > 0 {
			line, column = own.Line, own.Column
		}
		if own.Path != "" {
			path = Join(path, own.Path)
		}
		d.Note(Mistake{Line: line, Column: column, Path: path, Err: own.Err})
		return nil
	}
	if err != nil {
		m := OfYAML(err)
		m.Path = path
		d.Note(m)
		return nil
	}
	return s
}
