package frontier

import (
	"net/netip"
	"strings"

	"github.com/webquarry/quarry/frontier/internal/request"
)

// exemptions is what [Limits].Exempt names.
type exemptions struct {
	domains map[string]bool
	blocks  []netip.Prefix
}

// newExemptions sorts out domains and blocks: what is no address is a domain.
func newExemptions(names []string) exemptions {
	var e exemptions
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
func (e exemptions) domainOf(name string) string {
	if d := request.DomainOf(name); !e.domains[d] {
		return d
	}
	return name
}

// addr says whether hosts at an address do not share a limit.
func (e exemptions) addr(a netip.Addr) bool {
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

// literalAddr is the address that a host name stands for; not valid: none.
func literalAddr(name string) netip.Addr {
	a, _ := netip.ParseAddr(strings.Trim(name, "[]"))
	return a
}
