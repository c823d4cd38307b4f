//go:build !unix

package live

import (
	"os"
	"testing"
)

func child(t *testing.T, _ string, _ os.Signal) (int, string) {
	t.Skip("a process cannot be sent signals here")
	return 0, ""
}
