package sched

import (
	"net/netip"
	"strings"

	"github.com/webquarry/quarry/frontier/internal/request"
)

// Exemptions is what frontier.Limits.Exempt names.
type Exemptions struct {
	domains map[string]bool
	blocks  []netip.Prefix
}

// NewExemptions sorts out domains and blocks: what is no address is a domain.
func NewExemptions(names []string) Exemptions {
	var e Exemptions
	for _, n := range names {
		if a, err := netip.ParseAddr(n); err == nil {
			a = plainAddr(a)
			e.blocks = append(e.blocks, netip.PrefixFrom(a, a.BitLen()))
		} else if b, err := netip.ParsePrefix(n); err == nil {
			e.blocks = append(e.blocks, b.Masked())
		} else {
			if e.domains == nil {
				e.domains = make(map[string]bool)
			}
			e.domains[strings.TrimSuffix(request.ToLower(n), ".")] = true
		}
	}
	return e
}

// domainOf is the domain that a host name counts for.
func (e Exemptions) domainOf(name string) string {
	if d := request.DomainOf(name); !e.domains[d] {
		return d
	}
	return name
}

// addr says whether hosts at an address do not share a limit.
func (e Exemptions) addr(a netip.Addr) bool {
	if a.IsLoopback() || a.IsUnspecified() {
		return true
	}
	for _, b := range e.blocks {
		if b.Contains(a) {
			return true
		}
	}
	return false
}

// plainAddr is an address as it is compared: IPv4 as such, without a zone.
func plainAddr(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }

// LiteralAddr is the address that a host name stands for; not valid: none.
func LiteralAddr(name string) netip.Addr {
	a, _ := netip.ParseAddr(strings.Trim(name, "[]"))
	return a
}
