//go:build unix

package frontier_test

import (
	"syscall"
	"time"
)

// processorTime is what all threads of this process have used.
func processorTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
