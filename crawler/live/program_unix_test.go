//go:build unix

package live

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"testing"
)

// child runs TestMainInChild in a process, and sends it a signal.
func child(t *testing.T, env string, s os.Signal) (code int, stderr string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestMainInChild$")
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
	if err := cmd.Process.Signal(s); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait() // its code says it
	return cmd.ProcessState.ExitCode(), errors.String()
}
