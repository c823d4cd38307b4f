package frontier

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/webquarry/quarry/frontier/internal/request"
)

// FuzzReadNote reads what other processes may find: what is read is written again
// as it was.
func FuzzReadNote(f *testing.F) {
	full, err := json.Marshal(noted{time.Unix(1e9, 5).UTC(), Stats{Seen: 3, Queued: 1, Leased: 1, Done: 1, States: HostStats{Known: 1}, AddRate: 0.05}})
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{string(full), string(full[:len(full)/2]), "", "null", "{}", `{"At":0}`, `{"At":"2026-01-02T03:04:05+01:30","Seen":1e3}`, `{"At":"2026-01-02T03:04:05Z","AddRate":1e400}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := readNote(b)
		if err != nil {
			if !errors.Is(err, request.ErrRecord) || n != (noted{}) {
				t.Errorf("%+v, %v", n, err)
			}
			return
		}
		b, err = json.Marshal(n)
		if err != nil {
			t.Fatal(err)
		}
		again, err := readNote(b)
		if err != nil || again.Stats != n.Stats || !again.At.Equal(n.At) {
			t.Errorf("%+v became %+v, %v", n, again, err)
		}
	})
}
