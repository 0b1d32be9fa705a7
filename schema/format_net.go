package schema

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// isHostname is RFC 1123, section 2.1, with A-labels (RFC 5890, section 2.3.2.1) that are what they say.
func isHostname(b []byte) bool {
	if len(b) == 0 || len(b) > 253 {
		return false
	}
	start, international := 0, false
	for i, c := range b {
		switch {
		case charClasses[c]&labelClass != 0:
			continue
		case c != '.' || !hasLabelEnds(b[start:i]):
			return false
		}
		international = international || isALabel(b[start:i])
		start = i + 1
	}
	return hasLabelEnds(b[start:]) && (!international && !isALabel(b[start:]) || isIDNHostname(b))
}

func isLabel(b []byte) bool {
	for _, c := range b {
		if charClasses[c]&labelClass == 0 {
			return false
		}
	}
	return hasLabelEnds(b)
}

// hasLabelEnds is isLabel for what is known to consist of letters, digits and dashes.
func hasLabelEnds(b []byte) bool {
	if len(b) == 0 || len(b) > 63 || b[0] == '-' || b[len(b)-1] == '-' {
		return false
	}
	// RFC 5891, section 4.2.3.1: two dashes there are for A-labels only.
	return len(b) < 4 || b[2] != '-' || b[3] != '-' || len(b) > 4 && (b[0]|0x20 == 'x' && b[1]|0x20 == 'n')
}

func isEmail(b []byte) bool    { return isMailbox(b, false) }
func isIDNEmail(b []byte) bool { return isMailbox(b, true) }

// isMailbox is Mailbox of RFC 5321, section 4.1.2, or of RFC 6531 when it is international.
func isMailbox(b []byte, international bool) bool {
	at := bytes.IndexByte(b, '@')
	if at > 0 && b[0] == '"' {
		at = bytes.LastIndexByte(b, '@')
	}
	if at < 1 || at > 64 {
		return false
	}
	local, domain := b[:at], b[at+1:]
	if len(domain) > 2 && domain[0] == '[' && domain[len(domain)-1] == ']' {
		address := domain[1 : len(domain)-1]
		if v6, ok := bytes.CutPrefix(address, []byte("IPv6:")); ok {
			return isLocalPart(local, international) && isIPv6(v6)
		}
		return isLocalPart(local, international) && isIPv4(address)
	}
	if international && !isASCII(domain) {
		return isLocalPart(local, true) && isIDNHostname(domain)
	}
	return isLocalPart(local, international) && isHostname(domain)
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func isLocalPart(b []byte, international bool) bool {
	if b[0] == '"' {
		return isQuotedLocal(b, international)
	}
	for i, c := range b {
		switch {
		case charClasses[c]&localClass != 0, international && c >= utf8.RuneSelf:
		case c != '.' || i == 0 || i == len(b)-1 || b[i-1] == '.':
			return false
		}
	}
	return true
}

func isQuotedLocal(b []byte, international bool) bool {
	if len(b) < 2 || b[len(b)-1] != '"' {
		return false
	}
	b = b[1 : len(b)-1]
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '\\':
			if i++; i == len(b) {
				return false
			}
		case c == '"' || c < ' ' || c >= utf8.RuneSelf && !international:
			return false
		}
	}
	return true
}

func isURI(b []byte) bool          { return isReference(b, true, false) }
func isURIReference(b []byte) bool { return isReference(b, false, false) }
func isIRI(b []byte) bool          { return isReference(b, true, true) }
func isIRIReference(b []byte) bool { return isReference(b, false, true) }

// isReference is URI-reference of RFC 3986, appendix A (or of RFC 3987 when it is international); absolute asks for a scheme.
func isReference(b []byte, absolute, international bool) bool {
	const pathChars = uriClass | colonClass | atClass | slashClass
	switch n := uriRun(b, uriClass|atClass, international); {
	case n < len(b) && b[n] == ':':
		if !isScheme(b[:n]) {
			return false // a first segment with a colon would be one (section 4.2)
		}
		b = b[n+1:]
	case absolute:
		return false
	}
	if len(b) > 1 && b[0] == '/' && b[1] == '/' {
		b = b[2:]
		end := uriRun(b, uriClass, international)
		if end < len(b) && !endsAuthority(b[end]) { // it is more than a host
			for end < len(b) && !endsAuthority(b[end]) {
				end++
			}
			if !isAuthority(b[:end], international) {
				return false
			}
		}
		b = b[end:]
	}
	b = b[uriRun(b, pathChars, international):]
	for _, mark := range []byte("?#") {
		if len(b) > 0 && b[0] == mark {
			b = b[1:]
			b = b[uriRun(b, pathChars|questionClass, international):]
		}
	}
	return len(b) == 0
}

