package exposition

import "golang.org/x/sys/windows"

// disk is the room that this user has on the disk of a folder, and its size.
func disk(folder string) (free, size uint64, ok bool) {
	name, err := windows.UTF16PtrFromString(folder)
	if err == nil {
		err = windows.GetDiskFreeSpaceEx(name, &free, &size, nil)
	}
	return free, size, err == nil
}
