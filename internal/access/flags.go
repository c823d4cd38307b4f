package access

import (
	"flag"
	"strings"
)

// Flags adds what a says to the flags of a program. The flag token is a secret, see
// ParseFlags of package live.
func (a *Access) Flags(fs *flag.FlagSet) {
	list := func(into *[]string) func(string) error {
		return func(s string) error {
			*into = nil
			for part := range strings.SplitSeq(s, ",") {
				if part = strings.TrimSpace(part); part != "" {
					*into = append(*into, part)
				}
			}
			return nil
		}
	}
	fs.Func("names", "`host names` that the pages may be asked for by, with commas between", list(&a.Names))
	fs.StringVar(&a.Token, "token", "", "what clients have to know; only by the environment, not on the command line")
	fs.Func("origins", "`origins` whose pages may read answers (CORS), with commas between, such as https://www.example.org", list(&a.Origins))
	fs.Float64Var(&a.Rate, "rate", 0, "requests a second that an address may send to the pages; 0: any number")
	fs.StringVar(&a.CertFile, "tls-cert", "", "`file` of the certificate, in PEM, for pages by TLS; it is read again when it changes")
	fs.StringVar(&a.KeyFile, "tls-key", "", "`file` of the key of -tls-cert")
	fs.BoolVar(&a.Profiles, "pprof", false, "serve profiles of the program at /debug/pprof/")
}
