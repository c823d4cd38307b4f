package extract

import (
	"bytes"
	"encoding/json"
	"errors"
	"html"
	"io"
	"maps"
	"slices"
	"strings"

	xhtml "golang.org/x/net/html"
)

// jsonLD reads the scripts with JSON-LD of a page.
func jsonLD(root *xhtml.Node, b *budget) []*Item {
	r := ldReader{budget: b, byID: map[string]*Item{}}
	for n := range root.Descendants() {
		if n.Type != xhtml.ElementNode || n.Data != "script" || n.FirstChild == nil {
			continue
		}
		kind, _ := attr(n, "type")
		kind, _, _ = strings.Cut(strings.ToLower(kind), ";")
		if strings.TrimSpace(kind) == "application/ld+json" {
			for _, v := range readJSON(n.FirstChild.Data) {
				r.top(v, 0)
			}
		}
	}
	r.connect()
	return r.items
}

// ldReader makes items of JSON values.
type ldReader struct {
	*budget
	items []*Item
	byID  map[string]*Item
	all   []*Item
	steps int
}

const maxLDSteps = 1_000_000 // values looked at

// top reads what stands at the top of a script, or in a graph.
func (r *ldReader) top(v any, depth int) {
	if r.steps++; depth > maxItemDepth || r.steps > maxLDSteps {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			r.top(one, depth+1)
		}
	case map[string]any:
		graph, ok := v["@graph"]
		if ok {
			r.top(graph, depth+1)
		}
		if ok && v["@type"] == nil {
			return
		}
		if i := r.item(v, depth); i != nil {
			r.items = append(r.items, i)
		}
	}
}

// item makes an item of an object. It is nil when nothing is in it.
func (r *ldReader) item(v map[string]any, depth int) *Item {
	i := r.budget.item("json-ld")
	if i == nil {
		return nil
	}
	i.ID = text(v, "@id", "id")
	for _, t := range list(v["@type"], v["type"]) {
		if s, ok := t.(string); ok && s != "" {
			i.Types = append(i.Types, typeName(s))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(v)) {
		if key == "@graph" || key == "@context" || key == "@id" || key == "@type" || key == "@reverse" {
			continue
		}
		if values := r.values(v[key], depth+1); len(values) > 0 {
			name := propName(key)
			i.Props[name] = append(i.Props[name], values...)
		}
	}
	if len(i.Types) == 0 && len(i.Props) == 0 && i.ID == "" {
		return nil
	}
	r.all = append(r.all, i)
	if i.ID != "" && len(i.Props) > 0 && r.byID[i.ID] == nil {
		r.byID[i.ID] = i
	}
	return i
}

// values flattens the value of a property.
func (r *ldReader) values(v any, depth int) []any {
	if r.steps++; depth > maxItemDepth || r.steps > maxLDSteps {
		return nil
	}
	switch v := v.(type) {
	case string:
		return []any{html.UnescapeString(v)}
	case float64, bool:
		return []any{v}
	case []any:
		var out []any
		for _, one := range v {
			out = append(out, r.values(one, depth+1)...)
		}
		return out
	case map[string]any:
		for _, key := range []string{"@value", "@list", "@set"} {
			if inner, ok := v[key]; ok {
				return r.values(inner, depth+1)
			}
		}
		if i := r.item(v, depth); i != nil {
			return []any{i}
		}
	}
	return nil
}

// connect puts items in the place of those that only refer to them.
func (r *ldReader) connect() {
	for _, i := range r.all {
		for _, values := range i.Props {
			for n, v := range values {
				ref, ok := v.(*Item)
				if !ok || ref.ID == "" || len(ref.Props) > 0 {
					continue
				}
				if target := r.byID[ref.ID]; target != nil {
					values[n] = target
				}
			}
		}
	}
}

// propName drops the prefix of a property.
func propName(s string) string { return strings.TrimPrefix(typeName(s), "schema:") }

func text(v map[string]any, keys ...string) string {
	for _, k := range keys {
		if s, ok := v[k].(string); ok {
			return s
		}
	}
	return ""
}

func list(values ...any) (out []any) {
	for _, v := range values {
		if l, ok := v.([]any); ok {
			out = append(out, l...)
		} else if v != nil {
			out = append(out, v)
		}
	}
	return out
}

// readJSON reads the JSON values in a script. Where a mistake cannot be
// forgiven, those before it are returned.
func readJSON(s string) []any {
	values, err := decodeAll(forgive(s))
	if err != nil && len(values) == 0 && strings.Contains(s, "&") {
		values, _ = decodeAll(forgive(html.UnescapeString(s)))
	}
	return values
}

func decodeAll(text []byte) (values []any, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	for len(values) < maxItems {
		var v any
		if err := dec.Decode(&v); err != nil {
			if errors.Is(err, io.EOF) {
				return values, nil
			}
			return values, err
		}
		values = append(values, v)
	}
	return values, nil
}
