package job_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/webquarry/quarry/crawler/job"
)

// childDir is the environment variable that makes this program run the job in a folder.
const childDir = "QUARRY_TEST_JOB"

func TestMain(m *testing.M) {
	dir := os.Getenv(childDir)
	if dir == "" {
		os.Exit(m.Run())
	}
	j, err := job.Open(dir, job.Options{})
	if err == nil {
		err = j.Run(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// TestKill: a job whose program is killed at random moments, and started again, has all
// pages in the end.
func TestKill(t *testing.T) {
	t.Parallel()
	kills := 12
	if testing.Short() {
		kills = 3
	}
	prices := map[string]string{}
	for i := range 120 {
		prices[fmt.Sprintf("k%03d", i)] = "€" + fmt.Sprint(i+1)
	}
	proxy := web(t, shop(prices)).Serve(t)
	text := strings.Replace(spec, "pace: {delay: 0s}", "pace: {delay: 10ms, workers: 2}", 1) + "fetch: {allow-private: true, proxies: '" + proxy.String() + "'}\n"
	dir := create(t, text)
	r := rand.New(rand.NewPCG(1, 1))
	killed := 0
	for range kills {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), childDir+"="+dir)
		var said strings.Builder
		c.Stderr = &said
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(50*time.Millisecond + time.Duration(r.IntN(250))*time.Millisecond)
		c.Process.Kill()
		if err := c.Wait(); err == nil {
			break
		}
		if said.Len() > 0 {
			t.Fatal(said.String())
		}
		killed++
	}
	j := open(t, dir, job.Options{})
	for _, run := range j.Runs() {
		if run.State != job.Interrupted && run.State != job.Done {
			t.Errorf("%+v", run)
		}
	}
	if err := j.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := table(t, j)
	if len(got) != len(prices) {
		t.Errorf("%d of %d records after %d kills", len(got), len(prices), killed)
	}
	t.Logf("%d kills, %d runs", killed, len(j.Runs()))
}
