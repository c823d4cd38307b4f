package urlnorm

import (
	"bytes"
	"strings"
)

// drop reports whether a parameter of a query says nothing about the page.
func (p *Profile) drop(pair []byte, query string) bool {
	key, value, _ := bytes.Cut(pair, []byte("="))
	var buf [48]byte
	if len(key) > len(buf) { // longer than any name below
		return len(p.Drop) > 0 && listed(p.Drop, string(key)) && !listed(p.Keep, string(key))
	}
	lower := buf[:copy(buf[:], key)]
	for i, c := range lower {
		if c >= 'A' && c <= 'Z' {
			lower[i] = c | 0x20
		}
	}
	if !(!p.KeepTracking && tracking(lower) || !p.KeepSessions && session(lower, value, query) ||
		len(p.Drop) > 0 && listed(p.Drop, string(lower))) {
		return false
	}
	return len(p.Keep) == 0 || !listed(p.Keep, string(lower))
}

// listed reports whether a pattern of list matches name.
func listed(list []string, name string) bool {
	for _, pattern := range list {
		prefix, open := strings.CutSuffix(pattern, "*")
		if strings.EqualFold(prefix, name) || open && len(name) >= len(prefix) && strings.EqualFold(prefix, name[:len(prefix)]) {
			return true
		}
	}
	return false
}

// tracking reports whether a parameter only tells where visitors came from.
func tracking(name []byte) bool {
	switch string(name) {
	case "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "gad_source", "gad_campaignid", "srsltid", "_ga", "_gl", // Google
		"fbclid", "fb_action_ids", "fb_action_types", "fb_source", "fb_ref", "igshid", "igsh", // Meta
		"msclkid", "yclid", "_openstat", "twclid", "ttclid", "li_fat_id", "epik", "rdt_cid", "sccid", "tblci", // other networks
		"mc_cid", "mc_eid", "mkt_tok", "vero_id", "vero_conv", "oly_anon_id", "oly_enc_id", "ml_subscriber", "ml_subscriber_hash", // newsletters
		"_hsenc", "_hsmi", "__hssc", "__hstc", "__hsfp", "hsctatracking", "_kx", "_ke", "dm_i", "wickedid", "rb_clickid", "s_cid",
		"pk_campaign", "pk_kwd", "pk_keyword", "pk_source", "pk_medium", "pk_content", "pk_cid", // Matomo
		"wt_mc", "wt.mc_id", "xtor", "guccounter", "guce_referrer", "guce_referrer_sig", "spm_id_from", "ref_src":
		return true
	}
	for _, prefix := range [...]string{"utm_", "mtm_", "matomo_", "piwik_", "hsa_"} {
		if len(name) > len(prefix) && string(name[:len(prefix)]) == prefix {
			return true
		}
	}
	return false
}

// session reports whether a parameter of a query is a session id: by its name
// alone, or by a name that others use too together with a value that looks
// drawn by lot.
func session(name, value []byte, query string) bool {
	switch string(name) {
	case "jsessionid", "phpsessid", "cftoken", "oscsid", "zenid", "asp.net_sessionid":
		return true
	case "cfid": // of ColdFusion, which has both
		return strings.Contains(strings.ToLower(query), "cftoken=")
	case "sid", "s", "sess", "sessid", "session", "sessionid", "session_id", "session-id", "ssid":
		return random(value)
	}
	return len(name) > len("aspsessionid") && string(name[:len("aspsessionid")]) == "aspsessionid"
}

// random reports whether a value looks like an id drawn by lot: a digest or
// UUID in hexadecimal, or twenty and more letters and digits well mixed.
func random(v []byte) bool {
	var digits, letters, dashes, other int
	for _, c := range v {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			letters++
			if c|0x20 > 'f' {
				other++
			}
		case c == '-':
			dashes++
		default:
			return false
		}
	}
	switch {
	case dashes == 4 && len(v) == 36, dashes == 0 && (len(v) == 32 || len(v) == 40 || len(v) == 64):
		return other == 0 || digits >= 4 && letters >= 4
	}
	return dashes == 0 && len(v) >= 20 && digits >= 4 && letters >= 4
}

// dropPathSessions removes the session ids from the path dst[at:], in place.
func dropPathSessions(dst []byte, at int) []byte {
	out, rest := dst[:at], dst[at:]
	for len(rest) > 0 {
		end := 1 + bytes.IndexByte(rest[1:], '/')
		if end == 0 {
			end = len(rest)
		}
		segment := dropSegmentSession(rest[1:end])
		rest = rest[end:]
		if len(rest) > 0 && cookieless(segment) {
			continue
		}
		out = append(out, '/')
		out = append(out, segment...)
	}
	return out
}

// dropSegmentSession removes ;jsessionid=... from a path segment, in place,
// unless a segment of dots, which means another path, would be left.
func dropSegmentSession(segment []byte) []byte {
	const param = ";jsessionid="
	for i := 0; i+len(param) <= len(segment); {
		if segment[i] != ';' || !bytes.EqualFold(segment[i:i+len(param)], []byte(param)) {
			i++
			continue
		}
		end := i + len(param)
		for end < len(segment) && segment[end] != ';' {
			end++
		}
		if end == len(segment) && dots(string(segment[:i])) > 0 {
			break
		}
		segment = append(segment[:i], segment[end:]...)
	}
	return segment
}

// dots returns 1 for a segment that stands for ".", 2 for "..", else 0.
func dots(segment string) int {
	n := 0
	for ; segment != ""; n++ {
		switch {
		case segment[0] == '.':
			segment = segment[1:]
		case len(segment) >= 3 && segment[:2] == "%2" && segment[2]|0x20 == 'e':
			segment = segment[3:]
		default:
			return 0
		}
	}
	if n > 2 {
		return 0
	}
	return n
}

// cookieless reports whether a path segment is a session id of ASP.NET:
// (S(4hqa0555fwsecu455xqckv45)), further parts possible, or the old form
// without the inner parentheses.
func cookieless(segment []byte) bool {
	if len(segment) < 26 || segment[0] != '(' || segment[len(segment)-1] != ')' {
		return false
	}
	inner := segment[1 : len(segment)-1]
	if len(inner) == 24 {
		return alphanumeric(inner) && random(inner)
	}
	id := false
	for len(inner) > 0 {
		end := bytes.IndexByte(inner, ')')
		if end < 2 || inner[1] != '(' || !alphanumeric(inner[:1]) || !alphanumeric(inner[2:end]) {
			return false
		}
		id = id || end-2 >= 24
		inner = inner[end+1:]
	}
	return id
}

func alphanumeric[S string | []byte](s S) bool {
	for i := range len(s) {
		if c := s[i]; !(c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z') {
			return false
		}
	}
	return true
}
