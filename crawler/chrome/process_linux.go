package chrome

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// groupAttr has the kernel kill the browser when we die, however that happens.
// What the browser started ends when the browser does.
func groupAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// notRoot has a command of root run in a user namespace, in which root is a user like
// any other: Chrome refuses to sandbox its processes for root. It needs nothing of
// what root may do, and its sandbox is made of such namespaces anyway.
func notRoot(cmd *exec.Cmd) {
	if os.Geteuid() != 0 {
		return
	}
	const user = 1000
	cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
	cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: user, HostID: 0, Size: 1}}
	cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: user, HostID: os.Getegid(), Size: 1}}
}

// killUsers kills processes that use a profile: a helper of the browser that has
// left its group, or was started as the group was killed. It returns how many.
func killUsers(dir string) (n int) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return 0
	}
	arg := []byte("--user-data-dir=" + dir)
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		line, err := os.ReadFile("/proc/" + e.Name() + "/cmdline")
		if err != nil {
			continue
		}
		for a := range bytes.SplitSeq(line, []byte{0}) {
			if bytes.Equal(a, arg) && syscall.Kill(pid, syscall.SIGKILL) == nil {
				n++
			}
		}
	}
	return n
}

// memoryOf is what the processes of a group hold, memory that several share
// being counted once.
func memoryOf(leader int) (sum int64) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return 0
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if group, err := syscall.Getpgid(pid); err != nil || group != leader {
			continue
		}
		rollup, err := os.ReadFile("/proc/" + e.Name() + "/smaps_rollup")
		if err != nil {
			continue
		}
		for line := range bytes.Lines(rollup) {
			if f := bytes.Fields(line); len(f) > 1 && string(f[0]) == "Pss:" {
				kb, _ := strconv.ParseInt(string(f[1]), 10, 64)
				sum += kb << 10
			}
		}
	}
	return sum
}

// freeBytes is the room that is left on the file system of a path.
func freeBytes(path string) (int64, error) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(path, &st); err != nil {
		return 0, err
	}
	return int64(st.Bavail) * int64(st.Bsize), nil // Bsize is of another width on some systems
}