func endsAuthority(c byte) bool { return c == '/' || c == '?' || c == '#' }

func isScheme(b []byte) bool {
	if len(b) == 0 || isDigit(b[0]) || !isAlphanumeric(b[0]) {
		return false
	}
	for _, c := range b {
		if !isAlphanumeric(c) && c != '+' && c != '-' && c != '.' {
			return false
		}
	}
	return true
}

func isAuthority(b []byte, international bool) bool {
	if at := bytes.LastIndexByte(b, '@'); at >= 0 {
		if !uriChars(b[:at], uriClass|colonClass, international) {
			return false
		}
		b = b[at+1:]
	}
	host, port := b, []byte(nil)
	if len(b) > 0 && b[0] == '[' {
		end := bytes.IndexByte(b, ']')
		if end < 0 || !isIPLiteral(b[1:end]) {
			return false
		}
		host, port = nil, b[end+1:]
		if len(port) > 0 && port[0] != ':' {
			return false
		}
		port = bytes.TrimPrefix(port, []byte(":"))
	} else if colon := bytes.LastIndexByte(b, ':'); colon >= 0 {
		host, port = b[:colon], b[colon+1:]
	}
	for _, c := range port {
		if !isDigit(c) {
			return false
		}
	}
	return uriChars(host, uriClass, international)
}

func isIPLiteral(b []byte) bool {
	if len(b) > 1 && b[0]|0x20 == 'v' {
		version, address, ok := bytes.Cut(b[1:], []byte("."))
		for _, c := range version {
			ok = ok && isHexDigit(c)
		}
		return ok && len(version) > 0 && len(address) > 0 && bytes.IndexByte(address, '%') < 0 && uriChars(address, uriClass|colonClass, false)
	}
	return isIPv6(b)
}

// uriRun returns how many bytes of b are characters of the given classes and percent escapes.
func uriRun(b []byte, of charClass, international bool) int {
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case charClasses[c]&of != 0, international && c >= utf8.RuneSelf:
		case c == '%' && i+2 < len(b) && isHexDigit(b[i+1]) && isHexDigit(b[i+2]):
			i += 2
		default:
			return i
		}
	}
	return len(b)
}

func uriChars(b []byte, of charClass, international bool) bool {
	return uriRun(b, of, international) == len(b)
}

// isURITemplate is RFC 6570, section 2.
func isURITemplate(b []byte) bool {
	for len(b) > 0 {
		switch c := b[0]; {
		case c == '{':
			end := bytes.IndexByte(b, '}')
			if end < 0 || !isExpression(b[1:end]) {
				return false
			}
			b = b[end+1:]
			continue
		case c == '%':
			if len(b) < 3 || !isHexDigit(b[1]) || !isHexDigit(b[2]) {
				return false
			}
		case c <= ' ' || c == 0x7f || strings.IndexByte("\"<>\\^`|}", c) >= 0:
			return false
		}
		b = b[1:]
	}
	return true
}

func isExpression(b []byte) bool {
	if len(b) > 0 && strings.IndexByte("+#./;?&=,!@|", b[0]) >= 0 {
		b = b[1:]
	}
	for {
		spec, rest, more := bytes.Cut(b, []byte(","))
		if !isVarSpec(spec) {
			return false
		}
		if !more {
			return true
		}
		b = rest
	}
}

func isVarSpec(b []byte) bool {
	b = bytes.TrimSuffix(b, []byte("*"))
	if name, length, ok := bytes.Cut(b, []byte(":")); ok {
		if len(length) == 0 || len(length) > 4 || length[0] == '0' {
			return false
		}
		for _, c := range length {
			if !isDigit(c) {
				return false
			}
		}
		b = name
	}
	if len(b) == 0 {
		return false
	}
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case isAlphanumeric(c), c == '_', c == '.' && i > 0 && i < len(b)-1 && b[i-1] != '.':
		case c == '%' && i+2 < len(b) && isHexDigit(b[i+1]) && isHexDigit(b[i+2]):
			i += 2
		default:
			return false
		}
	}
	return true
}
