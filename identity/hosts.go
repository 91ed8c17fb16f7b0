package identity

import (
	"fmt"
	"net"
	"net/url"
	"slices"

	"github.com/collyetiquette/etiquette/internal/origin"
)

// addHosts judges what was declared for single hosts.
func (id *Identity) addHosts() error {
	o := &id.options
	if len(o.PerHost)+len(o.BrowserLike) > 0 {
		id.hosts = make(map[string]*declaration)
	}
	optional := make(map[string]bool)
	for i, host := range o.TokenOptional {
		key, err := hostOption(fmt.Sprintf("Options.TokenOptional[%d]", i), host)
		if err != nil {
			return err
		}
		optional[key] = true
	}
	for host, ua := range o.PerHost {
		field := fmt.Sprintf("Options.PerHost[%q]", host)
		key, err := hostOption(field, host)
		if err != nil {
			return err
		}
		problems := Check(ua, id.token)
		if optional[key] {
			problems = withoutToken(ua, problems)
			delete(optional, key)
		}
		if fatal(problems) {
			return invalid(field, ua, problems...)
		}
		if err := id.addHost(field, key, &declaration{userAgent: ua, unreal: firstOf(unreal(problems), unreal(mailboxProblems(id.from)))}); err != nil {
			return err
		}
		id.warn(ua, problems)
	}
	for host := range optional {
		return fmt.Errorf("identity: Options.TokenOptional: %q is not in Options.PerHost", host)
	}
	for host, reason := range o.BrowserLike {
		field := fmt.Sprintf("Options.BrowserLike[%q]", host)
		key, err := hostOption(field, host)
		if err != nil {
			return err
		}
		if reason == "" {
			return fmt.Errorf("identity: %s has no reason: say why the host gets a browser's name", field)
		}
		d := &declaration{userAgent: id.own.userAgent, unreal: id.own.unreal, browserLike: true, reason: reason}
		if err := id.addHost(field, key, d); err != nil {
			return err
		}
		id.layer.Log().Warn("identity: the host may get a browser-like User-Agent; its interval is doubled", "host", key, "reason", reason)
	}
	return nil
}

// withoutToken leaves out what a User-Agent without our token lacks by permission. A browser's stays a browser's.
func withoutToken(ua string, problems []Problem) []Problem {
	if slices.ContainsFunc(problems, func(p Problem) bool { return p.Code == CodeBrowser }) {
		return problems
	}
	return without(problems, CodeTokenMissing)
}

func hostOption(field, host string) (string, error) {
	key, err := origin.HostKeyOf(host)
	if err != nil {
		return "", fmt.Errorf("identity: %s: %w", field, err)
	}
	if _, port, err := net.SplitHostPort(host); err == nil {
		return "", fmt.Errorf("identity: %s: it holds the port %s, but all ports of a host get the same", field, port)
	}
	return key, nil
}

func (id *Identity) addHost(field, key string, d *declaration) error {
	if id.hosts[key] != nil {
		return fmt.Errorf("identity: %s: the host was given before, there or in the other of PerHost and BrowserLike", field)
	}
	id.hosts[key] = d
	return nil
}

func firstOf(a, b *Problem) *Problem {
	if a != nil {
		return a
	}
	return b
}

// declared is what goes out to u's host.
func (id *Identity) declared(u *url.URL) *declaration {
	if id.hosts == nil {
		return id.own
	}
	if key, err := origin.HostKey(u); err == nil {
		if d := id.hosts[key]; d != nil {
			return d
		}
	}
	return id.own
}

// isOurs reports whether ua is declared for some host.
func (id *Identity) isOurs(ua string) bool {
	if ua == id.own.userAgent {
		return true
	}
	for _, d := range id.hosts {
		if ua == d.userAgent {
			return true
		}
	}
	return false
}

// BrowserLike reports whether the program may send a User-Agent of its own to u's host, and why.
func (id *Identity) BrowserLike(u *url.URL) (reason string, ok bool) {
	d := id.declared(u)
	return d.reason, d.browserLike
}
