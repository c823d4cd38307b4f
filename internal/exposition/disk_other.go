//go:build !linux && !darwin && !freebsd && !windows

package exposition

func disk(string) (free, size uint64, ok bool) { return 0, 0, false }
