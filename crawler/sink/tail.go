package sink

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
)

const (
	mark     = ".open" // a file of this ending says that a JSONL is being written, or was when it died
	maxTail  = 1000    // lines in which pages are looked for that may come again
	tailRead = 64 << 20
)

// resume goes to the end of the last whole line of the last file.
func (j *JSONL) resume() error {
	crashed := true
	f, err := j.dir.OpenFile(j.base + mark)
	if err == nil {
		f.Close()
	} else if crashed = false; !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := j.last(); err != nil {
		return err
	}
	if err := j.dir.Replace(j.base+mark, nil); err != nil {
		return err
	}
	size, err := j.survey(crashed)
	if err != nil {
		return err
	}
	if err := j.begin(); err != nil {
		return err
	}
	j.size = size
	if err := j.file.Truncate(size); err != nil || !crashed {
		return err
	}
	return j.file.Sync() // for a line that is there is not written again
}

// last finds the file to go on with, or removes those that are there.
func (j *JSONL) last() error {
	for j.serial = 1; ; j.serial++ {
		switch f, err := j.dir.OpenFile(j.name()); {
		case errors.Is(err, fs.ErrNotExist):
			j.serial = max(j.serial-1, 1)
			if j.opt.Anew {
				j.serial = 1
			}
			return nil
		case err != nil:
			return err
		case j.opt.Anew:
			f.Close()
			if err := j.dir.Remove(j.name()); err != nil {
				return err
			}
		default:
			n, cerr := j.count(f)
			if f.Close(); cerr != nil {
				return cerr
			}
			j.done.earlier += n
		}
		if j.opt.MaxFile <= 0 {
			return nil
		}
	}
}

// survey returns the length of the present file up to its last whole line, and
// after a crash notes the pages of the last lines, if need be of earlier files.
func (j *JSONL) survey(crashed bool) (size int64, err error) {
	now := j.serial
	defer func() { j.serial = now }()
	j.tail = map[string]bool{}
	for ; j.serial > 0; j.serial-- {
		n, err := j.surveyFile(crashed)
		if err != nil {
			return 0, err
		}
		if j.serial == now {
			size = n
		}
		if !crashed || j.opt.MaxFile <= 0 || len(j.tail) >= maxTail {
			break
		}
	}
	return size, nil
}

func (j *JSONL) surveyFile(crashed bool) (int64, error) {
	f, err := j.dir.OpenFile(j.name())
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if j.whole != nil {
		size, _, err := j.whole(f)
		return size, err
	}
	size, err := wholeLines(f)
	if err != nil || !crashed || size == 0 {
		return size, err
	}
	from := max(size-tailRead, 0)
	text := make([]byte, size-from)
	if _, err := f.ReadAt(text, from); err != nil && err != io.EOF {
		return 0, err
	}
	for at := len(text); at > 0 && len(j.tail) < maxTail; text = text[:at] {
		at = bytes.LastIndexByte(text[:len(text)-1], '\n') + 1
		var line struct {
			URL string `json:"url"`
		}
		if json.Unmarshal(text[at:], &line) == nil && line.URL != "" {
			j.tail[line.URL] = true
		}
	}
	return size, nil
}

// wholeLines is the length of a file up to the end of its last line.
func wholeLines(f *os.File) (int64, error) {
	st, err := f.Stat()
	if err != nil {
		return 0, err
	}
	block := make([]byte, 64<<10)
	for end := st.Size(); end > 0; {
		start := max(end-int64(len(block)), 0)
		part := block[:end-start]
		if _, err := f.ReadAt(part, start); err != nil && err != io.EOF {
			return 0, err
		}
		if i := bytes.LastIndexByte(part, '\n'); i >= 0 {
			return start + int64(i) + 1, nil
		}
		end = start
	}
	return 0, nil
}

// count returns how many lines a file has.
func (j *JSONL) count(f *os.File) (int, error) {
	if j.whole == nil {
		return countLines(f)
	}
	_, lines, err := j.whole(f)
	return lines, err
}

func countLines(r io.Reader) (n int, err error) {
	block := make([]byte, 256<<10)
	for {
		k, err := r.Read(block)
		n += bytes.Count(block[:k], []byte{'\n'})
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}
