package serve_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/VictoriaMetrics/metrics"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/serve"
)

// parameter, operation and description are what the test reads of OpenAPI.
type parameter struct {
	Name     string
	Required bool
	Example  any
}

type operation struct {
	Parameters []parameter
	Responses  map[string]struct {
		Content map[string]struct{ Schema any }
	}
}

type description struct {
	Servers []struct{ URL string }
	Paths   map[string]map[string]operation
}

// everything is a handler with all that can be switched on, below a prefix.
func everything(t *testing.T, n int) http.Handler {
	return serve.New(indexOf(t, numbered(n)...), serve.Options{Path: "/find/", Text: []string{"body"}, Facets: []serve.Facet{{Field: "host"}},
		Orders: []serve.Order{{Name: "newest", Sort: []index.SortBy{{Field: "at", Descending: true}}}}, Open: true, Metrics: metrics.NewSet(), Folders: []string{t.TempDir()}})
}

// TestOpenAPI: the description names every address, and each answers as it says: with its examples
// by its schema, and without what it needs, and by another method, with the error that it announces.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	h := everything(t, 30)
	text := ask(t, h, "GET", "/find/openapi.json").Body.Bytes()
	var d description
	if err := json.Unmarshal(text, &d); err != nil || len(d.Servers) != 1 || d.Servers[0].URL != "/find/" {
		t.Fatalf("%v, %+v", err, d.Servers)
	}
	whole, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem:///openapi.json", whole); err != nil {
		t.Fatal(err)
	}
	schemaAt := func(path, status, kind string) *jsonschema.Schema {
		escape := strings.NewReplacer("~", "~0", "/", "~1").Replace
		s, err := c.Compile("mem:///openapi.json#/paths/" + escape(path) + "/get/responses/" + status + "/content/" + escape(kind) + "/schema")
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		return s
	}
	holds := func(s *jsonschema.Schema, body []byte, what string) {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
		if err == nil {
			err = s.Validate(v)
		}
		if err != nil {
			t.Errorf("%s: %v in %s", what, err, body)
		}
	}
	if got := slices.Sorted(maps.Keys(d.Paths)); strings.Join(got, " ") != "/api/document /api/explain /api/search /api/status /api/suggest /healthz /metrics /openapi.json /readyz" {
		t.Errorf("paths %q", got)
	}
	for path, ops := range d.Paths {
		op, ok := ops["get"]
		if !ok || len(ops) != 1 {
			t.Errorf("%s: %d operations", path, len(ops))
			continue
		}
		all, needs := url.Values{}, false
		for _, p := range op.Parameters {
			needs = needs || p.Required
			if p.Example != nil {
				all.Set(p.Name, fmt.Sprint(p.Example))
			}
		}
		target := "/find" + path + "?" + all.Encode()
		w := ask(t, h, "GET", target)
		kind, _, _ := strings.Cut(w.Header().Get("Content-Type"), ";")
		if _, ok := op.Responses["200"].Content[kind]; !ok || w.Code != 200 {
			t.Errorf("%s: %d, %s: %s", target, w.Code, kind, w.Body)
			continue
		}
		if kind == "application/json" {
			holds(schemaAt(path, "200", kind), w.Body.Bytes(), target)
		}
		w = ask(t, h, "POST", target)
		if w.Code != 405 {
			t.Errorf("POST %s: %d", target, w.Code)
		}
		holds(schemaAt(path, "405", "application/json"), w.Body.Bytes(), "POST "+target)
		if needs && path != "/api/suggest" { // to which nothing typed is nothing to complete
			w = ask(t, h, "GET", "/find"+path)
			holds(schemaAt(path, "400", "application/json"), w.Body.Bytes(), path)
			if w.Code != 400 {
				t.Errorf("%s without parameters: %d", path, w.Code)
			}
		}
	}
	for target, code := range map[string]int{
		"/api/document?key=none": 404, "/api/explain?q=page&key=none": 404, "/api/search?q=page&after=x": 400, "/api/search?q=page&page=2&after=x": 400,
		"/api/search?q=page&filter=(": 400, "/api/search?q=page&filter=colour:red": 400,
	} {
		w := ask(t, h, "GET", "/find"+target)
		path, _, _ := strings.Cut(target, "?")
		if w.Code != code {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
		holds(schemaAt(path, fmt.Sprint(code), "application/json"), w.Body.Bytes(), target)
	}
	closed := serve.New(indexOf(t), serve.Options{})
	for target, code := range map[string]int{"/metrics": 404, "/api/document?key=a": 404, "/readyz": 503, "/healthz": 200} {
		if w := ask(t, closed, "GET", target); w.Code != code {
			t.Errorf("%s of a handler with nothing switched on: %d", target, w.Code)
		}
	}
}

// TestAfter: pages by cursor are the pages by number, in any order, and filters hold.
func TestAfter(t *testing.T) {
	t.Parallel()
	h := everything(t, 95)
	for _, query := range []string{"q=page", "q=page&order=newest", "q=page+n7+nowhere&order=newest", "q=page&filter=host:h1.test", "q=page&filter=at:[10+TO+49]&filter=host:h1.test&order=newest"} {
		var byNumber, byCursor []string
		total, after := 0, ""
		for page := 1; ; page++ {
			for _, c := range []struct {
				target string
				into   *[]string
			}{{fmt.Sprintf("/find/api/search?%s&size=7&page=%d", query, page), &byNumber}, {"/find/api/search?" + query + "&size=7&after=" + url.QueryEscape(after), &byCursor}} {
				var a serve.Answer
				w := ask(t, h, "GET", c.target)
				if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || w.Code != 200 {
					t.Fatalf("%s: %d %v %s", c.target, w.Code, err, w.Body)
				}
				for _, hit := range a.Hits {
					*c.into = append(*c.into, hit.Key)
				}
				total, after = a.Total.Value, a.Next
			}
			if after == "" {
				break
			}
		}
		if len(byCursor) != total || !slices.Equal(byNumber, byCursor) {
			t.Errorf("%s: %d of %d by cursor, %d by number", query, len(byCursor), total, len(byNumber))
		}
	}
}

// TestServeMetrics: searches are counted by what became of them, and promtool has nothing to find fault with.
func TestServeMetrics(t *testing.T) {
	t.Parallel()
	h := everything(t, 30)
	for _, target := range []string{"/find/?q=page", "/find/api/search?q=page", "/find/api/search?q=page&filter=(", "/find/api/suggest?q=p"} {
		ask(t, h, "GET", target)
	}
	text := ask(t, h, "GET", "/find/metrics").Body.String()
	for _, want := range []string{
		`quarry_searches_total{result="ok"} 2`, `quarry_searches_total{result="bad"} 1`, "quarry_searches_running 0", "quarry_search_seconds_count 2",
		"quarry_index_documents 30", "# HELP quarry_index_documents ", "# TYPE quarry_searches_total counter", "# TYPE quarry_search_seconds histogram", "process_cpu_seconds_total ", "go_goroutines ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for line := range strings.Lines(text) {
		if name, _, _ := strings.Cut(line, " "); strings.HasPrefix(name, "quarry_") && !strings.Contains(text, "# HELP "+strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(strings.Split(name, "{")[0], "_bucket"), "_sum"), "_count")+" ") {
			t.Errorf("no HELP for %s", name)
		}
	}
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("SKIPPED: promtool, of the package prometheus, is not installed")
	}
	cmd := exec.CommandContext(t.Context(), promtool, "check", "metrics")
	cmd.Stdin = strings.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("promtool: %v\n%s", err, out)
	}
}
