package live

import (
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
)

// ParseFlags is fs.Parse for programs that are configured by their environment too, as by
// the EnvironmentFile of a unit: before args, each flag is set by the variable QUARRY_, the
// name of fs, _ and its own name, as QUARRY_CRAWL_PER_HOST for -per-host of crawl, or by
// what the file holds whose name is in that variable with _FILE behind.
//
// What is secret comes only so, for others see command lines: the flags named in secret, and
// every URL with a password, are refused in args.
func ParseFlags(fs *flag.FlagSet, args []string, secret ...string) error {
	var bad error
	fs.VisitAll(func(f *flag.Flag) {
		value, ok, err := Setting(variable(fs, f.Name))
		if err == nil && ok {
			if err = fs.Set(f.Name, value); err != nil {
				err = fmt.Errorf("%s: %w", variable(fs, f.Name), err)
			}
		}
		bad = errors.Join(bad, err)
	})
	if bad != nil {
		return bad
	}
	for i, arg := range args {
		if arg == "--" {
			break
		}
		name, value, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if !strings.HasPrefix(arg, "-") {
			value = arg
			name = strings.TrimLeft(args[max(i-1, 0)], "-")
		}
		if strings.HasPrefix(arg, "-") && slices.Contains(secret, name) {
			return fmt.Errorf("-%s on the command line can be read by every user of this machine: set %s, or %[2]s_FILE to the name of a file", name, variable(fs, name))
		}
		u, err := url.Parse(value)
		if err != nil || u.User == nil || fs.Lookup(name) == nil {
			continue
		}
		if _, has := u.User.Password(); has {
			return fmt.Errorf("-%s: a password on the command line can be read by every user of this machine: set %s, or %[2]s_FILE to the name of a file", name, variable(fs, name))
		}
	}
	return fs.Parse(args)
}

func variable(fs *flag.FlagSet, name string) string {
	return "QUARRY_" + strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(fs.Name()+"_"+name))
}

// Setting is what an environment variable holds, or the file whose name is in the variable
// with _FILE behind its own, as container engines and systemd hand over secrets; of a file
// without the line end at its end. ok says whether there is either.
func Setting(variable string) (value string, ok bool, err error) {
	if value, ok := os.LookupEnv(variable); ok {
		return value, true, nil
	}
	file, ok := os.LookupEnv(variable + "_FILE")
	if !ok {
		return "", false, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", false, fmt.Errorf("%s_FILE: %w", variable, err)
	}
	return strings.TrimRight(string(text), "\r\n"), true, nil
}
