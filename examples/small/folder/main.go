// Folder searches the text files of a folder, and prints where words stand in them.
package main

import (
	"context"
	"fmt"
	"io/fs"
	"log"
	"os"
	"strings"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/highlight"
	"github.com/webquarry/quarry/index/query"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: folder FOLDER WORDS")
		os.Exit(2)
	}
	if err := search(context.Background(), os.DirFS(os.Args[1]), os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func search(ctx context.Context, files fs.FS, words string) error {
	ix, err := index.New(index.Options{})
	if err != nil {
		return err
	}
	writer, err := ix.Writer()
	if err != nil {
		return err
	}
	err = fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".txt") {
			return err
		}
		text, err := fs.ReadFile(files, path)
		if err != nil {
			return err
		}
		return writer.Add(ctx, index.Document{Key: path, Fields: []index.Field{{Name: "body", Value: string(text)}}})
	})
	if err != nil {
		return err
	}
	if err := writer.Commit(ctx); err != nil {
		return err
	}
	q, _ := query.ParseLenient(words, query.ParseOptions{})
	found, err := ix.Search(ctx, q, index.SearchOptions{Snippets: map[string]highlight.Options{"body": {Bytes: 80}}})
	if err != nil {
		return err
	}
	for _, hit := range found.Hits {
		fmt.Printf("%s: %s\n", hit.Key, hit.Snippets["body"].Text)
	}
	return nil
}
