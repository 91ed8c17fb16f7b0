package killswitch

import (
	"encoding/json"
	"errors"
	"net/netip"
	"net/url"
	"strings"

	"github.com/collyetiquette/etiquette/internal/origin"
)

// names reads a host or domain. A list of names is a mistake that can be read.
func (d *draft) names(key string, raw json.RawMessage) {
	if text, ok := textOf(raw); ok {
		d.name(key, text)
		return
	}
	var list []string
	if err := json.Unmarshal(raw, &list); err != nil {
		d.problem("%s is no text", key)
		return
	}
	d.problem("%s is a list", key)
	for _, text := range list {
		d.name(key, text)
	}
}

func (d *draft) name(key, text string) {
	name, err := canonicalName(key, text)
	below := false
	if err != nil {
		d.problem("%s %q must be a plain name", key, short(text))
		if strings.TrimSpace(text) == "*" {
			d.scopes = append(d.scopes, Rule{All: true})
			return
		}
		if name, below, err = readName(text); err != nil {
			d.problem("%s %q: %v", key, short(text), err)
			d.f.lost = true
			return
		}
	}
	if below || key == "domain" {
		d.scopes = append(d.scopes, Rule{Domain: name})
	} else {
		d.scopes = append(d.scopes, Rule{Host: name})
	}
}

// readName makes the best of a name as people write it: with a port, as a URL, with a path behind it, with "*." in front.
func readName(text string) (name string, below bool, err error) {
	text = strings.TrimSpace(text)
	if u, err := url.Parse(text); err == nil && u.Host != "" {
		text = u.Host
	}
	if end := strings.IndexAny(text, "/?#"); end >= 0 {
		if _, err := netip.ParsePrefix(text); err == nil {
			return "", false, errors.New("networks are not supported: give a host for each address")
		}
		text = text[:end]
	}
	text = text[strings.LastIndexByte(text, '@')+1:]
	if rest, star := strings.CutPrefix(text, "*."); star {
		text, below = rest, true
	} else if rest, dot := strings.CutPrefix(text, "."); dot {
		text, below = rest, true
	}
	name, err = origin.HostKeyOf(text)
	return strings.Clone(name), below, err
}

func (d *draft) all(raw json.RawMessage) {
	switch string(raw) {
	case "true":
		d.scopes = append(d.scopes, Rule{All: true})
	case "false":
	case `"true"`:
		d.problem("all is text")
		d.scopes = append(d.scopes, Rule{All: true})
	default:
		d.problem("all is neither true nor false")
	}
}

// short keeps foreign text in messages small.
func short(s string) string {
	const most = 100
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}
