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
	cmd.Cancel = func() error { return processGroup{cmd.Process.Pid}.kill() }
}

// processGroup is the process group of a browser, by its leader.
type processGroup struct{ pid int }

// groupOf has nothing to do: a command is in its group from its start.
func groupOf(pid int) (processGroup, error) { return processGroup{pid}, nil }

// kill ends a browser and all that it started, stopped or not.
func (g processGroup) kill() error { return syscall.Kill(-g.pid, syscall.SIGKILL) }
