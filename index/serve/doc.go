// Package serve answers searches over HTTP: a search page for people, with completion,
// better spellings, facets and pages of results, and a JSON API for programs. It is an
// [http.Handler] over an index, to be mounted in a server of one's own:
//
//	h := serve.New(ix, serve.Options{Text: []string{"body"}})
//	http.Handle("/", h)
//
// It knows nothing of crawling and does not limit who may ask; it does limit how much
// one request, and all together, may cost. [Secure], [Listen], [Run], [Limit] and the
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
//	GET /healthz                        {"ok": true}, or status 503 and the error
//
// A facet narrows by parameters of its name; an order goes by its name. Trouble is
// {"error": {"code": "bad_page", "message": "..."}} with a status that is not 200. The
// codes are bad_query, bad_page, bad_size, bad_order, not_found, bad_method, busy
// (status 503, with Retry-After) and internal.
//
// Where to look:
//
//	serve.go    what can be configured, and which addresses there are
//	search.go   from a request to an answer
//	api.go      JSON; limit.go: how many at a time
//	page.go     the search page; web/: its template, style and script
//	server.go   listening, security headers, ending in good order
package serve
