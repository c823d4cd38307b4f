//go:build unix

package chrome

import (
	"os/exec"
	"syscall"
)

// group makes a command the leader of a process group of its own, and has its
// end be the end of the group.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = groupAttr()
	cmd.Cancel = func() error { return killGroup(cmd.Process.Pid) }
}

// killGroup kills a process and all that it started, stopped or not.
func killGroup(pid int) error { return syscall.Kill(-pid, syscall.SIGKILL) }
