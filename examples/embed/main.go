// Command embed is a site of one's own with a search page over an index: go run ./examples/embed DIR
package main

import (
	"log"
	"net/http"
	"os"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/serve"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: embed DIR")
	}
	ix, err := index.Open(os.Args[1], index.Options{}) // as sitesearch -dir or index.Open made it
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.ListenAndServe("127.0.0.1:8080", site(ix)))
}

// site has the search page, its API and its description below /search/.
func site(ix *index.Index) *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("welcome\n")) })
	mux.Handle("/search/", serve.New(ix, serve.Options{Path: "/search/", Text: []string{"body"}}))
	return mux
}
