package durable_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/webquarry/quarry/internal/durable"
)

// lockChild names the folder that a child process of this test locks.
const lockChild = "QUARRY_LOCK_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(lockChild); dir != "" {
		d, err := durable.Open(dir)
		if err == nil {
			_, err = d.Lock("lock")
		}
		fmt.Println("locked", err)
		bufio.NewReader(os.Stdin).ReadByte() // until the parent is gone
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestLockTwice(t *testing.T) {
	t.Parallel()
	d := openDir(t, t.TempDir())
	l, err := d.Lock("lock")
	if err != nil {
		t.Fatal(err)
	}
	refused(t, d, os.Getpid())
	if err := l.Unlock(); err != nil {
		t.Fatal(err)
	}
	if err := l.Unlock(); err != nil {
		t.Errorf("second Unlock: %v", err)
	}
	if l, err = d.Lock("lock"); err != nil {
		t.Fatal(err)
	}
	l.Unlock()
}

// refused expects that the lock is held by a process.
func refused(t *testing.T, d *durable.Dir, pid int) {
	t.Helper()
	start := time.Now()
	_, err := d.Lock("lock")
	if took := time.Since(start); took > 5*time.Second { // at once, but for a busy machine
		t.Errorf("took %v", took)
	}
	le, ok := errors.AsType[*durable.LockedError](err)
	if !ok || !errors.Is(err, durable.ErrLocked) || !strings.HasPrefix(le.Holder, fmt.Sprintf("pid %d on ", pid)) {
		t.Errorf("got %v, want the holder's pid %d", err, pid)
	}
}

// TestLockOfOtherProcess lets a child hold the lock, then kills it.
func TestLockOfOtherProcess(t *testing.T) {
	t.Parallel()
	d := openDir(t, t.TempDir())
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), lockChild+"="+d.Path())
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, _ := bufio.NewReader(stdout).ReadString('\n'); line != "locked <nil>\n" {
		t.Errorf("child said %q", line)
	}
	refused(t, d, cmd.Process.Pid)
	cmd.Process.Kill()
	cmd.Wait()
	l, err := d.Lock("lock")
	if err != nil {
		t.Fatalf("after the holder was killed: %v", err)
	}
	l.Unlock()
}
