package serve

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"net/http"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// Document is a document as it is stored.
type Document struct {
	Key    string           `json:"key"`
	Fields map[string][]any `json:"fields"` // stored values by field
}

// Explanation is where a score comes from.
type Explanation struct {
	Key     string    `json:"key"`
	Matches bool      `json:"matches"`
	Score   float64   `json:"score"`
	Parts   Explained `json:"explanation"`
}

// Explained is a number, what it is, and what it is made of.
type Explained struct {
	Value float64     `json:"value"`
	Text  string      `json:"text"`
	Parts []Explained `json:"parts"`
}

func explained(e rank.Explanation) Explained {
	out := Explained{e.Value, e.Text, []Explained{}}
	for _, p := range e.Parts {
		out.Parts = append(out.Parts, explained(p))
	}
	return out
}

// opened returns the snapshot that tells of single documents.
func (h *Handler) opened() (snap *index.Snapshot, done func() error, err error) {
	s, done, err := h.snapshot()
	if err != nil {
		return nil, nil, err
	}
	snap, ok := s.(*index.Snapshot)
	if !ok {
		done()
		return nil, nil, &Error{http.StatusNotImplemented, "not_here", "what is searched here does not tell of single documents"}
	}
	return snap, done, nil
}

// keyOf is the key that a request names.
func keyOf(r *http.Request) (string, error) {
	key := r.URL.Query().Get("key")
	if key == "" || len(key) > maxQuery {
		return "", &Error{http.StatusBadRequest, "bad_key", "key: want the key of a document"}
	}
	return key, nil
}

func noDocument() error {
	return &Error{http.StatusNotFound, "not_found", "key: there is no such document"}
}

func (h *Handler) apiDocument(w http.ResponseWriter, r *http.Request) {
	if !ReadOnly(w, r) {
		return
	}
	d, err := h.document(r)
	if err != nil {
		h.complain("document", err)
		WriteError(w, err)
		return
	}
	WriteJSON(w, http.StatusOK, d)
}

func (h *Handler) document(r *http.Request) (*Document, error) {
	key, err := keyOf(r)
	if err != nil {
		return nil, err
	}
	snap, done, err := h.opened()
	if err != nil {
		return nil, err
	}
	defer done()
	d, ok, err := snap.Document(key)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, noDocument()
	}
	out := &Document{key, map[string][]any{}}
	for _, f := range d.Fields {
		out.Fields[f.Name] = append(out.Fields[f.Name], f.Value)
	}
	return out, nil
}

func (h *Handler) apiExplain(w http.ResponseWriter, r *http.Request) {
	if !ReadOnly(w, r) {
		return
	}
	x, err := h.explain(r)
	if err != nil {
		h.complain("explain", err)
		WriteError(w, err)
		return
	}
	WriteJSON(w, http.StatusOK, x)
}

// explain says how the query of a request scores a document, as [Handler.Search] asks it by
// relevance.
func (h *Handler) explain(r *http.Request) (*Explanation, error) {
	key, err := keyOf(r)
	if err != nil {
		return nil, err
	}
	req, err := h.read(r.URL.Query())
	if err == nil && req.blank() {
		err = &Error{http.StatusBadRequest, "bad_query", "q: want a query"}
	}
	if err != nil {
		return nil, err
	}
	done, err := h.limit.Wait(r.Context())
	if err != nil {
		return nil, err
	}
	defer done()
	snap, closeIt, err := h.opened()
	if err != nil {
		return nil, err
	}
	defer closeIt()
	if _, ok, err := snap.Document(key); err != nil || !ok {
		if err == nil {
			err = noDocument()
		}
		return nil, err
	}
	schema := h.schema(snap)
	some, _ := query.ParseLenient(req.Text, query.ParseOptions{Schema: schema})
	every, _ := query.ParseLenient(req.Text, query.ParseOptions{Operator: query.AllWords, Schema: schema})
	x, matches, err := snap.Explain(r.Context(), sideBySide(some, every), key, h.opt.Search)
	if err != nil {
		return nil, err
	}
	return &Explanation{key, matches, x.Value, explained(x)}, nil
}

// complain logs what is no mistake of a request.
func (h *Handler) complain(what string, err error) {
	if _, bad := err.(*Error); !bad {
		h.opt.Log.Error(what, "err", err)
	}
}

//go:embed openapi.json
var openAPI []byte

// openAPI describes the API as it is here: below its path, and with the addresses that are open.
func (h *Handler) openAPI(w http.ResponseWriter, r *http.Request) {
	if !ReadOnly(w, r) {
		return
	}
	var d map[string]any
	if err := json.NewDecoder(bytes.NewReader(openAPI)).Decode(&d); err != nil {
		h.complain("openapi", err)
		WriteError(w, err)
		return
	}
	d["servers"] = []any{map[string]string{"url": h.opt.Path}}
	d["info"].(map[string]any)["title"] = h.opt.Title
	paths := d["paths"].(map[string]any)
	if !h.opt.Open {
		delete(paths, "/api/document")
		delete(paths, "/api/explain")
	}
	if h.opt.Metrics == nil {
		delete(paths, "/metrics")
	}
	search := paths["/api/search"].(map[string]any)["get"].(map[string]any)
	for _, f := range h.opt.Facets {
		search["parameters"] = append(search["parameters"].([]any), map[string]any{
			"name": f.Field, "in": "query", "description": "One of these values, as in the facet of this name.",
			"schema": map[string]any{"type": "array", "items": map[string]string{"type": "string"}}, "explode": true})
	}
	WriteJSON(w, http.StatusOK, d)
}
