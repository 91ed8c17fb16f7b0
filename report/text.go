package report

import (
	"bufio"
	"fmt"
	"io"
)

// How much a terminal shows. What is left out is said.
const (
	textHosts = 200
	textQuiet = 50 // hosts of which nothing is to be said, among these
	textRules = 20
	textName  = 40 // characters of a host's name
	textRule  = 60
)

// WriteText writes the report for a terminal: a summary, broken promises, skips by rule, and a table of hosts, the worst first. Of many hosts it shows those of
// which something is to be said and the busiest others, 200 at most. The error is w's.
func (r *Report) WriteText(w io.Writer) error {
	b := bufio.NewWriter(w)
	p := r.page()
	p.writeSummary(b)
	p.writeBroken(b)
	p.writeRules(b)
	p.writeHosts(b)
	return b.Flush()
}

func (p *page) writeSummary(w io.Writer) {
	s := &p.Summary
	fmt.Fprintf(w, "Crawl report, %s to %s, %s\n%s\n\n", s.Began.Format("2006-01-02 15:04:05 MST"), clock(s.Read, s.Began), span(s.Read.Sub(s.Began)), scope)
	for _, f := range append([]fact{{"Promises", p.verdict()}}, p.facts()...) {
		fmt.Fprintf(w, "  %-14s %s\n", f.Name, f.Text)
	}
}

func (p *page) writeBroken(w io.Writer) {
	if p.Broken == nil {
		return
	}
	fmt.Fprint(w, "\nBroken promises\n\n")
	for i, b := range p.Broken.Breaches {
		if i == textRules {
			break
		}
		fmt.Fprintf(w, "  %s\n", b)
	}
	if more := p.Broken.Broken - min(len(p.Broken.Breaches), textRules); more > 0 {
		fmt.Fprintf(w, "  and %s more\n", number(more))
	}
}

func (p *page) writeRules(w io.Writer) {
	if len(p.Rules) == 0 {
		return
	}
	fmt.Fprint(w, "\nSkips by rule\n\n")
	g := grid{head: []string{" SKIPS", "REASON", "RULE"}}
	for _, x := range p.Rules[:min(len(p.Rules), textRules)] {
		g.add(number(x.N), clean(string(x.Reason)), shorten(clean(x.Rule), textRule))
	}
	g.write(w)
	if more := len(p.Rules) - textRules; more > 0 {
		fmt.Fprintf(w, "and %s more\n", several(more, "rule"))
	}
}

func (p *page) writeHosts(w io.Writer) {
	if len(p.Hosts) == 0 {
		return
	}
	fmt.Fprint(w, "\nHosts, the worst first\n\n")
	g := grid{head: []string{"HOST", " REQUESTS", "PROMISED", " SMALLEST", " MEDIAN", " SKIPPED", "ROBOTS.TXT"}}
	quiet := 0
	for i := range p.Hosts {
		h := &p.Hosts[i]
		remarks := h.remarks(p.Now)
		if len(g.rows) == textHosts || len(remarks) == 0 && quiet == textQuiet {
			continue
		}
		if len(remarks) == 0 {
			quiet++
		}
		row := g.add(shorten(clean(h.Host), textName), number(h.Requests), h.promised(), h.gap(h.SmallestGap), h.gap(h.MedianGap), number(h.Skipped), h.robots(p.Now))
		for _, x := range remarks {
			row.below = append(row.below, x.Text)
		}
	}
	g.write(w)
	if more := len(p.Hosts) - len(g.rows); more > 0 {
		fmt.Fprintf(w, "and %s more; WriteJSON has them all\n", several(more, "host"))
	}
}
