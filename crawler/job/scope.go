package job

import (
	"path"
	"strings"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/content"
	"github.com/webquarry/quarry/crawler/focus"
	"github.com/webquarry/quarry/frontier"
)

// scope says which links are followed at all.
func (r *rig) scope() crawler.Follow {
	s := r.spec.Scope
	var f crawler.Follow
	switch s.Within {
	case "any":
		f = crawler.Any
	case "host":
		f = crawler.SameHost(r.spec.Seeds...)
	case "prefix":
		var folders []string
		for _, seed := range r.spec.Seeds {
			folders = append(folders, folderOf(seed))
		}
		f = crawler.Prefix(folders...)
	default:
		f = crawler.SameSite(r.spec.Seeds...)
	}
	if len(s.Include) > 0 {
		f = crawler.Include(f, s.Include...)
	}
	if len(s.Exclude) > 0 {
		f = crawler.Exclude(f, s.Exclude...)
	}
	if len(s.SkipFiles) > 0 {
		f = crawler.SkipFiles(f, s.SkipFiles...)
	}
	if r.spec.Sitemaps {
		f = content.Listed(f)
	}
	return f
}

// folderOf is the URL of the folder that a page is in.
func folderOf(seed string) string {
	seed, _, _ = strings.Cut(seed, "#")
	seed, _, _ = strings.Cut(seed, "?")
	scheme, rest, _ := strings.Cut(seed, "://")
	if !strings.Contains(rest, "/") {
		return seed + "/"
	}
	dir, _ := path.Split(rest)
	return scheme + "://" + dir
}

// order sets which URLs of the scope come first.
func (r *rig) order(scope crawler.Follow) {
	switch r.spec.Order {
	case "topical":
		f := focus.New(focus.Options{Topic: focus.Words(r.spec.Topic), Scope: scope, Frontier: r.Frontier})
		r.Follow, r.Parser = f.Follow, f.Parser(r.Parser)
	case "priority":
		r.Follow = scope
	default:
		r.Follow = func(from *crawler.Page, link crawler.Link) (float64, bool) {
			_, ok := scope(from, link)
			depth := 0
			if from != nil && from.Response != nil {
				depth = from.Response.Request.Depth + 1
			}
			switch r.spec.Order {
			case "depth":
				return frontier.DepthFirst(depth), ok
			case "random":
				return frontier.Shuffled(1, 1), ok
			}
			return frontier.BreadthFirst(depth), ok
		}
	}
}
