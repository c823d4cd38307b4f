package trap

import "strings"

const (
	mostNested  = 2 // names that a query has once more behind another question mark
	mostEqual   = 3 // times that a query has the same pair
	longestNest = 2048
)

// nested reports whether a query holds itself over and over: a link that puts its own
// query behind the one that is there, with a question mark or without, makes URLs
// without end whose pages may all differ. Escapes are undone, as often as they were
// made.
func nested(url string) bool {
	_, query, _ := strings.Cut(url, "?")
	query, _, _ = strings.Cut(query, "#")
	query = query[:min(len(query), longestNest)]
	if strings.Count(query, "?")+strings.Count(query, "%") < mostNested && strings.Count(query, "&")+strings.Count(query, ";") < mostEqual-1 {
		return false
	}
	for range 4 {
		undone := escapes.Replace(query)
		if undone == query {
			break
		}
		query = undone
	}
	pairs, names := make(map[string]int), make(map[string]bool)
	again := 0
	for start, i := 0, 0; i <= len(query); i++ {
		if i < len(query) && query[i] != '?' && query[i] != '&' && query[i] != ';' {
			continue
		}
		pair := query[start:i]
		name, value, _ := strings.Cut(pair, "=")
		if value != "" {
			if pairs[pair]++; pairs[pair] >= mostEqual {
				return true
			}
		}
		if start > 0 && query[start-1] == '?' && names[name] && value != "" {
			if again++; again >= mostNested {
				return true
			}
		}
		names[name] = true
		start = i + 1
	}
	return false
}

// escapes are those of the signs that part a query, and of the percent sign.
var escapes = strings.NewReplacer("%3F", "?", "%3f", "?", "%26", "&", "%3D", "=", "%3d", "=", "%3B", ";", "%3b", ";", "%25", "%")
