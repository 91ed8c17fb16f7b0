package etiquette

import (
	"fmt"
	"net/url"
	"time"

	"github.com/collyetiquette/etiquette/internal/origin"
	"github.com/collyetiquette/etiquette/killswitch"
	"github.com/collyetiquette/etiquette/report"
)

// This file is where the Guard meets the report. The throttle tells it what is sent and what holds a host back, robots what it knows of a host's
// robots.txt, and each part what it refused; what only the Guard can tell is told here.

// openReport makes the report of a Policy.
func openReport(p *Policy) (*report.Report, error) {
	r, err := report.New(report.Options{Path: p.ReportFile, Logger: p.Logger})
	if err != nil {
		return nil, fmt.Errorf("etiquette: Policy.ReportFile: %w", err)
	}
	return r, nil
}

// closeReport writes what the report holds back. r may be nil.
func closeReport(r *report.Report) error {
	if r == nil {
		return nil
	}
	return r.Close()
}

// describe fills in what the parts do not tell the report by themselves.
func (g *Guard) describe(h *report.Host) {
	u := &url.URL{Scheme: "https", Host: h.Host, Path: "/"}
	if reason, ok := g.Identity.BrowserLike(u); ok {
		h.BrowserLike = true
		h.Notes = append(h.Notes, "it gets a browser's User-Agent: "+reason)
	}
	for _, use := range g.Robots.Permitted() {
		if use.Host == h.Host && use.Requests > 0 {
			h.Notes = append(h.Notes, permitNote(use.Permit.Path, use.Permit.Reason, use.Permit.Ticket, use.Requests))
		}
	}
	if rule, stopped := g.KillSwitch.Check(u); stopped {
		h.Held = report.Hold{Reason: report.Stopped, Until: rule.Until, Detail: rule.Reason}
	}
}

func permitNote(path, reason, ticket string, requests int) string {
	if path == "" {
		path = "every path"
	}
	note := fmt.Sprintf("robots.txt disallows it, the owner permits it: %s, asked for %d times: %s", path, requests, reason)
	if ticket != "" {
		note += " (" + ticket + ")"
	}
	return note
}

// stopsChanged tells the report which hosts were stopped and which no longer are, and lets the frontiers look through what they hold.
func (g *Guard) stopsChanged() {
	g.mu.Lock()
	before := g.stopped
	now := make(map[string]bool)
	for _, rule := range g.KillSwitch.Rules() {
		if host, ok := stoppedHost(rule); ok {
			now[host] = true
			if !before[host] {
				g.Report.Hold(host, report.Hold{Reason: report.Stopped, From: time.Now(), Until: rule.Until, Detail: rule.Reason})
			}
		}
	}
	g.stopped = now
	g.mu.Unlock()
	for host := range before {
		if !now[host] {
			g.Report.Lift(host, report.Stopped)
		}
	}
	g.refilter()
}

// stoppedHost is the host that a rule stops as a whole.
func stoppedHost(rule killswitch.Rule) (string, bool) {
	if rule.Host == "" || rule.Path != "" || rule.Port != 0 || rule.Scheme != "" || rule.Action == killswitch.Observe {
		return "", false
	}
	key, err := origin.HostKeyOf(rule.Host)
	return key, err == nil
}
