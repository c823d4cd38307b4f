package arch

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
)

var (
	markdownLink = regexp.MustCompile(`\]\(([^)#\s]+)`)
	markdownCode = regexp.MustCompile("(?ms)^```.*?^```$|`[^`\n]*`")
)

// checkLinks wants every link of a page of documentation that leads into the
// repository to arrive, and every decision to be in the index of decisions.
func checkLinks(t *tree) (found []problem) {
	pages, _ := fs.Glob(t.fsys, "*.md")
	_ = fs.WalkDir(t.fsys, "docs", func(name string, _ fs.DirEntry, err error) error {
		if err == nil && path.Ext(name) == ".md" {
			pages = append(pages, name)
		}
		return nil
	})
	linked := map[string]bool{}
	for _, page := range pages {
		text, err := fs.ReadFile(t.fsys, page)
		if err != nil {
			continue // gone since
		}
		for _, m := range markdownLink.FindAllSubmatch(markdownCode.ReplaceAll(text, nil), -1) {
			target := string(m[1])
			if strings.Contains(target, ":") {
				continue // elsewhere
			}
			target = path.Join(path.Dir(page), target)
			linked[page+" "+target] = true
			if _, err := fs.Stat(t.fsys, target); err != nil {
				found = append(found, problem{"link", page, "leads to " + target + ", which is not there; mend it"})
			}
		}
	}
	decisions, _ := fs.Glob(t.fsys, "docs/decisions/[0-9]*.md")
	for _, name := range decisions {
		if !linked["docs/decisions/README.md "+name] {
			found = append(found, problem{"link", name, "is not in docs/decisions/README.md; add a line"})
		}
	}
	return found
}
