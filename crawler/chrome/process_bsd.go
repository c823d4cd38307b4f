//go:build unix && !linux

package chrome

import (
	"errors"
	"os/exec"
	"syscall"
)

// groupAttr makes a group. When we die, the browser ends because its pipe does.
func groupAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func notRoot(*exec.Cmd) {}

func killUsers(string) int { return 0 }

func freeBytes(string) (int64, error) { return 0, errors.ErrUnsupported }

func memoryOf(int) int64 { return 0 }
