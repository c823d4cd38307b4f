package fetch

import (
	"fmt"
	"net/netip"
	"testing"
	"time"
)

func TestIsPublic(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]bool{
		"93.184.216.34": true, "1.1.1.1": true, "2606:4700::1111": true, "172.32.0.1": true, "100.128.0.1": true, "::ffff:8.8.8.8": true,
		"127.0.0.1": false, "127.9.9.9": false, "10.0.0.1": false, "172.16.0.1": false, "192.168.1.1": false, "169.254.169.254": false,
		"100.64.0.1": false, "100.127.255.255": false, "0.0.0.0": false, "0.1.2.3": false, "255.255.255.255": false, "224.0.0.1": false,
		"192.0.2.1": false, "198.18.0.1": false, "::1": false, "::": false, "::ffff:10.0.0.1": false, "::7f00:1": false, "fe80::1": false,
		"fe80::1%eth0": false, "fc00::1": false, "fd12::1": false, "ff02::1": false, "64:ff9b::a00:1": false, "2002:a00:1::": false,
		"2001::1": false, "2001:db8::1": false, "fec0::1": false,
	} {
		if got := isPublic(netip.MustParseAddr(addr)); got != want {
			t.Errorf("%s: %v, want %v", addr, got, want)
		}
	}
	if isPublic(netip.Addr{}) {
		t.Error("no address at all is public")
	}
}

// TestCarriedAddresses puts addresses of IPv4 into IPv6 in all ways that there are
// standards for. None is public but what is plainly mapped.
func TestCarriedAddresses(t *testing.T) {
	t.Parallel()
	for _, v4 := range []string{"127.0.0.1", "10.1.2.3", "169.254.169.254", "192.168.0.1", "0.0.0.0", "8.8.8.8", "255.255.255.255"} {
		a := netip.MustParseAddr(v4).As4()
		hi, lo := fmt.Sprintf("%02x%02x", a[0], a[1]), fmt.Sprintf("%02x%02x", a[2], a[3])
		inverse := fmt.Sprintf("%02x%02x:%02x%02x", ^a[0], ^a[1], ^a[2], ^a[3])
		for name, addr := range map[string]string{
			"compatible": "::" + v4, "translated": "::ffff:0:" + v4, "NAT64": "64:ff9b::" + v4, "local NAT64": "64:ff9b:1::" + v4, "local NAT64, /48": "64:ff9b:1:" + hi + ":" + lo[:2] + "00:" + lo[2:] + "::",
			"6to4": "2002:" + hi + ":" + lo + "::1", "Teredo client": "2001:0:4136:e378:8000:63bf:" + inverse, "Teredo server": "2001:0:" + hi + ":" + lo + "::1",
			"ISATAP": "2606:4700::5efe:" + v4, "ISATAP, universal": "2606:4700::200:5efe:" + v4, "ISATAP, group": "2606:4700:0:1:300:5efe:" + v4, "reserved": "::1:" + v4, "far": "4000::" + v4,
		} {
			if ip := netip.MustParseAddr(addr); isPublic(ip) {
				t.Errorf("%s: %s is public", name, ip)
			}
		}
		if mapped := netip.MustParseAddr("::ffff:" + v4); isPublic(mapped) != isPublic(netip.MustParseAddr(v4)) {
			t.Errorf("%s is not what %s is", mapped, v4)
		}
	}
}

// TestDialRefusesPrivate: the dialer itself refuses what a name that resolves to loopback
// leads to.
func TestDialRefusesPrivate(t *testing.T) {
	t.Parallel()
	h := &HTTP{Timeout: 4 * time.Second}
	h.prepare()
	_, err := h.dial(t.Context(), "tcp", "localhost:80")
	if kind := kindOf(err, inConnect); kind != ErrBlockedAddr {
		t.Errorf("dialer: %v (%s)", err, kind)
	}
}
