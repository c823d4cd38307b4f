package progress_test

import (
	"fmt"
	"os"

	"github.com/webquarry/quarry/crawler/progress"
)

func ExampleShow() {
	end := progress.Show(os.Stderr, func() string { return "7 pages" })
	// the work
	end()
	fmt.Println("done")
	// Output: done
}
