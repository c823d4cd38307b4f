//go:build unix

package live

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// child runs TestMainInChild in a process, and sends it a signal.
func child(t *testing.T, env string, s os.Signal) (code int, stderr string) {
	t.Helper()
	return signalled(t, exec.Command(os.Args[0], "-test.run=^TestMainInChild$"), env, s)
}

// TestNohup: a program that is started by nohup outlives its terminal.
func TestNohup(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("sh", "-c", `trap "" HUP; exec "$0" -test.run='^TestMainInChild$'`, os.Args[0])
	if code, stderr := signalled(t, cmd, "QUARRY_LOG=", syscall.SIGHUP, os.Interrupt); code != 130 {
		t.Errorf("exit code %d, %q", code, stderr)
	}
}

// signalled runs a command until it is ready, and sends it signals.
func signalled(t *testing.T, cmd *exec.Cmd, env string, signals ...os.Signal) (code int, stderr string) {
	t.Helper()
	cmd.Env = append(os.Environ(), "QUARRY_LIVE_CHILD=1", env)
	var errors bytes.Buffer
	cmd.Stderr = &errors
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Errorf("%q, %v", line, err)
	}
	for _, s := range signals {
		if err := cmd.Process.Signal(s); err != nil {
			t.Error(err)
		}
	}
	_ = cmd.Wait() // its code says it
	return cmd.ProcessState.ExitCode(), errors.String()
}
