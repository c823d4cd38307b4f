// Package serve answers searches over HTTP: a search page for people, with completion,
// better spellings, facets and pages of results, and a JSON API for programs. It is an
// [http.Handler] over an index, to be mounted in a server of one's own:
//
//	h := serve.New(ix, serve.Options{Text: []string{"body"}})
//	http.Handle("/", h)
//
// It knows nothing of crawling. It limits how much one request, and all together, may cost,
// and who may ask, if [Options].Access says so. [Secure], [Listen], [Run], [Limit] and the
// functions that write JSON are what it is made of, for pages of one's own.
//
// # The JSON API
//
//	GET /api/search?q=pole+star&page=1&size=10&order=newest&host=a.example&host=b.example
//
//	{"query": "pole star",              as it was asked
//	 "took_us": 412,                    time for the answer in microseconds
//	 "total": {"value": 7,              documents that match,
//	           "exact": true},          or false: at least so many
//	 "hits": [{"key": "doc:7",          best first
//	           "url": "http://...",
//	           "title": "...",          plain text
//	           "score": 12.3,           to be compared within one answer only
//	           "snippet_html": "..."}], escaped, with what was found in <mark>
//	 "facets": [{"name": "host", "label": "Host",
//	             "values": [{"value": "a.example", "count": 5, "chosen": true}]}],
//	 "did_you_mean": "",                a better spelling, if there is one
//	 "hint": "",                        why the answer is not quite what was asked
//	 "page": 1, "size": 10}
//
//	GET /api/suggest?q=pole+sta         {"completions": [{"text": "pole star", "word": "star", "docs": 7}]}
//	GET /api/status                     {"running": false, "documents": 20, "text": "20 pages"}
//	GET /api/document?key=doc:7         {"key": "doc:7", "fields": {"title": ["..."]}}; with Options.Open
//	GET /api/explain?q=pole&key=doc:7   {"key": "doc:7", "matches": true, "score": 12.3, "explanation": {...}}; likewise
//	GET /healthz                        {"ok": true}, or status 503 and the error
//	GET /readyz                         the same; an empty index is not ready
//	GET /metrics                        the text format of Prometheus; with Options.Metrics
//	GET /openapi.json                   all this as OpenAPI 3.1
//
// The "next" of an answer is the "after" of its next page, without the limit that pages by
// number have. A "filter" is a query that documents must match as well, such as price:[10 TO 20].
// A facet narrows by parameters of its name; an order goes by its name. Trouble is
// {"error": {"code": "bad_page", "message": "..."}} with a status that is not 200. The
// codes are bad_query, bad_page, bad_size, bad_order, bad_after, bad_filter, bad_key, not_found, not_here, bad_method, busy
// (status 503, with Retry-After) and internal.
//
// Where to look:
//
//	serve.go    what can be configured, and which addresses there are
//	search.go   from a request to an answer
//	api.go      JSON; document.go: single documents, openapi.json; limit.go: how many at a time
//	metrics.go  what is counted
//	page.go     the search page; web/: its template, style and script
//	server.go   listening, security headers, ending in good order
package serve
