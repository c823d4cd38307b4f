package session

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"path/filepath"
	"time"

	"github.com/webquarry/quarry/internal/durable"
)

// saveEvery is how long what was set may be in memory only.
const saveEvery = 10 * time.Second

// file is where a Jar is saved. Its zero value is nowhere.
//
// It is a text file of JSON objects, one a line, each a cookie with the URL that
// set it, and is replaced as a whole.
type file struct {
	dir   *durable.Dir
	name  string
	timer *time.Timer
	dirty bool
	err   error // of saving; told by Close
}

// A CorruptError says that a file of cookies cannot be read.
type CorruptError struct {
	File string
	Line int
	Err  error
}

// Error says where and why.
func (e *CorruptError) Error() string {
	return fmt.Sprintf("session: %s: line %d: %v", e.File, e.Line, e.Err)
}

// Unwrap returns the cause.
func (e *CorruptError) Unwrap() error { return e.Err }

// Open makes a Jar that is saved in a file, some seconds after it has changed
// and by Close. The file need not exist. A crash loses what changed in the last
// ten seconds. The file holds sessions, and only its owner may read it.
func Open(path string) (*Jar, error) {
	dir, err := durable.Open(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	j := New()
	j.file.dir, j.file.name = dir, filepath.Base(path)
	b, err := dir.ReadFile(j.file.name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		dir.Close()
		return nil, err
	}
	if err := j.load(path, b); err != nil {
		dir.Close()
		return nil, err
	}
	j.file.timer = time.AfterFunc(time.Hour, func() { j.Save() })
	j.file.timer.Stop()
	return j, nil
}

// load takes the cookies of a file that have not expired.
func (j *Jar) load(path string, b []byte) error {
	now := time.Now()
	lines := bufio.NewScanner(bytes.NewReader(b))
	lines.Buffer(nil, 1<<20)
	n := 0
	for lines.Scan() {
		n++
		var k kept
		if err := json.Unmarshal(lines.Bytes(), &k); err != nil {
			return &CorruptError{path, n, err}
		}
		u, err := url.Parse(k.URL)
		if err != nil || u.Hostname() == "" {
			return &CorruptError{path, n, fmt.Errorf("no URL %q", k.URL)}
		}
		c := k.Cookie
		j.jar.SetCookies(u, []*http.Cookie{&c})
		site := siteOf(u.Hostname())
		j.note(site, now, k)
		j.shrink(site)
	}
	if err := lines.Err(); err != nil {
		return &CorruptError{path, n + 1, err}
	}
	return nil
}

// touch sees to it that a change is saved.
func (f *file) touch() {
	if f.dir != nil && !f.dirty {
		f.dirty = true
		f.timer.Reset(saveEvery)
	}
}

// Save saves what has changed, at once. It does nothing for a Jar in memory.
func (j *Jar) Save() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	f := &j.file
	if f.dir == nil || !f.dirty {
		return f.err
	}
	f.dirty = false
	f.timer.Stop()
	var b bytes.Buffer
	now := time.Now()
	for site := range j.kept {
		for _, k := range j.kept[site] {
			if k.Cookie.Expires.IsZero() || k.Cookie.Expires.After(now) {
				line, err := json.Marshal(k)
				if err != nil {
					return err
				}
				b.Write(append(line, '\n'))
			}
		}
	}
	f.err = f.dir.ReplaceSecret(f.name, b.Bytes())
	return f.err
}

// Close saves the Jar. It can be used in memory after that.
func (j *Jar) Close() error {
	err := j.Save()
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file.dir == nil {
		return nil
	}
	j.file.timer.Stop()
	err = errors.Join(err, j.file.dir.Close())
	j.file = file{}
	return err
}
