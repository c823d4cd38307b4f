//go:build !unix && !windows

package chrome

import (
	"errors"
	"os"
	"os/exec"
)

// group leaves a command as it is: the helpers of a browser end with it, and it
// ends when its pipe does.
func group(*exec.Cmd) {}

type processGroup struct{ pid int }

func groupOf(pid int) (processGroup, error) { return processGroup{pid}, nil }

func (g processGroup) kill() error {
	p, err := os.FindProcess(g.pid)
	if err != nil {
		return err
	}
	return p.Kill()
}

func notRoot(*exec.Cmd) {}

func killUsers(string) int { return 0 }

func freeBytes(string) (int64, error) { return 0, errors.ErrUnsupported }

func memoryOf(int) int64 { return 0 }
