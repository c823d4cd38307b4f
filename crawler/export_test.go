package crawler

import (
	"math/rand/v2"
	"testing"
)

// CrawlRandomWeb crawls the random web of a seed with plug-ins, interrupted at so many random
// places, and returns the URLs of the pages put, sorted.
func CrawlRandomWeb(t testing.TB, seed uint64, workers, interrupted int, with ...Plugin) []string {
	return crawlRandom(t, randomWeb(t, seed), workers, interruptAtRandom(rand.New(rand.NewPCG(seed, uint64(interrupted))), interrupted), with...)
}
