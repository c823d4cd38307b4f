package job

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/robfig/cron/v3"

	"github.com/webquarry/quarry/crawler/urlnorm"
)

// check says what of a struct makes no sense, beyond the types of its fields.
func check(v reflect.Value) error {
	if c, ok := v.Interface().(interface{ check() error }); ok {
		return c.check()
	}
	return nil
}

// Check says what of a Spec that was made in Go makes no sense. [Parse] has done so.
func (s *Spec) Check() error {
	v := reflect.ValueOf(*s)
	err := reader.CheckFields(v)
	for _, f := range v.Fields() {
		if f.Kind() == reflect.Struct {
			err = errors.Join(err, reader.CheckFields(f))
		}
	}
	for _, l := range s.Logins {
		err = errors.Join(err, reader.CheckFields(reflect.ValueOf(l)))
	}
	for _, c := range s.Chains {
		err = errors.Join(err, reader.CheckFields(reflect.ValueOf(c)))
	}
	if err != nil {
		return fmt.Errorf("job: %w", err)
	}
	return nil
}

func (s Spec) check() error {
	if len(s.Seeds) == 0 {
		return errors.New("seeds is missing")
	}
	for _, seed := range s.Seeds {
		if _, err := urlnorm.URL("", seed); err != nil {
			return fmt.Errorf("seeds: %q is not an http or https URL", seed)
		}
	}
	if (s.Order == "topical") != (s.Topic != "") {
		return errors.New("the order topical and a topic go together")
	}
	if !strings.ContainsAny(s.UserAgent, "@/") {
		return errors.New(`user-agent: a product and a contact are needed, as "acme/1.0 (+https://acme.example/bot)"`)
	}
	if s.Output.Records != "" && len(s.Extract) == 0 && !s.takesRecords() {
		return errors.New("output.records: nothing takes records out of pages; give extract")
	}
	return nil
}

// takesRecords reports whether a chain may take records.
func (s Spec) takesRecords() bool { return len(s.Chains) > 0 }

func (f Fetch) check() error {
	for _, p := range f.Proxies {
		u, err := url.Parse(p)
		if err != nil || u.Host == "" || !slices.Contains([]string{"http", "https", "socks5"}, u.Scheme) {
			return fmt.Errorf("proxies: %q is no URL of a proxy, as http://127.0.0.1:8080", p)
		}
	}
	for origin := range f.Credentials {
		if u, err := url.Parse(origin); err != nil || u.Host == "" || strings.Trim(u.Path, "/") != "" {
			return fmt.Errorf("credentials: %q is no origin, as https://a.example", origin)
		}
	}
	return nil
}

func (p Pace) check() error {
	if p.Delay != nil && *p.Delay < 0 {
		return errors.New("delay cannot be negative")
	}
	return nil
}

func (c Chain) check() error {
	switch {
	case len(c.URLs) == 0:
		return errors.New("urls is missing")
	case len(c.Steps) == 0:
		return errors.New("steps is missing")
	}
	return nil
}

func (l Login) check() error {
	if len(l.Fields) == 0 {
		return errors.New("fields is missing")
	}
	if _, err := urlnorm.URL("", l.URL); err != nil {
		return fmt.Errorf("url: %q is not an http or https URL", l.URL)
	}
	return nil
}

func (r Recrawl) check() error {
	if r.Schedule != "" {
		if _, err := cron.ParseStandard(r.Schedule); err != nil {
			return fmt.Errorf(`schedule: %w; it is minute, hour, day of month, month and day of week, as "0 3 * * *"`, err)
		}
	}
	if r.Every > 0 && r.Schedule != "" {
		return errors.New("every and schedule do not go together: a page comes so long after its last visit, or all come at once")
	}
	if r.Adaptive && r.Every == 0 {
		return errors.New("adaptive needs every, how often a page comes on average")
	}
	return nil
}

func (o Outputs) check() error {
	files := map[string]string{}
	for _, out := range []struct{ name, file string }{{"pages", o.Pages}, {"records", o.Records}, {"warc", o.WARC}} {
		if out.file == "" {
			continue
		}
		if !filepath.IsLocal(out.file) {
			return fmt.Errorf("%s: %q is not within the folder of the job", out.name, out.file)
		}
		file := filepath.Clean(out.file)
		if top, _, _ := strings.Cut(filepath.ToSlash(file), "/"); slices.Contains(ownFiles, top) {
			return fmt.Errorf("%s: %q is a file of the job's own", out.name, file)
		}
		if other, ok := files[file]; ok {
			return fmt.Errorf("%s and %s are one file, %q", other, out.name, file)
		}
		files[file] = out.name
	}
	return nil
}
