//go:build linux || darwin || freebsd

package exposition

import "golang.org/x/sys/unix"

// disk is the room that an ordinary user has on the disk of a folder, and its size.
func disk(folder string) (free, size uint64, ok bool) {
	var st unix.Statfs_t
	if err := unix.Statfs(folder, &st); err != nil {
		return 0, 0, false
	}
	block := uint64(st.Bsize)
	return uint64(max(st.Bavail, 0)) * block, st.Blocks * block, true
}
