//go:build !linux

package chrome_test

import "time"

func usage() (time.Duration, int64) { return 0, 0 }
