package lang

import (
	"strings"
	"testing"
)

func BenchmarkDetect(b *testing.B) {
	text := strings.Repeat("The old library by the river was closed for years, but now it is open again and people come from all over the town to read in its quiet rooms. ", 10)
	b.ReportAllocs()
	for b.Loop() {
		if Detect(text) != "en" {
			b.Fatal("not English")
		}
	}
}
