package origin

import (
	"fmt"
	"strings"
)

// splitPort takes the port off a host. Brackets stay with the name, since they alone tell an IPv6 address from a name with a
// port. An empty port ("shop.example:") is no port, as RFC 3986, 3.2.3 has it.
func splitPort(hostport string) (name, digits string, err error) {
	if strings.IndexByte(hostport, ':') < 0 {
		return hostport, "", nil
	}
	if strings.HasPrefix(hostport, "[") && strings.HasSuffix(hostport, "]") {
		return hostport, "", nil // the colon is one of the address
	}
	colon := strings.LastIndexByte(hostport, ':')
	name, digits = hostport[:colon], hostport[colon+1:]
	if strings.IndexByte(name, ':') >= 0 && !strings.HasSuffix(name, "]") {
		return "", "", fmt.Errorf("origin: host %q has more than one colon: write an IPv6 address in brackets", short(hostport))
	}
	return name, digits, nil
}

// parsePort reads a port between 1 and 65535. Leading zeros count for nothing.
func parsePort(hostport, digits string) (uint16, error) {
	port := 0
	for i := range len(digits) {
		c := digits[i]
		if c < '0' || c > '9' {
			return 0, fmt.Errorf("origin: host %q: port %q is not a number", short(hostport), short(digits))
		}
		port = port*10 + int(c-'0')
		if port > 65535 {
			return 0, fmt.Errorf("origin: host %q: port %q is over 65535", short(hostport), short(digits))
		}
	}
	if port == 0 {
		return 0, fmt.Errorf("origin: host %q: port 0 cannot be asked", short(hostport))
	}
	return uint16(port), nil
}

// short keeps hostile input out of logs and errors.
func short(s string) string {
	const most = 100
	if len(s) <= most {
		return s
	}
	return s[:most] + "..."
}
