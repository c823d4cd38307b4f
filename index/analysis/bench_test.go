package analysis

import (
	"strings"
	"testing"
)

// benchmarkTexts are a few sentences, repeated to 100 kB.
var benchmarkTexts = []struct{ name, text string }{
	{"English", "The query planner chooses a plan by estimating what each one costs: rows read, pages fetched, sorts made. " +
		"VACUUM reclaims storage occupied by dead tuples; in normal PostgreSQL operation, tuples that are deleted or obsoleted " +
		"by an update are not physically removed from their table. It’s therefore necessary to run it now and then. "},
	{"Russian", "Поисковая система находит страницы по словам, которые в них встречаются, и упорядочивает их по значимости. "},
	{"Chinese", "搜索引擎根据页面中出现的词语查找页面，并按相关性排序。索引保存每个词语的位置。"},
}

func BenchmarkTokens(b *testing.B) {
	for _, a := range []struct {
		name string
		Analyzer
	}{{"Standard", Standard{}}, {"English", &English{}}} {
		for _, c := range benchmarkTexts {
			text := strings.Repeat(c.text, 100_000/len(c.text))
			b.Run(a.name+"/"+c.name, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					for range a.Tokens(text) {
					}
				}
			})
		}
	}
}
